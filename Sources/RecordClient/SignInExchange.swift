import Synchronization

/// The state of a sign-in: passes the token from the browser's request to the waiting task.
final class SignInExchange: Sendable {
  /// The result of waiting for the token.
  enum Ending: Sendable {
    /// The token was received.
    case token(String)
    /// The waiting task was cancelled.
    case cancelled
    /// The sign-in ended without a token.
    case closed
  }

  private enum State {
    /// No token has been received.
    case open(waiting: CheckedContinuation<Ending, Never>?)
    /// A token has been received, and the response to its request is being sent.
    case claimed(waiting: CheckedContinuation<Ending, Never>?)
    /// The token has been received before a task waited for it.
    case delivered(String)
    /// The token has been passed on, or the sign-in has ended without one.
    case finished
  }

  private struct Contents {
    var state = State.open(waiting: nil)
    /// The URL of the sign-in page, until the browser has been redirected to it.
    var page: String?
  }

  private let contents = Mutex(Contents())

  private let path: String
  private let startPath: String
  private let html: String

  /// Creates the state of a sign-in whose token has not arrived.
  ///
  /// - Parameters:
  ///   - path: The path that receives the token.
  ///   - startPath: The path that redirects to the sign-in page.
  ///   - html: The page that the browser shows after the sign-in.
  init(path: String, startPath: String, html: String) {
    self.path = path
    self.startPath = startPath
    self.html = html
  }

  /// Returns the response to a request.
  ///
  /// - Parameter host: The address and port of the server.
  /// - Returns: The response, and the token to pass to `deliver(_:)` after the response has been
  ///   sent.
  func respond(to request: CallbackRequest, host: String) -> (CallbackResponse, token: String?) {
    let parts = request.target.split(
      separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    // The host in the request must be the server's address. Otherwise a web page could access this
    // server under its own host name (DNS rebinding).
    guard request.method == "GET", request.hosts == [host] else { return (.notFound, nil) }
    if parts == [startPath[...]], let page = consumeSignInPage() { return (.seeOther(page), nil) }
    guard parts.first == path[...] else { return (.notFound, nil) }
    let query = parts.count > 1 ? parts[1].split(separator: "&") : []
    guard let token = WebAuthToken.value(in: query).flatMap(WebAuthToken.decoded) else {
      return (.badRequest, nil)
    }
    return claimToken() ? (.page(html), token) : (.notFound, nil)
  }

  // MARK: The page

  /// Sets the URL of the sign-in page.
  func setSignInPage(_ page: String) { contents.withLock { $0.page = page } }

  /// Returns the URL of the sign-in page the first time, and nil afterwards.
  private func consumeSignInPage() -> String? {
    contents.withLock { contents in
      defer { contents.page = nil }
      return contents.page
    }
  }

  // MARK: Tokens

  /// Accepts the token of a request.
  ///
  /// - Returns: Whether it is accepted: it is the first token, and the sign-in has not ended.
  private func claimToken() -> Bool {
    contents.withLock { contents in
      guard case .open(let waiting) = contents.state else { return false }
      contents.state = .claimed(waiting: waiting)
      return true
    }
  }

  /// Passes the accepted token to the waiting task.
  func deliver(_ token: String) {
    let waiting: CheckedContinuation<Ending, Never>? = contents.withLock { contents in
      guard case .claimed(let waiting) = contents.state else { return nil }
      contents.state = waiting == nil ? .delivered(token) : .finished
      return waiting
    }
    waiting?.resume(returning: .token(token))
  }

  /// Waits for the token. This can be called only once.
  func token() async -> Ending {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let ending: Ending? = contents.withLock { contents in
          switch contents.state {
          // If the task was cancelled before this call, the handler below has run already.
          case .finished where Task.isCancelled: return .cancelled
          case .finished, .open(.some), .claimed(.some): return .closed
          case .delivered(let token):
            contents.state = .finished
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

  /// Ends the sign-in. The waiting task receives `.closed`.
  func end() { finish(.closed) }

  private func finish(_ ending: Ending) {
    let waiting: CheckedContinuation<Ending, Never>? = contents.withLock { contents in
      defer { contents.state = .finished }
      switch contents.state {
      case .open(let waiting), .claimed(let waiting): return waiting
      case .delivered, .finished: return nil
      }
    }
    waiting?.resume(returning: ending)
  }
}
