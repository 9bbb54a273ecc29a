import FoundationEssentials

/// Why a change or a whole round of sync did not go through: a code with its facts, from which
/// sentences are made in the reader's language. It is stored as JSON:
///
///     {"code": "THROTTLED", "reason": "slow down"}
///     {"bytes": 1200000, "code": "recordTooLarge"}
public enum SyncProblem: Hashable, Sendable {
  /// The service answered with an error code, as `THROTTLED`.
  ///
  /// - Parameter reason: the service's own words, short and without control characters.
  case service(code: String, reason: String?)
  /// The service answered that there is no place for a new record.
  case recordNotCreated(reason: String?)
  /// The service could not be reached.
  ///
  /// - Parameter network: the name of what the network did, as `connectionRefused`.
  case unreachable(network: String)
  /// The request was sent, and no answer came.
  case answerLost(network: String)
  /// What answered does not speak the protocol.
  ///
  /// - Parameters:
  ///   - status: of HTTP; 0 where it was not even that.
  ///   - problem: the name of what is wrong with it, as `redirect`.
  ///   - contentType: what it says it is, as `text/html`.
  case unexpectedAnswer(status: Int, problem: String, contentType: String?)
  /// The service named an address that is not used.
  ///
  /// - Parameter problem: the name of what is wrong with it, as `notSecure`.
  case untrustedURL(problem: String)
  /// The sign-in token could not be read or stored.
  ///
  /// - Parameter problem: which of the two, as `notStored`.
  case credentials(problem: String)
  /// The service sent so many pages in a row that brought nothing new.
  case endlessPages(count: Int)
  /// The service has more pages than one round reads; the next round goes on.
  case unfinishedPages(count: Int)
  /// The service's data went back to an earlier state, again and again during one round.
  case historyForked
  /// The record has more bytes than a service takes.
  case recordTooLarge(bytes: Int)
  /// The record of the thing on the service cannot be read, and is not overwritten.
  case recordUnreadable
  /// Another device deleted so much that the reader has to be asked.
  ///
  /// - Parameter counts: what would be deleted, by the kind of the outbox.
  case massDeletion(counts: [String: Int], isProfileGone: Bool)
  /// What is stored was written by another version.
  case unknown
}

extension SyncProblem: Codable {
  private enum CodingKeys: String, CodingKey {
    case code, reason, network, status, problem, contentType, count, bytes, counts, isProfileGone
  }

  /// The code of each case but `service`, whose codes are in upper case.
  private enum Code: String, Codable {
    case recordNotCreated, unreachable, answerLost, unexpectedAnswer, untrustedURL, credentials
    case endlessPages, unfinishedPages, historyForked, recordTooLarge, recordUnreadable
    case massDeletion, unknown
  }

  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    func text(_ key: CodingKeys) throws -> String { try values.decode(String.self, forKey: key) }
    func number(_ key: CodingKeys) throws -> Int { try values.decode(Int.self, forKey: key) }
    let reason = try values.decodeIfPresent(String.self, forKey: .reason)
    let written = try text(.code)
    guard let code = Code(rawValue: written) else {
      self = .service(code: written, reason: reason)
      return
    }
    self =
      switch code {
      case .recordNotCreated: .recordNotCreated(reason: reason)
      case .unreachable: .unreachable(network: try text(.network))
      case .answerLost: .answerLost(network: try text(.network))
      case .unexpectedAnswer:
        .unexpectedAnswer(
          status: try number(.status), problem: try text(.problem),
          contentType: try values.decodeIfPresent(String.self, forKey: .contentType))
      case .untrustedURL: .untrustedURL(problem: try text(.problem))
      case .credentials: .credentials(problem: try text(.problem))
      case .endlessPages: .endlessPages(count: try number(.count))
      case .unfinishedPages: .unfinishedPages(count: try number(.count))
      case .historyForked: .historyForked
      case .recordTooLarge: .recordTooLarge(bytes: try number(.bytes))
      case .recordUnreadable: .recordUnreadable
      case .massDeletion:
        .massDeletion(
          counts: try values.decode([String: Int].self, forKey: .counts),
          isProfileGone: try values.decode(Bool.self, forKey: .isProfileGone))
      case .unknown: .unknown
      }
  }

  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    func put(_ code: Code) throws { try values.encode(code, forKey: .code) }
    switch self {
    case .service(let code, let reason):
      try values.encode(code, forKey: .code)
      try values.encodeIfPresent(reason, forKey: .reason)
    case .recordNotCreated(let reason):
      try put(.recordNotCreated)
      try values.encodeIfPresent(reason, forKey: .reason)
    case .unreachable(let network):
      try put(.unreachable)
      try values.encode(network, forKey: .network)
    case .answerLost(let network):
      try put(.answerLost)
      try values.encode(network, forKey: .network)
    case .unexpectedAnswer(let status, let problem, let contentType):
      try put(.unexpectedAnswer)
      try values.encode(status, forKey: .status)
      try values.encode(problem, forKey: .problem)
      try values.encodeIfPresent(contentType, forKey: .contentType)
    case .untrustedURL(let problem):
      try put(.untrustedURL)
      try values.encode(problem, forKey: .problem)
    case .credentials(let problem):
      try put(.credentials)
      try values.encode(problem, forKey: .problem)
    case .endlessPages(let count):
      try put(.endlessPages)
      try values.encode(count, forKey: .count)
    case .unfinishedPages(let count):
      try put(.unfinishedPages)
      try values.encode(count, forKey: .count)
    case .recordTooLarge(let bytes):
      try put(.recordTooLarge)
      try values.encode(bytes, forKey: .bytes)
    case .historyForked: try put(.historyForked)
    case .recordUnreadable: try put(.recordUnreadable)
    case .massDeletion(let counts, let isProfileGone):
      try put(.massDeletion)
      try values.encode(counts, forKey: .counts)
      try values.encode(isProfileGone, forKey: .isProfileGone)
    case .unknown: try put(.unknown)
    }
  }
}

extension SyncProblem {
  /// As a column of the library holds it.
  var json: String? {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) }
  }

  /// What a column of the library holds: `unknown` where that cannot be read.
  init(json: String) {
    self = (try? JSONDecoder().decode(SyncProblem.self, from: Data(json.utf8))) ?? .unknown
  }
}
