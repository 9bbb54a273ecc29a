public import Library
import Synchronization

/// The library of a `PlainReader`. Its notifications are queued until the reader asks for them.
public final class PlainLibrary: Sendable {
  public let owner: LibraryOwner
  private let replies: ReplyQueue

  private final class ReplyQueue: Sendable {
    let replies = Mutex<[LibraryReply]>([])
  }

  /// Opens the library and waits until it is open.
  ///
  /// - Parameters:
  ///   - path: The path of the library, or nil if there is no directory for it.
  ///   - now: Returns the time in milliseconds since 1970, UTC.
  ///   - onDelay: Called if the library is not open after a second: another process uses it.
  public init(
    path: String?, now: @escaping @Sendable () -> Int64, onDelay: () -> Void = {}
  ) {
    let replies = ReplyQueue()
    self.replies = replies
    owner = LibraryOwner(path: path, now: now) { reply in
      replies.replies.withLock { $0.append(reply) }
    }
    if !owner.drain(milliseconds: 1000) { onDelay() }
    owner.drain()
  }

  /// Returns the notifications since the last call, in order.
  func dequeueReplies() -> [LibraryReply] {
    replies.replies.withLock { replies in
      defer { replies = [] }
      return replies
    }
  }
}
