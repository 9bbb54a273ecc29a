/// What an answer says about the history of a zone, in the header `Record-Service-History`.
///
/// The files of a service can be put back to an earlier state behind its back: copied, restored
/// from a snapshot, replaced by a replica. It then gives numbers again that it gave before. A tag
/// of the history therefore has a number and a mark, and the mark depends on everything before it:
/// a service that does not have a client's tag has lost what the client knows.
///
///     HistoryReport(header: "forked, forked 2t-00f3a1b29c4d5e6f")
///     // the sync token is one of another history, and so is the witness
///
/// Apple's service has no such header.
public struct HistoryReport: Hashable, Sendable {
  /// The header of an answer that carries a report.
  public static let header = "Record-Service-History"
  /// The header of a request that names the newest tag its client has learned.
  public static let witnessHeader = "Record-Service-Witness"
  /// The header of an answer of users/caller that names the service, whatever its address.
  public static let serviceHeader = "Record-Service-ID"

  /// What became of the request's witness.
  public enum Verdict: String, Hashable, Sendable {
    /// The history has it, or the request had none.
    case current
    /// The history does not have it: the service went back behind it.
    case forked
    /// It is older than what is kept of the history.
    case unknown
  }

  /// Why the request's sync token was refused.
  public enum TokenProblem: String, Hashable, Sendable {
    /// It is older than what is kept.
    case expired
    /// It is one of another history.
    case forked
  }

  public var verdict: Verdict
  /// The newest number and mark of the zone, as one tag.
  public var newest: String
  /// Nil where the request had no sync token, or a good one.
  public var tokenProblem: TokenProblem?

  public init(_ verdict: Verdict, newest: String, tokenProblem: TokenProblem? = nil) {
    self.verdict = verdict
    self.newest = newest
    self.tokenProblem = tokenProblem
  }

  /// The longest tag that is taken from a header, in bytes.
  static let maximumTagLength = 128

  /// - Parameter header: the value of the header.
  /// - Returns: nil for what is no report. Parts that are not known are passed over.
  public init?(header: String) {
    var report: (Verdict, String)?
    var problem: TokenProblem?
    for part in header.split(separator: ",") {
      let words = part.split(separator: " ")
      switch words.count {
      case 1: problem = TokenProblem(rawValue: String(words[0])) ?? problem
      case 2:
        guard let verdict = Verdict(rawValue: String(words[0])), Self.isTag(words[1]) else {
          continue
        }
        report = (verdict, String(words[1]))
      default: continue
      }
    }
    guard let report else { return nil }
    self.init(report.0, newest: report.1, tokenProblem: problem)
  }

  /// The value of the header.
  public var headerValue: String {
    (tokenProblem.map { "\($0.rawValue), " } ?? "") + "\(verdict.rawValue) \(newest)"
  }

  /// Whether a text can stand in a header as a tag: printable ASCII without spaces and commas.
  public static func isTag(_ text: some StringProtocol) -> Bool {
    (1...maximumTagLength).contains(text.utf8.count)
      && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: ",") }
  }
}
