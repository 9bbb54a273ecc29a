import Synchronization

/// Where a token that was brought meets who waits for it.
final class SignInExchange: Sendable {
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
    /// Where the browser is led first.
    var page: String?
  }

  private let contents = Mutex(Contents())

  private let path: String
  private let startPath: String
  private let html: String

  /// - Parameters:
  ///   - path: where the token is brought.
  ///   - startPath: from where the browser is led to the sign-in page.
  ///   - html: the page at the end.
  init(path: String, startPath: String, html: String) {
    self.path = path
    self.startPath = startPath
    self.html = html
  }

  /// - Parameter host: the address that is listened on.
  /// - Returns: what is answered, and a token to `bring` once that was sent.
  func answer(to request: SignInRequest, host: String) -> (SignInAnswer, token: String?) {
    let parts = request.target.split(
      separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    // The name in the request must be the address: else a page of the web could have pointed a
    // name of its own here.
    guard request.method == "GET", request.hosts == [host] else { return (.notFound, nil) }
    if parts == [startPath[...]], let page = takePage() { return (.seeOther(page), nil) }
    guard parts.first == path[...] else { return (.notFound, nil) }
    let query = parts.count > 1 ? parts[1].split(separator: "&") : []
    guard let token = WebAuthToken.value(in: query).flatMap(WebAuthToken.decoded) else {
      return (.badRequest, nil)
    }
    return claim() ? (.page(html), token) : (.notFound, nil)
  }

  // MARK: The page

  func lead(to page: String) { contents.withLock { $0.page = page } }

  /// Where the browser is to go; only the first is told.
  private func takePage() -> String? {
    contents.withLock { contents in
      defer { contents.page = nil }
      return contents.page
    }
  }

  // MARK: Tokens

  /// - Returns: whether the token is the one; only the first is.
  private func claim() -> Bool {
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

  /// Ends it; who waits gets `.closed`.
  func end() { finish(.closed) }

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
