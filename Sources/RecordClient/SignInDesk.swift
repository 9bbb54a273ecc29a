import NIOCore
import Synchronization

/// Where a token that was brought meets who waits for it.
final class SignInDesk: Sendable {
  enum Ending: Sendable {
    case token(String)
    case cancelled
    case closed
  }

  private enum State {
    case open(waiting: CheckedContinuation<Ending, Never>?)
    /// A token is there, and its answer is on the way.
    case claimed(waiting: CheckedContinuation<Ending, Never>?)
    /// It was brought before anybody waited.
    case brought(String)
    case over
  }

  private struct Contents {
    var state = State.open(waiting: nil)
    var connections: [ObjectIdentifier: any Channel] = [:]
    /// Where the browser is led first.
    var page: String?
  }

  private let contents = Mutex(Contents())

  // MARK: Connections

  /// - Returns: false when it is over.
  func admit(_ channel: any Channel) -> Bool {
    let isAdmitted = contents.withLock { contents in
      if case .over = contents.state { return false }
      contents.connections[ObjectIdentifier(channel)] = channel
      return true
    }
    channel.closeFuture.whenComplete { _ in
      self.contents.withLock { _ = $0.connections.removeValue(forKey: ObjectIdentifier(channel)) }
    }
    return isAdmitted
  }

  // MARK: The page

  func lead(to page: String) { contents.withLock { $0.page = page } }

  /// Where the browser is to go; only the first is told.
  func takePage() -> String? {
    contents.withLock { contents in
      defer { contents.page = nil }
      return contents.page
    }
  }

  // MARK: Tokens

  /// - Returns: whether the token is the one; only the first is.
  func claim() -> Bool {
    contents.withLock { contents in
      guard case .open(let waiting) = contents.state else { return false }
      contents.state = .claimed(waiting: waiting)
      return true
    }
  }

  /// Hands over the token that was claimed, once the browser has its page.
  func bring(_ token: String) {
    let waiting: CheckedContinuation<Ending, Never>? = contents.withLock { contents in
      guard case .claimed(let waiting) = contents.state else { return nil }
      contents.state = waiting == nil ? .brought(token) : .over
      return waiting
    }
    waiting?.resume(returning: .token(token))
  }

  /// Waits for the token, once.
  func token() async -> Ending {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let ending: Ending? = contents.withLock { contents in
          switch contents.state {
          case .over, .open(.some), .claimed(.some): return .closed
          case .brought(let token):
            contents.state = .over
            return .token(token)
          case _ where Task.isCancelled: return .cancelled
          case .open(nil): contents.state = .open(waiting: continuation)
          case .claimed(nil): contents.state = .claimed(waiting: continuation)
          }
          return nil
        }
        if let ending { continuation.resume(returning: ending) }
      }
    } onCancel: {
      finish(.cancelled)
    }
  }

  /// Ends it, and every connection.
  func end() {
    finish(.closed)
    let connections = contents.withLock { Array($0.connections.values) }
    for channel in connections { channel.close(promise: nil) }
  }

  private func finish(_ ending: Ending) {
    let waiting: CheckedContinuation<Ending, Never>? = contents.withLock { contents in
      defer { contents.state = .over }
      switch contents.state {
      case .open(let waiting), .claimed(let waiting): return waiting
      case .brought, .over: return nil
      }
    }
    waiting?.resume(returning: ending)
  }
}
