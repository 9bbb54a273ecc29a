import AsyncHTTPClient
import CloudRecords
import FoundationEssentials
import NIOCore
import NIOHTTP1
import NIOSSL
import Synchronization

/// Sends requests and reads answers, whatever they say.
///
/// HTTP/1.1, no redirects, no cookies, no compression, and no second try: whoever calls decides.
final class Transport: Sendable {
  struct Request: Sendable {
    var method: HTTPMethod
    /// It may have tokens in it.
    var url: String
    /// JSON.
    var body: Data?
    /// Sent as `Record-Service-Witness`; nil for none.
    var witness: String?
    var proxy: ProxyServer?
  }

  struct Answer: Sendable {
    var status: Int
    /// Without its parameters; empty where there is none.
    var contentType: String
    /// Seconds.
    var retryAfter: Double?
    var history: HistoryReport?
    var serviceID: String?
    var body: Data
  }

  private struct Clients {
    /// By the proxy that they use.
    var made: [ProxyServer?: HTTPClient] = [:]
    var isShutDown = false
  }

  private let options: ClientOptions
  private let clients = Mutex(Clients())

  init(_ options: ClientOptions) {
    self.options = options
  }

  deinit {
    // A client that is let go of without this leaks its connections.
    for client in clients.withLock({ $0.made.values }) { client.shutdown { _ in } }
  }

  func shutdown() async {
    let made = clients.withLock { clients in
      clients.isShutDown = true
      defer { clients.made = [:] }
      return Array(clients.made.values)
    }
    for client in made { try? await client.shutdown() }
  }

  /// - Parameter onHead: runs when the head of the answer is there, before its body is read.
  func send(
    _ request: Request, onHead: (HTTPHeaders) async -> Void
  ) async throws(CallFailure) -> Answer {
    let response: HTTPClientResponse
    do {
      // The deadline is ours: the client's would end with the head of the answer.
      response = try await client(for: request.proxy).execute(
        prepared(request), deadline: .distantFuture)
    } catch {
      throw CallFailure(beforeAnswer: error)
    }
    await onHead(response.headers)
    let status = Int(response.status.code)
    guard !(300..<400).contains(status) else {
      throw .unexpectedAnswer(status: status, "redirects are not followed")
    }
    return Answer(
      status: status,
      contentType: Self.contentType(response.headers),
      retryAfter: Self.retryAfter(response.headers),
      history: response.headers.first(name: HistoryReport.header)
        .flatMap(HistoryReport.init(header:)),
      serviceID: response.headers.first(name: HistoryReport.serviceHeader)
        .flatMap { HistoryReport.isTag($0) ? $0 : nil },
      body: try await body(of: response))
  }

  /// The body, as far as it is not too large: then no more of it is read.
  private func body(of response: HTTPClientResponse) async throws(CallFailure) -> Data {
    let tooLarge = CallFailure.unexpectedAnswer(
      status: Int(response.status.code), "the body has more than \(options.answerBytes) bytes")
    if let length = response.headers.first(name: "content-length").flatMap({ Int($0) }),
      length > options.answerBytes
    {
      throw tooLarge
    }
    var data = Data()
    do {
      for try await part in response.body {
        guard part.readableBytes <= options.answerBytes - data.count else { throw tooLarge }
        data.append(contentsOf: part.readableBytesView)
      }
    } catch let failure as CallFailure {
      throw failure
    } catch {
      throw CallFailure(duringAnswer: error)
    }
    return data
  }

  private func prepared(_ request: Request) -> HTTPClientRequest {
    var prepared = HTTPClientRequest(url: request.url)
    prepared.method = request.method
    prepared.headers.add(name: "accept", value: "application/json")
    prepared.headers.add(name: "user-agent", value: options.userAgent)
    if let witness = request.witness {
      prepared.headers.add(name: HistoryReport.witnessHeader, value: witness)
    }
    if let body = request.body {
      prepared.headers.add(name: "content-type", value: "application/json")
      prepared.body = .bytes(ByteBuffer(bytes: body))
    }
    return prepared
  }

  /// - Throws: what the client itself throws after its end.
  private func client(for proxy: ProxyServer?) throws -> HTTPClient {
    try clients.withLock { clients in
      guard !clients.isShutDown else { throw HTTPClientError.alreadyShutdown }
      if let client = clients.made[proxy] { return client }
      let client = HTTPClient(configuration: configuration(proxy))
      clients.made[proxy] = client
      return client
    }
  }

  private func configuration(_ proxy: ProxyServer?) -> HTTPClient.Configuration {
    var tls = TLSConfiguration.makeClientConfiguration()
    if let authorities = options.authorities {
      tls.trustRoots = .certificates(authorities.certificates)
    }
    var configuration = HTTPClient.Configuration(
      tlsConfiguration: tls, redirectConfiguration: .disallow,
      timeout: .init(connect: TimeAmount(options.connectTimeout)),
      proxy: proxy?.configuration)
    // One request at a time gains nothing from HTTP/2.
    configuration.httpVersion = .http1Only
    // A server that ends an idle connection just as it is used again costs an answer.
    configuration.connectionPool.idleTimeout = .seconds(20)
    // The engine's back-off is the one that waits, and knows what is waited for.
    configuration.connectionPool.retryConnectionEstablishment = false
    // A trace would have the whole URL in it.
    configuration.tracing.tracer = nil
    return configuration
  }

  private static func contentType(_ headers: HTTPHeaders) -> String {
    let value = headers.first(name: "content-type") ?? ""
    // As it is told to people, it is to be short and harmless.
    let type = value.prefix { $0 != ";" }.utf8.filter(ASCII.isGraphic).prefix(60)
    return String(decoding: Array(type), as: UTF8.self)
  }

  /// A date is not read: it would need both clocks to be right.
  private static func retryAfter(_ headers: HTTPHeaders) -> Double? {
    guard let text = headers.first(name: "retry-after"), !text.isEmpty, text.utf8.count <= 9,
      text.utf8.allSatisfy(ASCII.isDigit)
    else { return nil }
    return Double(text)
  }
}
