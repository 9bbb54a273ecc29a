/// A local HTTP server that receives the token of a sign-in from the browser.
///
///     let callback = try await SignInCallback(page: .init(title: …, sentence: …))
///     let page = WebSignIn.url(
///       at: address, apiToken: …, delivery: .callback(callback.callbackURL))
///     open(callback.redirectURL(to: page))
///     let token = try await callback.token()
///
/// It listens only on `127.0.0.1`, and accepts the token only at a path with 128 random bits. Other
/// paths receive 404, except that of `redirectURL(to:)`, which redirects once. The server closes
/// after it has received a token, when the waiting task is cancelled, and after the timeout.
public final class SignInCallback: Sendable {
  /// The page that the browser shows after the sign-in, as plain text.
  public struct Page: Hashable, Sendable {
    /// The title and heading.
    public var title: String
    /// The text below the heading.
    public var sentence: String
    /// The language as a BCP 47 tag: `vi`, `en`.
    public var language: String?

    /// Creates a page. Without a language, the page does not state its language.
    public init(title: String, sentence: String, language: String? = nil) {
      self.title = title
      self.sentence = sentence
      self.language = language
    }
  }

  /// The URL to which the sign-in page redirects the browser: `http://127.0.0.1:PORT/<random>`.
  public let callbackURL: String

  /// The URL that redirects to the sign-in page, with a random path of its own.
  private let startURL: String
  private let exchange: SignInExchange
  private let server: LoopbackServer
  private let clock: AnyClock

  /// Starts to listen, on a port that the kernel chooses.
  ///
  /// - Parameters:
  ///   - page: The page that the browser shows after the sign-in.
  ///   - clock: The clock of the timeout.
  /// - Throws: `.cannotListen`.
  public init(
    page: Page, clock: any Clock<Duration> = ContinuousClock()
  ) async throws(SignInProblem) {
    var generator = SystemRandomNumberGenerator()
    let path = "/" + Self.secret(using: &generator)
    let startPath = "/" + Self.secret(using: &generator)
    let exchange = SignInExchange(path: path, startPath: startPath, html: SignInHTML.page(page))
    let server: LoopbackServer
    do {
      server = try await LoopbackServer(
        maximumHeadBytes: Self.maximumBytes, onEnd: { exchange.end() },
        respond: { head, port in
          CallbackRequest(head).map { request in
            let (response, token) = exchange.respond(to: request, host: "127.0.0.1:\(port)")
            // The waiting task closes the server, so the browser must receive its page first.
            return .init(bytes: response.bytes) { if let token { exchange.deliver(token) } }
          }
        })
    } catch {
      throw .cannotListen
    }
    self.exchange = exchange
    self.server = server
    callbackURL = "http://127.0.0.1:\(server.port)\(path)"
    startURL = "http://127.0.0.1:\(server.port)\(startPath)"
    self.clock = AnyClock(clock)
  }

  deinit {
    // `server` closes itself when it is deallocated.
    exchange.end()
  }

  /// The maximum size of a request in bytes, which is enough for a token of the maximum length.
  private static let maximumBytes = 32 << 10

  /// Returns 128 random bits in base64url.
  private static func secret(using generator: inout some RandomNumberGenerator) -> String {
    let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
    let bits = UInt128.random(in: .min ... .max, using: &generator)
    // 21 digits of six bits, and one digit for the remaining two bits.
    return String((0..<22).map { digits[Int(bits >> ($0 * 6) & 63)] })
  }

  /// Returns a URL that redirects to another URL, once.
  ///
  /// The browser is started with this URL, because all users of the machine can see the arguments
  /// of a process and the URL of the sign-in page contains a token. Another process can only learn
  /// the URL of the page if it requests this URL before the browser does.
  public func redirectURL(to url: String) -> String {
    exchange.setSignInPage(url)
    return startURL
  }

  /// Waits for the token. This can be called only once.
  ///
  /// - Throws: `.timedOut`, `.cancelled` or `.closed`.
  public func token(timeout: Duration = .seconds(300)) async throws(SignInProblem) -> String {
    let (token, isTimedOut) = await clock.within(timeout) { [exchange] in await exchange.token() }
    await close()
    switch token {
    case .token(let token): return token
    case .cancelled: throw isTimedOut ? .timedOut : .cancelled
    case .closed: throw .closed
    }
  }

  var isListening: Bool { server.isListening }

  /// Ends the server. A waiting call of `token(timeout:)` throws `.closed`.
  public func close() async {
    exchange.end()
    await server.close()
  }
}
