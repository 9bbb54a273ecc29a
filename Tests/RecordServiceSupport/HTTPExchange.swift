import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix

/// A request to a server on this machine, on a connection of its own, and its response.
struct HTTPExchange {
  let response: HTTPResponseHead
  let body: ByteBuffer

  struct NoResponse: Error {}

  /// Sends a request without a body, or with one whose length is known.
  static func send(
    _ method: HTTPMethod, _ url: String, headers: HTTPHeaders = [:], body: Data? = nil
  ) async throws -> HTTPExchange {
    try await send(
      method, url, headers: headers, bodyLength: body?.count ?? 0,
      parts: AsyncStream { parts in
        if let body { parts.yield(ByteBuffer(bytes: body)) }
        parts.finish()
      })
  }

  /// Sends a request whose body is produced while it is sent.
  ///
  /// - Parameter bodyLength: The number of bytes of all parts.
  static func send(
    _ method: HTTPMethod, _ url: String, headers: HTTPHeaders = [:], bodyLength: Int,
    parts: AsyncStream<ByteBuffer>
  ) async throws -> HTTPExchange {
    guard let url = URLComponents(string: url), let host = url.host, let port = url.port else {
      throw URLError(.badURL)
    }
    var path = url.percentEncodedPath
    if let query = url.percentEncodedQuery { path += "?" + query }
    var head = HTTPRequestHead(version: .http1_1, method: method, uri: path, headers: headers)
    if !headers.contains(name: "Host") { head.headers.add(name: "Host", value: "\(host):\(port)") }
    if method != .GET { head.headers.add(name: "Content-Length", value: "\(bodyLength)") }
    let request = head

    let connection = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .connect(host: host, port: port) { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHTTPClientHandlers()
          return try NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequestPart>(
            wrappingChannelSynchronously: channel)
        }
      }
    return try await connection.executeThenClose { inbound, outbound in
      // The server may respond, and close the connection, before it has read the whole body.
      async let _: Void = {
        try await outbound.write(.head(request))
        for await part in parts { try await outbound.write(.body(.byteBuffer(part))) }
        try await outbound.write(.end(nil))
      }()
      var response: HTTPResponseHead?
      var body = ByteBuffer()
      for try await part in inbound {
        switch part {
        case .head(let head): response = head
        case .body(var part): body.writeBuffer(&part)
        case .end:
          guard let response else { throw NoResponse() }
          return HTTPExchange(response: response, body: body)
        }
      }
      throw NoResponse()
    }
  }
}
