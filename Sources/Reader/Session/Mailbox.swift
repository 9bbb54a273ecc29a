import Editions
import Library
import Sync
import Synchronization

/// Messages of other threads for the thread that owns the screen.
final class Mailbox: Sendable {
  enum Item: Sendable {
    case index(SearchIndex, of: Edition.Info)
    case noteIndex(NoteIndex)
    /// The dump of the older app that was searched for; nil if there is none.
    case dump(String?)
    case file(FileAnswer)
    case reply(LibraryReply)
    case sync(SyncStatus)
    case text(TextAnswer)
    /// A download of texts has ended.
    case downloadEnded
  }

  private let items = Mutex<[Item]>([])

  func post(_ item: Item) { items.withLock { $0.append(item) } }

  /// Returns and removes all messages, in order.
  func removeAll() -> [Item] {
    items.withLock { items in
      defer { items = [] }
      return items
    }
  }
}
