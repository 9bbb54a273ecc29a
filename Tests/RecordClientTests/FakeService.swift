import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Synchronization

/// A local server that responds as a test specifies, and records the requests verbatim.
///
///     try await FakeService.run(.answering { request in .json("{}") }) { service in … }
final class FakeService: Sendable {
  struct Request: Sendable {
    /// The zero-based number in the order of arrival.
    var index: Int
    var method: String
    /// The path and query, not decoded.
    var target: String
    var headers: HTTPHeaders
    var body: String

    var path: String { String(target.prefix { $0 != "?" }) }

    /// Returns the value of a query parameter, not decoded.
    func parameter(_ name: String) -> String? {
      let query = target.drop { $0 != "?" }.dropFirst()
      let piece = query.split(separator: "&").first { $0.hasPrefix("\(name)=") }
      return piece.map { String($0.dropFirst(name.count + 1)) }
    }
  }

  enum Reply: Sendable {
    case answer(status: Int, headers: HTTPHeaders, body: String)
    /// A body that is marked as compressed.
    case gzip([UInt8])
    /// A head with a content length, a shorter body, and the end of the connection.
    case cut(promised: Int, body: String)
    /// Endless chunks of 64 KB.
    case endless
    /// A head without a body, on a connection that stays open.
    case onlyHead(HTTPHeaders)
    /// No response, on a connection that stays open.
    case silence
    /// The end of the connection.
    case hangUp
    /// The bytes, and the end of the connection.
    case raw(String)

    static func json(_ body: String, status: Int = 200, _ headers: HTTPHeaders = [:]) -> Reply {
      var headers = headers
      headers.add(name: "Content-Type", value: "application/json; charset=UTF-8")
      return .answer(status: status, headers: headers, body: body)
    }

    /// A response with a new token.
    static func token(_ token: String, _ body: String = "{}") -> Reply {
      .json(body, ["X-Apple-CloudKit-Web-Auth-Token": token])
    }
  }

  /// The responses.
  struct Script: Sendable {
    fileprivate let reply: @Sendable (Request) async -> Reply

    static func answering(_ reply: @escaping @Sendable (Request) async -> Reply) -> Script {
      Script(reply: reply)
    }
  }

  private struct State {
    var requests: [Request] = []
    var busy = 0
    var busiest = 0
    var connections: [ObjectIdentifier: any Channel] = [:]
  }

  let port: Int
  let isTLS: Bool
  /// The requests in the order of their arrival.
  let arrivals: AsyncStream<Request>

  private let listener: any Channel
  private let arrived: AsyncStream<Request>.Continuation
  private let state: Box

  private final class Box: Sendable {
    let contents = Mutex(State())
  }

  var origin: String { "\(isTLS ? "https" : "http")://127.0.0.1:\(port)" }
  var requests: [Request] { state.contents.withLock { $0.requests } }
  /// The maximum number of simultaneous requests.
  var busiest: Int { state.contents.withLock { $0.busiest } }

  static func run(
    _ script: Script, tls: TLSConfiguration? = nil,
    _ body: (FakeService) async throws -> Void
  ) async throws {
    let service = try await FakeService(script, tls: tls)
    do {
      try await body(service)
    } catch {
      await service.close()
      throw error
    }
    await service.close()
  }

  private init(_ script: Script, tls: TLSConfiguration?) async throws {
    let state = Box()
    let (arrivals, arrived) = AsyncStream<Request>.makeStream()
    let context = try tls.map { try NIOSSLContext(configuration: $0) }
    listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelInitializer { channel in
        state.contents.withLock { $0.connections[ObjectIdentifier(channel)] = channel }
        return channel.eventLoop.makeCompletedFuture {
          let pipeline = channel.pipeline.syncOperations
          if let context { try pipeline.addHandler(NIOSSLServerHandler(context: context)) }
          try pipeline.addHandler(Passage())
          try pipeline.configureHTTPServerPipeline(withPipeliningAssistance: false)
          try pipeline.addHandler(
            Handler { request in
              let request = state.contents.withLock { state in
                var request = request
                request.index = state.requests.count
                state.requests.append(request)
                state.busy += 1
                state.busiest = max(state.busiest, state.busy)
                return request
              }
              arrived.yield(request)
              Task {
                let reply = await script.reply(request)
                state.contents.withLock { $0.busy -= 1 }
                try? await Self.write(reply, to: channel)
              }
            })
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    port = listener.localAddress!.port!
    isTLS = tls != nil
    self.state = state
    self.arrivals = arrivals
    self.arrived = arrived
  }

  private func close() async {
    try? await listener.close()
    let connections = state.contents.withLock { Array($0.connections.values) }
    for connection in connections { try? await connection.close() }
    arrived.finish()
  }

  /// Waits for a request.
  func arrival() async -> Request? {
    for await request in arrivals { return request }
    return nil
  }

  private static func write(_ reply: Reply, to channel: any Channel) async throws {
    func head(_ status: Int, _ headers: HTTPHeaders) -> HTTPServerResponsePart {
      .head(
        HTTPResponseHead(
          version: .http1_1, status: HTTPResponseStatus(statusCode: status), headers: headers))
    }
    func part(_ text: String) -> HTTPServerResponsePart {
      .body(.byteBuffer(ByteBuffer(string: text)))
    }
    switch reply {
    case .gzip(let bytes):
      let headers: HTTPHeaders = ["Content-Encoding": "gzip", "Content-Length": "\(bytes.count)"]
      channel.write(head(200, headers), promise: nil)
      channel.write(
        HTTPServerResponsePart.body(.byteBuffer(ByteBuffer(bytes: bytes))), promise: nil)
      try await channel.writeAndFlush(HTTPServerResponsePart.end(nil))
    case .answer(let status, var headers, let body):
      headers.add(name: "Content-Length", value: String(body.utf8.count))
      channel.write(head(status, headers), promise: nil)
      channel.write(part(body), promise: nil)
      try await channel.writeAndFlush(HTTPServerResponsePart.end(nil))
    case .cut(let promised, let body):
      channel.write(head(200, ["Content-Length": String(promised)]), promise: nil)
      try await channel.writeAndFlush(part(body))
      try await channel.close()
    case .endless:
      channel.write(head(200, ["Transfer-Encoding": "chunked"]), promise: nil)
      let chunk = String(repeating: " ", count: 1 << 16)
      while true { try await channel.writeAndFlush(part(chunk)) }
    case .onlyHead(var headers):
      headers.add(name: "Content-Length", value: "10")
      try await channel.writeAndFlush(head(200, headers))
    case .silence: return
    case .hangUp: try await channel.close()
    case .raw(let text):
      try await channel.eventLoop.submit {
        let passage = try channel.pipeline.syncOperations.context(handlerType: Passage.self)
        passage.writeAndFlush(NIOAny(ByteBuffer(string: text)), promise: nil)
        passage.close(promise: nil)
      }.get()
    }
  }

  /// A channel handler next to the socket: its output is written unchanged.
  private final class Passage: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer
  }

  /// A channel handler that collects requests.
  private final class Handler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart

    private let onRequest: (Request) -> Void
    private var request: Request?

    init(onRequest: @escaping (Request) -> Void) {
      self.onRequest = onRequest
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      switch unwrapInboundIn(data) {
      case .head(let head):
        request = Request(
          index: 0, method: head.method.rawValue, target: head.uri, headers: head.headers, body: "")
      case .body(let part): request?.body += String(buffer: part)
      case .end:
        if let request { onRequest(request) }
        request = nil
      }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
      context.close(promise: nil)
    }
  }
}
