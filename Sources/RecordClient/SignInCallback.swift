/// Waits on a port of this machine for the browser to bring the token of a sign-in.
///
///     let callback = try await SignInCallback(page: .init(title: …, sentence: …))
///     let page = SignInPage.url(at: address, apiToken: …, way: .callback(callback.callbackURL))
///     open(callback.leading(to: page))
///     let token = try await callback.token()
///
/// Only `127.0.0.1` is listened on, under a path of 128 random bits; everything else gets 404.
/// It closes after one use, after a cancellation, and when time is up.
public final class SignInCallback: Sendable {
  /// What the browser shows in the end: plain text.
  public struct Page: Hashable, Sendable {
    public var title: String
    public var sentence: String
    /// As `vi`, `en`.
    public var language: String?

    public init(title: String, sentence: String, language: String? = nil) {
      self.title = title
      self.sentence = sentence
      self.language = language
    }
  }

  /// Where the browser is to be sent: `http://127.0.0.1:PORT/<128 random bits>`.
  public let callbackURL: String

  /// As `callbackURL`, with bits of its own.
  private let startURL: String
  private let exchange: SignInExchange
  private let server: LoopbackServer
  private let ticker: Ticker

  /// Begins to listen, on a port that the kernel chooses.
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
        requestBytes: Self.maximumBytes, onEnd: { exchange.end() },
        answer: { head, port in
          SignInRequest(head).map { request in
            let (answer, token) = exchange.answer(to: request, host: "127.0.0.1:\(port)")
            // Who waits closes everything: first the browser gets its page.
            return .init(bytes: answer.bytes) { if let token { exchange.bring(token) } }
          }
        })
    } catch {
      throw .cannotListen
    }
    self.exchange = exchange
    self.server = server
    callbackURL = "http://127.0.0.1:\(server.port)\(path)"
    startURL = "http://127.0.0.1:\(server.port)\(startPath)"
    ticker = Ticker(clock)
  }

  deinit {
    // The server ends by itself, when this lets go of it.
    exchange.end()
  }

  /// The most bytes of a request: its head, with a token of the greatest length.
  private static let maximumBytes = 32 << 10

  /// 128 bits as base64url.
  private static func secret(using generator: inout some RandomNumberGenerator) -> String {
    let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
    let bits = UInt128.random(in: .min ... .max, using: &generator)
    // 21 digits of six bits, and one for the two that are left.
    return String((0..<22).map { digits[Int(bits >> ($0 * 6) & 63)] })
  }

  /// A URL that leads to another one, once. A browser is started with that, for everyone on
  /// this machine sees what a program is started with, and the sign-in page's has a token in it.
  /// Only who reads that and asks before the browser does is led there instead.
  public func leading(to url: String) -> String {
    exchange.lead(to: url)
    return startURL
  }

  /// Waits for the token. One may wait, once.
  public func token(timeout: Duration = .seconds(300)) async throws(SignInProblem) -> String {
    let token = await ticker.within(timeout) { [exchange] in await exchange.token() }
    await close()
    switch token {
    case nil: throw .timedOut
    case .token(let token): return token
    case .cancelled: throw .cancelled
    case .closed: throw .closed
    }
  }

  var isListening: Bool { server.isListening }

  /// Ends it; who waits gets `.closed`.
  public func close() async {
    exchange.end()
    await server.close()
  }
}
