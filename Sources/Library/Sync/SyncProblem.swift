import FoundationEssentials

/// Why a change could not be sent or a round of sync failed: a code and facts, which `Messages`
/// turns into sentences. It is stored as JSON:
///
///     {"code": "THROTTLED", "reason": "slow down"}
///     {"bytes": 1200000, "code": "recordTooLarge"}
public enum SyncProblem: Hashable, Sendable {
  /// The service returned an error.
  ///
  /// - Parameters:
  ///   - code: The error code, for example `THROTTLED`.
  ///   - reason: The service's reason, cut to 200 characters and without control characters.
  case service(code: String, reason: String?)
  /// The service did not create a record, because something that it needs was not found.
  case recordNotCreated(reason: String?)
  /// The service could not be reached.
  ///
  /// - Parameter network: The name of the network problem, for example `connectionRefused`.
  case unreachable(network: String)
  /// The request was sent, but no response came.
  ///
  /// - Parameter network: The name of the network problem.
  case answerLost(network: String)
  /// The response is not one of a record service.
  ///
  /// - Parameters:
  ///   - status: The HTTP status; 0 if the response is not HTTP.
  ///   - problem: The name of what is wrong with the response, for example `redirect`.
  ///   - contentType: The media type, for example `text/html`; nil if there is none.
  case unexpectedAnswer(status: Int, problem: String, contentType: String?)
  /// The service returned a URL that must not be used.
  ///
  /// - Parameter problem: The name of what is wrong with the URL, for example `notSecure`.
  case untrustedURL(problem: String)
  /// The sign-in token could not be read or stored.
  ///
  /// - Parameter problem: Which of the two, for example `notStored`.
  case credentials(problem: String)
  /// The service sent `count` pages in a row that had nothing new.
  case endlessPages(count: Int)
  /// The service has more pages than one round reads; the next round continues.
  case unfinishedPages(count: Int)
  /// The service has more records or bytes than a library stores: at most `records` and `bytes`.
  case storageLimitReached(records: Int, bytes: Int)
  /// The service's history was rolled back in every attempt of a round.
  case historyForked
  /// The record is larger than a service accepts.
  case recordTooLarge(bytes: Int)
  /// The thing's record on the service cannot be decoded, and is not overwritten.
  case recordUnreadable
  /// Another device deleted so much that the user must be asked.
  ///
  /// - Parameters:
  ///   - counts: The number of deletions of each kind.
  ///   - isProfileGone: Whether the profile was deleted, too.
  case massDeletion(counts: [Thing.Kind: Int], isProfileGone: Bool)
  /// The stored problem cannot be decoded, for example because another version of the program
  /// stored it.
  case unknown
}

extension SyncProblem: Codable {
  private enum CodingKeys: String, CodingKey {
    case code, reason, network, status, problem, contentType, count, records, bytes, counts
    case isProfileGone
  }

  /// The code of each case but `service`, whose codes are in upper case.
  private enum Code: String, Codable {
    case recordNotCreated, unreachable, answerLost, unexpectedAnswer, untrustedURL, credentials
    case endlessPages, unfinishedPages, storageLimitReached, historyForked, recordTooLarge
    case recordUnreadable, massDeletion, unknown
  }

  /// Decodes a problem.
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
      case .storageLimitReached:
        .storageLimitReached(records: try number(.records), bytes: try number(.bytes))
      case .historyForked: .historyForked
      case .recordTooLarge: .recordTooLarge(bytes: try number(.bytes))
      case .recordUnreadable: .recordUnreadable
      case .massDeletion:
        .massDeletion(
          counts: try values.decode([Thing.Kind: Int].self, forKey: .counts),
          isProfileGone: try values.decode(Bool.self, forKey: .isProfileGone))
      case .unknown: .unknown
      }
  }

  /// Encodes the problem.
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
    case .storageLimitReached(let records, let bytes):
      try put(.storageLimitReached)
      try values.encode(records, forKey: .records)
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
  /// The JSON that a column of the library stores; nil if the problem cannot be encoded.
  var json: String? {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Creates a problem from the JSON that a column of the library stores. If the JSON cannot be
  /// decoded, the problem is `unknown`.
  init(json: String) {
    self = (try? JSONDecoder().decode(SyncProblem.self, from: Data(json.utf8))) ?? .unknown
  }
}
