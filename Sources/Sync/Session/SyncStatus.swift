public import Library
public import Quran
import RecordClient

/// How it stands with a library and its service, for people.
public struct SyncStatus: Hashable, Sendable {
  public enum Phase: Hashable, Sendable {
    /// Nobody is connected, or is signed out.
    case off
    case idle
    /// A round takes longer than a moment.
    case working(SyncProgress?)
  }

  public var phase = Phase.off
  /// How often it was tried to make the two agree: each time a round was over that nobody
  /// stopped, or could not begin.
  public var attempts = 0
  /// Whether another process syncs the library.
  public var isElsewhere = false
  /// Why the last round did not do what it had to.
  public var failure: SyncFailure?
  /// What is wrong with the connection itself.
  public var problem: Connection.Problem?
  public var account: SyncAccount?
  public var outbox = OutboxSummary()
  /// What is not sent any more, the first of it.
  public var parked: [Parked] = []
  /// How many records on the server cannot be read.
  public var unreadCount = 0

  public struct Parked: Hashable, Sendable {
    public let thing: Thing
    /// The ayah of a note.
    public let ayah: AyahID?
    public let reason: SyncProblem

    public init(_ thing: Thing, at ayah: AyahID? = nil, reason: SyncProblem) {
      self.thing = thing
      self.ayah = ayah
      self.reason = reason
    }
  }

  public init() {}

  /// What is not sent any more.
  ///
  /// - Parameter limit: the most there are to be.
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

  /// When the first of what waits is tried again, for people; nil for with the next round.
  public var waitsUntil: String? {
    outbox.notBefore > 0 ? LocalTime(outbox.notBefore).timeOfDay : nil
  }

  /// Whether it goes on by itself.
  public var isTransient: Bool {
    failure.map(\.isTransient) ?? (problem == nil)
  }
}
