/// A service's statement about the history of a zone: the value of the `Record-Service-History`
/// response header.
///
/// The files of a service can be replaced by an earlier state without the service noticing it:
/// they are restored from a backup or a snapshot, or a replica takes their place. The service then
/// assigns change numbers a second time. A tag therefore consists of a change number and a mark,
/// which is a hash of the whole history up to that number. If the history of a service does not
/// contain a tag that a client has received, the service has lost changes that the client knows:
/// the history has *forked*.
///
///     HistoryReport(header: "forked, forked 2t-00f3a1b29c4d5e6f")
///     // Neither the sync token nor the witness of the request belongs to this history, whose
///     // newest tag is 2t-00f3a1b29c4d5e6f.
///
/// The header belongs to the record service. Apple's service does not send it.
public struct HistoryReport: Hashable, Sendable {
  /// The name of the response header with the report.
  public static let header = "Record-Service-History"
  /// The name of the request header with the witness: the newest tag that the client has received.
  public static let witnessHeader = "Record-Service-Witness"
  /// The name of the response header with the service's permanent identifier, which does not depend
  /// on its address. Responses of `users/caller` have it.
  public static let serviceHeader = "Record-Service-ID"

  /// The result of looking up the request's witness in the history.
  public enum Verdict: String, Hashable, Sendable {
    /// The history contains the witness, or the request had no witness.
    case current
    /// The history does not contain the witness: the service was reset to an earlier state.
    case forked
    /// The witness is older than the stored part of the history.
    case unknown
  }

  /// The reason for rejecting the request's sync token.
  public enum TokenProblem: String, Hashable, Sendable {
    /// The token is older than the stored part of the history.
    case expired
    /// The token belongs to another history.
    case forked
  }

  /// Whether the history contains the request's witness.
  public var verdict: Verdict
  /// The newest tag of the zone.
  public var newest: String
  /// The reason for rejecting the sync token; nil if the service accepted it or the request had
  /// none.
  public var tokenProblem: TokenProblem?

  /// Creates a report for a response.
  ///
  /// - Parameters:
  ///   - verdict: Whether the history contains the request's witness.
  ///   - newest: The newest tag of the zone.
  ///   - tokenProblem: Why the sync token is rejected; nil if it is accepted or there is none.
  public init(_ verdict: Verdict, newest: String, tokenProblem: TokenProblem? = nil) {
    self.verdict = verdict
    self.newest = newest
    self.tokenProblem = tokenProblem
  }

  /// The maximum length of a tag in a header, in bytes.
  static let maximumTagLength = 128

  /// Creates a report from a header value. Unknown parts of the value are ignored.
  ///
  /// - Parameter header: The value of the header.
  /// - Returns: nil if the value has no verdict with a tag.
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

  /// Whether a string can be a tag in a header: 1 to 128 printable ASCII characters other than
  /// spaces and commas.
  public static func isTag(_ text: some StringProtocol) -> Bool {
    (1...maximumTagLength).contains(text.utf8.count)
      && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: ",") }
  }
}
