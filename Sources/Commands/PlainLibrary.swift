public import Library
import Synchronization

/// The library of a `PlainReader`: what becomes of it by itself waits until the reader asks.
public final class PlainLibrary: Sendable {
  public let owner: LibraryOwner
  private let replies: ReplyQueue

  private final class ReplyQueue: Sendable {
    let replies = Mutex<[LibraryReply]>([])
  }

  /// Opens the library, and waits for that.
  ///
  /// - Parameters:
  ///   - path: nil where there is no place for one.
  ///   - now: milliseconds since 1970, UTC.
  public init(
    path: String?, now: @escaping @Sendable () -> Int64
  ) {
    let replies = ReplyQueue()
    self.replies = replies
    owner = LibraryOwner(path: path, now: now) { reply in
      replies.replies.withLock { $0.append(reply) }
    }
    owner.drain()
  }

  /// What happened since the last time, in order.
  func takeReplies() -> [LibraryReply] {
    replies.replies.withLock { replies in
      defer { replies = [] }
      return replies
    }
  }
}
