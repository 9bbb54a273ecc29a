public import FoundationEssentials
import Quran

/// Where a library is synced, and how far it is. A library belongs to one account at a time.
public struct SyncAccount: Hashable, Sendable {
  /// The service's origin, as `https://records.example.org`.
  public var origin: String
  public let container: String
  public let environment: String
  public let userRecordName: String
  /// What the account is called, for its reader.
  public var name: String?
  /// Whether its reader said that this is the account. Nothing is sent before.
  public var isConfirmed: Bool
  /// Whether the service has a profile of the user.
  public var hasProfile: Bool
  /// Whether the zone has a change feed; nil where that is not known yet. A service that refuses
  /// one is not asked again.
  public var hasFeed: Bool?
  /// Where the change feed goes on; nil for its beginning.
  public var syncToken: String?
  /// How many listings were begun. What is known since the last one cannot be missing from it.
  public var listing: Int
  /// When all records were last listed; nil for never. Milliseconds since 1970, as the next.
  public var listedAt: Int64?
  /// When this device and the service last agreed.
  public var syncedAt: Int64?
  /// The service's permanent id, by which it is known at another address; nil where it told none.
  public var serviceID: String?
  /// The newest tag of the zone's history that this device has learned; nil where the service
  /// tells none.
  public var witness: String?
  /// Whether the service went back behind what this device knows, and everything is to be listed
  /// and compared record by record.
  public var owesListing: Bool
  /// What becomes of an earlier state of the library that was put back; nil where none was, and
  /// where that is settled. As long as it is `asked` nothing is sent or fetched.
  public var restoration: Restoration?

  /// What counts once an earlier state of the library was put back.
  public enum Restoration: String, Hashable, Sendable {
    /// The reader has to say.
    case asked
    /// The library: what differs on the service is replaced.
    case keepRestored
    /// The service: the library becomes what it holds.
    case keepService
  }
  /// Why the last round did not do what it had to; nil where it did.
  public var failure: SyncProblem?
  /// When the first of the rounds failed that failed like the last one. Milliseconds since 1970.
  public var failingSince: Int64?
  /// How long the service wants to be left alone.
  public var wait: Wait?
  /// Whether the profile and the subscriptions have to be made again, because the service may have
  /// lost them.
  public var owesPreparation: Bool

  public init(
    origin: String, container: String, environment: String, userRecordName: String,
    name: String? = nil, isConfirmed: Bool = false, hasProfile: Bool = false, hasFeed: Bool? = nil,
    syncToken: String? = nil, listing: Int = 0, listedAt: Int64? = nil, syncedAt: Int64? = nil,
    serviceID: String? = nil, witness: String? = nil, owesListing: Bool = false,
    restoration: Restoration? = nil, failure: SyncProblem? = nil, failingSince: Int64? = nil,
    wait: Wait? = nil, owesPreparation: Bool = false
  ) {
    self.origin = origin
    self.container = container
    self.environment = environment
    self.userRecordName = userRecordName
    self.name = name
    self.isConfirmed = isConfirmed
    self.hasProfile = hasProfile
    self.hasFeed = hasFeed
    self.syncToken = syncToken
    self.listing = listing
    self.listedAt = listedAt
    self.syncedAt = syncedAt
    self.serviceID = serviceID
    self.witness = witness
    self.owesListing = owesListing
    self.restoration = restoration
    self.failure = failure
    self.owesPreparation = owesPreparation
    self.failingSince = failingSince
    self.wait = wait
  }

  /// Whether it is the same user of the same container. A service is known by its id, at whatever
  /// address; one that told none is known by its address.
  public func isSame(as other: SyncAccount) -> Bool {
    guard
      (container, environment, userRecordName)
        == (other.container, other.environment, other.userRecordName)
    else { return false }
    if let serviceID, let otherID = other.serviceID { return serviceID == otherID }
    return origin == other.origin
  }
}

/// A time in which something is not tried again.
public struct Wait: Hashable, Sendable {
  /// When it began, in milliseconds since 1970, by this device's clock.
  public let since: Int64
  /// When it ends, in milliseconds since 1970.
  public let until: Int64
  /// Whether the service asked for it, so that nobody here may end it.
  public let isServices: Bool

  public init(since: Int64, until: Int64, isServices: Bool = false) {
    self.since = since
    self.until = until
    self.isServices = isServices
  }

  /// How many milliseconds of it are left. A clock that shows a time before the beginning was set
  /// back: nobody knows then how long it would be, and it is over.
  public func left(at now: Int64) -> Int64 { since <= now && now < until ? until - now : 0 }
}

/// What this device last knew of a record.
public struct RecordState: Hashable, Sendable {
  /// As the server has it, to the letter.
  public let name: String
  /// The thing it is of.
  public let thing: Thing
  /// Nil where the server told none.
  public var tag: String?
  /// The change tags that the record had before `tag`, the newest first: a service that shows one
  /// of them again went back. Not all of them, and those of one history only.
  public var formerTags: [String]
  /// The fields, as whoever syncs writes them down.
  public var base: Data
  /// The listing that was the last one begun when this was stored.
  public var listing: Int
  /// Whether the service lost it when its files went back, until it is there again: a version that
  /// the service shows then need not have been made from `base`.
  public var isLost: Bool

  public init(
    name: String, thing: Thing, tag: String?, formerTags: [String] = [], base: Data, listing: Int,
    isLost: Bool = false
  ) {
    self.name = name
    self.thing = thing
    self.tag = tag
    self.formerTags = formerTags
    self.base = base
    self.listing = listing
    self.isLost = isLost
  }
}

/// A record that was deleted, as long as that is remembered.
public struct DeletedRecord: Hashable, Sendable {
  /// As the server had it, to the letter.
  public let name: String
  public let thing: Thing
  /// The change tags of the versions that the deletion had seen.
  public let tags: [String]

  /// How long a deletion is remembered, in milliseconds: 90 days.
  public static let lifetime: Int64 = 90 * 86_400_000

  public init(name: String, thing: Thing, tags: [String]) {
    self.name = name
    self.thing = thing
    self.tags = tags
  }
}

/// A change that waits to be sent.
public struct PendingChange: Hashable, Sendable {
  public let thing: Thing
  /// Whether the thing was deleted; else it is to be saved as it is when it is sent.
  public let isDeletion: Bool
  /// Raised by every change of the thing.
  public let generation: Int
  /// Milliseconds since 1970, UTC.
  public let changedAt: Int64
  /// How often it was tried.
  public var attempts: Int
  /// How long it is not tried again.
  public var wait: Wait?
  /// The fields of the last attempt whose outcome is not known.
  public var sent: Data?
  /// Why it is not tried any more until the thing changes.
  public var parked: SyncProblem?
  /// Why it failed the last time.
  public var lastError: SyncProblem?
  /// Whether it waited already when an earlier state of the library was put back.
  public let isRestored: Bool
}

/// A record on the server that this device cannot read as what it says it is.
public struct UnreadRecord: Hashable, Sendable {
  public let name: String
  public let type: String
  public let problem: String

  public init(name: String, type: String, problem: String) {
    self.name = name
    self.type = type
    self.problem = problem
  }
}

extension Thing {
  /// The thing that two columns of the outbox name; nil where they name none.
  init?(kind: String, key: String) {
    switch kind {
    case "favorite":
      guard let ayah = AyahID(key) else { return nil }
      self = .favorite(ayah)
    case "note":
      guard let id = UUID(uuidString: key) else { return nil }
      self = .note(id)
    case "progress":
      guard let surah = Int(key).flatMap({ SurahNumber($0) }) else { return nil }
      self = .progress(surah)
    case "setting":
      self = .setting(key)
    default:
      return nil
    }
  }
}

/// What waits in the outbox to be sent.
public struct OutboxSummary: Hashable, Sendable {
  /// Those apart that were parked.
  public var count = 0
  /// How many of them are no progress of reading.
  public var otherThanProgress = 0
  /// Another number whenever one more thing was changed.
  public var generations = 0
  /// When the first of them may be sent, in milliseconds since 1970; 0 for at once.
  public var notBefore: Int64 = 0
  /// How many are not tried any more.
  public var parked = 0
  /// Why one that waits was not taken the last time.
  public var lastError: SyncProblem?

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
