public import FoundationEssentials
import Quran

/// The account with which a library is synced, and the state of its sync. A library belongs to one
/// account at a time.
public struct SyncAccount: Hashable, Sendable {
  /// The service's origin, for example `https://records.example.org`.
  public var origin: String
  /// The container identifier.
  public let container: String
  /// The container's environment: `development` or `production`.
  public let environment: String
  /// The record name of the user.
  public let userRecordName: String
  /// The display name of the account; nil if it is unknown.
  public var name: String?
  /// Whether the user confirmed the account. Nothing is sent before.
  public var isConfirmed: Bool
  /// Whether the service has a profile of the user.
  public var hasProfile: Bool
  /// When the service created the profile, in milliseconds since 1970, UTC; nil if that is unknown.
  /// If the account was deleted and used again, the profile has another time.
  public var profileCreatedAt: Int64?
  /// Whether the zone has a change feed; nil if that is unknown. Once a service refused to return
  /// one, it is not asked again.
  public var hasFeed: Bool?
  /// The sync token of the change feed; nil for its beginning.
  public var syncToken: String?
  /// The number of listings that were started. A record whose state was stored since the last start
  /// cannot be missing from that listing.
  public var listing = 0
  /// When all records were last listed; nil for never. Milliseconds since 1970, UTC.
  public var listedAt: Int64?
  /// When the last round succeeded; nil for never. Milliseconds since 1970, UTC.
  public var syncedAt: Int64?
  /// The service's permanent id, which is independent of its address; nil if it has none.
  public var serviceID: String?
  /// The newest tag of the zone's history that this device knows; nil if the service does not
  /// report its history.
  public var witness: String?
  /// Whether the service was restored to an earlier state than this device knows. Everything must
  /// then be listed and compared record by record.
  public var needsListing = false
  /// Which version sync uses after an earlier state of the library was restored. Nil if none was
  /// restored, or if sync has already applied the choice. While it is `undecided`, sync neither
  /// sends nor fetches.
  public var restoration: Restoration?

  /// Which version sync uses after an earlier state of the library was restored.
  public enum Restoration: String, Hashable, Sendable {
    /// The user has not chosen yet. The stored value and that of `sync status --json` is `asked`.
    case undecided = "asked"
    /// The library's version, which replaces the service's.
    case keepRestored
    /// The service's version, which replaces the library's.
    case keepService
  }
  /// Why the last round failed; nil if it succeeded.
  public var failure: SyncProblem?
  /// When the first of the consecutive rounds with the same failure failed; nil if the last round
  /// succeeded. Milliseconds since 1970, UTC.
  public var failingSince: Int64?
  /// The wait that the service asked for; nil for none.
  public var wait: Wait?
  /// Whether the service may not have the profile and the subscriptions any more. The next round
  /// creates them again after its fetch, because the fetch may first have to ask the user about a
  /// deleted account.
  public var needsPreparation = false

  /// Creates an account. By default it is not confirmed yet and was never synced. Times are
  /// milliseconds since 1970, UTC.
  public init(
    origin: String, container: String, environment: String, userRecordName: String,
    name: String? = nil, isConfirmed: Bool = false, hasProfile: Bool = false,
    serviceID: String? = nil
  ) {
    self.origin = origin
    self.container = container
    self.environment = environment
    self.userRecordName = userRecordName
    self.name = name
    self.isConfirmed = isConfirmed
    self.hasProfile = hasProfile
    self.serviceID = serviceID
  }

  /// Whether both are the same user of the same container. Services are compared by their ids, or
  /// by their origins if one has no id.
  public func isSame(as other: SyncAccount) -> Bool {
    guard
      (container, environment, userRecordName)
        == (other.container, other.environment, other.userRecordName)
    else { return false }
    if let serviceID, let otherID = other.serviceID { return serviceID == otherID }
    return origin == other.origin
  }
}

/// A period in which something is not tried again.
public struct Wait: Hashable, Sendable {
  /// When the wait began, in milliseconds since 1970, by this device's clock.
  public let since: Int64
  /// When the wait ends, in milliseconds since 1970.
  public let until: Int64

  /// Creates a wait from its beginning and its end.
  ///
  /// - Parameters:
  ///   - since: When the wait begins, in milliseconds since 1970.
  ///   - until: When the wait ends, in milliseconds since 1970.
  public init(since: Int64, until: Int64) {
    self.since = since
    self.until = until
  }

  /// The remaining milliseconds; 0 if the wait is over. It also counts as over if `now` is before
  /// its beginning: the clock was set back, so the remaining time is unknown.
  public func left(at now: Int64) -> Int64 { since <= now && now < until ? until - now : 0 }
}

/// The last known state of a record on the service.
public struct RecordState: Hashable, Sendable {
  /// The name of the record, exactly as on the service.
  public let name: String
  /// The thing of the record.
  public let thing: Thing
  /// The change tag; nil if the service does not have the record.
  public var tag: String?
  /// Change tags that the record had before `tag`, the newest first. If the service returns one of
  /// them again, its history was rolled back. The number of tags is limited, and all are of one
  /// history.
  public var formerTags: [String]
  /// The merge base: the fields of the record, as the sync engine encodes them.
  public var base: Data
  /// The value of `SyncAccount.listing` when this was stored.
  public var listing: Int
  /// When the service created the record, in milliseconds since 1970, UTC; nil if that is unknown.
  /// A record that was deleted and created again has another time.
  public var createdAt: Int64?

  /// Creates the state of a record; `tag` is nil if the service does not have the record.
  public init(
    name: String, thing: Thing, tag: String?, formerTags: [String] = [], base: Data, listing: Int,
    createdAt: Int64? = nil
  ) {
    self.name = name
    self.thing = thing
    self.tag = tag
    self.formerTags = formerTags
    self.base = base
    self.listing = listing
    self.createdAt = createdAt
  }
}

/// The stored deletion of a record.
public struct DeletedRecord: Hashable, Sendable {
  /// The name of the record, exactly as it was on the service.
  public let name: String
  /// The thing of the record.
  public let thing: Thing
  /// The change tags of the versions that preceded the deletion.
  public let tags: [String]
  /// When this device learned of the deletion, in milliseconds since 1970, UTC.
  public let deletedAt: Int64

  /// Creates the deletion of a record, with the change tags of the versions before it.
  public init(name: String, thing: Thing, tags: [String], deletedAt: Int64) {
    self.name = name
    self.thing = thing
    self.tags = tags
    self.deletedAt = deletedAt
  }
}

/// A change in the outbox.
public struct PendingChange: Hashable, Sendable {
  /// The thing that was changed.
  public let thing: Thing
  /// Whether the thing was deleted. Otherwise its state at the time of sending is saved.
  public let isDeletion: Bool
  /// A number that every change of the thing raises.
  public let generation: Int
  /// The time of the change, in milliseconds since 1970, UTC.
  public let changedAt: Int64
  /// The number of attempts to send the change.
  public var attempts: Int
  /// The period in which the change is not tried again; nil if there is none.
  public var wait: Wait?
  /// The fields of the unconfirmed saves, which are saves of which the device does not know whether
  /// the service carried them out; nil if there are none. `Sync` defines the encoding.
  public var sent: Data?
  /// Why the change is parked: it is not sent until the user asks for it or changes the thing. If
  /// the schema is the reason, it is also sent when sync starts, and after the service has accepted
  /// another record of its type. Nil if the change is not parked.
  public var parked: SyncProblem?
  /// Why the last attempt failed; nil if no attempt failed.
  public var lastError: SyncProblem?
  /// Whether the change was in the outbox when an earlier state of the library was restored.
  public let isRestored: Bool
}

/// A record on the service that this device cannot decode.
public struct UnreadableRecord: Hashable, Sendable {
  /// The name of the record.
  public let name: String
  /// The record type.
  public let type: String
  /// Why the record cannot be decoded.
  public let problem: Problem

  /// Creates the description of a record that cannot be decoded.
  public init(name: String, type: String, problem: Problem) {
    self.name = name
    self.type = type
    self.problem = problem
  }

  /// Why a record cannot be decoded. It is stored as JSON:
  ///
  ///     {"code": "name"}
  ///     {"code": "missing", "field": "noteText"}
  public enum Problem: Error, Hashable, Sendable {
    /// The name does not have the form of its kind, or contradicts the fields.
    case name
    /// A required field is missing.
    case missing(field: String)
    /// A field has another type than the schema says.
    case wrongType(field: String)
    /// The value of a field is not valid: an ayah that does not exist, a time out of range, broken
    /// JSON, a text that is empty or too long.
    case outOfRange(field: String)
    /// The problem was stored by another version of the program.
    case unknown
  }
}

extension UnreadableRecord.Problem: Codable {
  private enum CodingKeys: String, CodingKey {
    case code, field
  }

  private enum Code: String, Codable {
    case name, missing, wrongType, outOfRange, unknown
  }

  /// Decodes a problem.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    func field() throws -> String { try values.decode(String.self, forKey: .field) }
    self =
      switch Code(rawValue: try values.decode(String.self, forKey: .code)) {
      case .name: .name
      case .missing: .missing(field: try field())
      case .wrongType: .wrongType(field: try field())
      case .outOfRange: .outOfRange(field: try field())
      case .unknown, nil: .unknown
      }
  }

  /// Encodes the problem.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    func put(_ code: Code, _ field: String? = nil) throws {
      try values.encode(code, forKey: .code)
      try values.encodeIfPresent(field, forKey: .field)
    }
    switch self {
    case .name: try put(.name)
    case .missing(let field): try put(.missing, field)
    case .wrongType(let field): try put(.wrongType, field)
    case .outOfRange(let field): try put(.outOfRange, field)
    case .unknown: try put(.unknown)
    }
  }
}

extension UnreadableRecord.Problem {
  /// The value of the column in the library.
  var stored: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    // A code and a string can always be encoded.
    return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }

  /// Creates a problem from the value of the column in the library. Earlier versions of the program
  /// stored `name`, `missing FIELD`, `type of FIELD` and `value of FIELD`.
  init(stored: String) {
    if let problem = try? JSONDecoder().decode(Self.self, from: Data(stored.utf8)) {
      self = problem
    } else if stored == "name" {
      self = .name
    } else if let field = stored.suffix(after: "missing ") {
      self = .missing(field: field)
    } else if let field = stored.suffix(after: "type of ") {
      self = .wrongType(field: field)
    } else if let field = stored.suffix(after: "value of ") {
      self = .outOfRange(field: field)
    } else {
      self = .unknown
    }
  }
}

extension String {
  /// The rest of the string after a prefix; nil if it does not have the prefix.
  fileprivate func suffix(after prefix: String) -> String? {
    hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
  }
}

extension Thing {
  /// Creates the thing that the columns `kind` and `key` of the outbox identify. Nil if they are
  /// not valid.
  init?(kind: String, key: String) {
    switch Kind(rawValue: kind) {
    case .favorite:
      guard let ayah = AyahID(key) else { return nil }
      self = .favorite(ayah)
    case .note:
      guard let id = UUID(uuidString: key) else { return nil }
      self = .note(id)
    case .progress:
      guard let surah = Int(key).flatMap({ SurahNumber($0) }) else { return nil }
      self = .progress(surah)
    case .setting:
      self = .setting(key)
    case nil:
      return nil
    }
  }
}

/// The numbers of the changes in the outbox. All except `parked` leave out the parked changes.
public struct OutboxSummary: Hashable, Sendable {
  /// The number of changes.
  public var count = 0
  /// The number of changes that are not reading progress.
  public var otherThanProgress = 0
  /// The sum of the generations of the changes. A new change raises it.
  public var generations = 0
  /// When the first change may be sent, in milliseconds since 1970; 0 for immediately.
  public var notBefore: Int64 = 0
  /// The number of parked changes.
  public var parked = 0
  /// Why the last attempt of one of the changes failed; nil if none failed.
  public var lastError: SyncProblem?

  /// Creates a summary of the outbox. Without arguments, the outbox is empty.
  public init(
    count: Int = 0, otherThanProgress: Int = 0, generations: Int = 0, notBefore: Int64 = 0,
    parked: Int = 0, lastError: SyncProblem? = nil
  ) {
    self.count = count
    self.otherThanProgress = otherThanProgress
    self.generations = generations
    self.notBefore = notBefore
    self.parked = parked
    self.lastError = lastError
  }
}
