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
    public let reason: String

    public init(_ thing: Thing, at ayah: AyahID? = nil, reason: String) {
      self.thing = thing
      self.ayah = ayah
      self.reason = reason
    }
  }

  public init() {}

  /// Whether it goes on by itself.
  public var isTransient: Bool {
    failure.map(\.isTransient) ?? (problem == nil)
  }
}
