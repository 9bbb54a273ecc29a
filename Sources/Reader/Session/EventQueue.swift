import Dispatch
import Editions
import Library
import Sync
import Synchronization
import Terminal

/// A queue of events that other threads post to the thread that draws the screen. Each event wakes
/// that thread.
final class EventQueue: Sendable {
  /// What another thread reports: a reply to a request, a result, a new status. Keys and other
  /// input are `Event`s of the terminal.
  enum BackgroundEvent: Sendable {
    case index(SearchIndex, of: Edition.Info)
    case noteIndex(Result<NoteIndex, LibraryFailure>)
    /// The path of a preferences dump of the older app; nil if none was found.
    case dumpPath(String?)
    case file(FileReply)
    case reply(LibraryReply)
    case sync(SyncStatus)
    case text(EditionReply)
    /// A download of texts has ended.
    case downloadEnded
  }

  private let events = Mutex<[BackgroundEvent]>([])
  private let posted = DispatchSemaphore(value: 0)
  private let wake: @Sendable () -> Void

  /// - Parameter wake: wakes the thread that draws the screen.
  init(wake: @escaping @Sendable () -> Void) { self.wake = wake }

  func post(_ event: BackgroundEvent) {
    events.withLock { $0.append(event) }
    posted.signal()
    wake()
  }

  /// Waits until an event is posted. Each event ends one wait: if it was posted before the call,
  /// the function returns immediately, even if `removeAll` has removed the event.
  ///
  /// - Returns: False if the time has passed.
  func wait(until end: DispatchTime) -> Bool { posted.wait(timeout: end) == .success }

  /// Returns and removes all events, in order.
  func removeAll() -> [BackgroundEvent] {
    events.withLock { events in
      defer { events = [] }
      return events
    }
  }
}
