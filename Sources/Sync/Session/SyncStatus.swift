public import Library
public import Quran
import RecordClient

/// The status of a library's sync, for the screen.
public struct SyncStatus: Hashable, Sendable {
  /// The activity of sync.
  public enum Phase: Hashable, Sendable {
    /// Nobody is signed in.
    case off
    /// No round is running, or only for a moment.
    case idle
    /// A round takes longer than a moment. The progress is nil if it is unknown.
    case working(SyncProgress?)
  }

  /// The activity of sync.
  public var phase = Phase.off
  /// The number of rounds that ended without being cancelled, or that could not begin.
  public var attempts = 0
  /// Whether another process syncs the library.
  public var isSyncedByOtherProcess = false
  /// Why the last round failed; nil if it succeeded.
  public var failure: SyncFailure?
  /// Why there is no connection; nil if there is one.
  public var problem: ClientFactory.Problem?
  /// The account of the library; nil if there is none.
  public var account: SyncAccount?
  /// The changes in the outbox, in numbers.
  public var outbox = OutboxSummary()
  /// The first of the parked changes.
  public var parked: [Parked] = []
  /// The number of records on the service that cannot be decoded.
  public var unreadCount = 0

  /// A parked change.
  public struct Parked: Hashable, Sendable {
    /// The thing that was changed.
    public let thing: Thing
    /// The ayah of a note; nil for other things.
    public let ayah: AyahID?
    /// Why the change is parked.
    public let reason: SyncProblem

    /// Creates a value from its properties.
    public init(_ thing: Thing, at ayah: AyahID? = nil, reason: SyncProblem) {
      self.thing = thing
      self.ayah = ayah
      self.reason = reason
    }
  }

  /// The status of a library that is not connected.
  public init() {}

  /// Reads the parked changes of a library.
  ///
  /// - Parameters:
  ///   - library: The library.
  ///   - limit: The maximum number of changes.
  /// - Throws: Why the library cannot be read.
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

  /// The local time at which the first change is sent again; nil if that is the next round.
  public var waitsUntil: String? {
    outbox.notBefore > 0 ? LocalTime(outbox.notBefore).timeOfDay : nil
  }

  /// Whether the next round may succeed without anybody acting.
  public var isTransient: Bool {
    failure.map(\.isTransient) ?? (problem == nil)
  }

  /// Whether libcurl is not installed. Sync tries again, but only the user can change that.
  public var isCurlMissing: Bool { failure == .call(.unreachable(.curlUnavailable)) }
}
