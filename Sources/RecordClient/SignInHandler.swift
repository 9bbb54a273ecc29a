import NIOCore
import NIOHTTP1

/// Answers one request of a connection.
final class SignInHandler: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  private let path: String
  private let startPath: String
  private let html: String
  private let desk: SignInDesk
  private var isAnswered = false

  init(path: String, startPath: String, html: String, desk: SignInDesk) {
    self.path = path
    self.startPath = startPath
    self.html = html
    self.desk = desk
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .head(let head) = unwrapInboundIn(data), !isAnswered else { return }
    isAnswered = true
    // The name in the request must be the address: else a page of the web could have pointed a
    // name of its own here.
    let host = context.localAddress?.port.map { "127.0.0.1:\($0)" }
    let parts = head.uri.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let isOurs = head.method == .GET && head.headers["host"] == [host]
    if isOurs, parts == [startPath[...]], let page = desk.takePage() {
      answer(.seeOther, "", context, location: page)
      return
    }
    guard isOurs, parts.first == path[...] else {
      answer(.notFound, "", context)
      return
    }
    let query = parts.count > 1 ? parts[1].split(separator: "&") : []
    guard let token = WebAuthToken.value(in: query).flatMap(WebAuthToken.decoded) else {
      answer(.badRequest, "", context)
      return
    }
    guard desk.claim() else {
      answer(.notFound, "", context)
      return
    }
    // Who waits closes everything: first the browser gets its page.
    answer(.ok, html, context).whenComplete { [desk] _ in desk.bring(token) }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }

  @discardableResult private func answer(
    _ status: HTTPResponseStatus, _ body: String, _ context: ChannelHandlerContext,
    location: String? = nil
  ) -> EventLoopFuture<Void> {
    var headers: HTTPHeaders = [
      "Content-Type": body.isEmpty ? "text/plain; charset=utf-8" : "text/html; charset=utf-8",
      "Content-Length": String(body.utf8.count),
      "Cache-Control": "no-store",
      "Referrer-Policy": "no-referrer",
      "Content-Security-Policy": "default-src 'none'",
      "X-Content-Type-Options": "nosniff",
      "Connection": "close",
    ]
    if let location { headers.add(name: "Location", value: location) }
    let head = HTTPResponseHead(version: .http1_1, status: status, headers: headers)
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    if !body.isEmpty {
      context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: body)))), promise: nil)
    }
    let sent = context.writeAndFlush(wrapOutboundOut(.end(nil)))
    let channel = context.channel
    sent.whenComplete { _ in channel.close(promise: nil) }
    return sent
  }
}
