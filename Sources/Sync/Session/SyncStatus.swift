public import Library
public import Quran
import RecordClient

/// The status of a library's sync, as the screen shows it.
public struct SyncStatus: Hashable, Sendable {
  /// The activity of sync.
  public enum Phase: Hashable, Sendable {
    /// Nobody is signed in, or the library has no confirmed account.
    case off
    /// No round is running, or one has been running for less than 200 milliseconds.
    case idle
    /// A round has been running for at least 200 milliseconds. The progress is nil if it is
    /// unknown.
    case working(SyncProgress?)
  }

  /// The activity of sync.
  public var phase = Phase.off
  /// The number of rounds that succeeded or failed, and of rounds that the user asked for but that
  /// could not begin. Cancelled rounds do not count.
  public var attempts = 0
  /// Whether another process syncs the library.
  public var isSyncedByOtherProcess = false
  /// The reason why the last round failed, or why the library cannot be opened, read or changed.
  /// Nil if there is no such failure.
  public var failure: SyncFailure?
  /// The reason why no client of the service could be created; nil if there is no problem.
  public var problem: ClientFactory.Problem?
  /// The account of the library; nil if there is none.
  public var account: SyncAccount?
  /// The changes in the outbox, in numbers.
  public var outbox = OutboxSummary()
  /// The parked changes, at most 100.
  public var parked: [Parked] = []
  /// The number of records on the service that cannot be decoded.
  public var unreadableCount = 0

  /// A parked change.
  public struct Parked: Hashable, Sendable {
    /// The thing that was changed.
    public let thing: Thing
    /// The ayah of a note; nil for other things.
    public let ayah: AyahID?
    /// Why the change is parked.
    public let reason: SyncProblem

    /// Creates a parked change from the thing that was changed and the reason.
    public init(_ thing: Thing, at ayah: AyahID? = nil, reason: SyncProblem) {
      self.thing = thing
      self.ayah = ayah
      self.reason = reason
    }
  }

  /// Creates the status of a library that is not connected.
  public init() {}

  /// Returns the parked changes of a library.
  ///
  /// - Parameters:
  ///   - library: The library.
  ///   - limit: The maximum number of changes.
  /// - Throws: The reason why the library cannot be read.
  public static func parked(
    in library: Library, limit: Int = .max
  ) throws(LibraryFailure) -> [Parked] {
    try library.pendingChanges(isParked: true, limit: limit).map {
      change throws(LibraryFailure) in
      var ayah: AyahID?
      if case .note(let id) = change.thing { ayah = try library.note(id)?.ayah }
      return Parked(change.thing, at: ayah, reason: change.parked ?? .unknown)
    }
  }

  /// The time at which the first change may be sent again, in milliseconds since 1970, UTC; nil if
  /// the next round may send it.
  public var waitsUntil: Int64? { outbox.notBefore > 0 ? outbox.notBefore : nil }

  /// Whether the next round may succeed without anybody acting.
  public var isTransient: Bool {
    problem == nil && failure?.isTransient ?? true
  }

  /// Whether the last round failed because libcurl is not installed. Sync tries again, but only the
  /// user can install libcurl.
  public var isCurlMissing: Bool { failure == .call(.unreachable(.curlUnavailable)) }
}
