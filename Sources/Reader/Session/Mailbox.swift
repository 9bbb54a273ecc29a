import Editions
import Library
import Sync
import Synchronization

/// Where other threads leave things for the one with the screen.
final class Mailbox: Sendable {
  enum Item: Sendable {
    case index(SearchIndex)
    case dump(String)
    case file(FileAnswer)
    case reply(LibraryReply)
    case sync(SyncStatus)
  }

  private let items = Mutex<[Item]>([])

  func post(_ item: Item) { items.withLock { $0.append(item) } }

  /// What was left since the last time, in order.
  func take() -> [Item] {
    items.withLock { items in
      defer { items = [] }
      return items
    }
  }
}
