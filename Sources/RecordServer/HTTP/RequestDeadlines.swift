import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

/// The rest of a request did not come in time.
struct SlowRequest: Error {}

/// Ends connections whose requests do not come to an end: whoever sends a byte a second shall
/// not hold one for ever. While an answer is waited for, as by a long poll, no time runs. Ends
/// those, too, whose answer says that it is their last; and tells when the other end has gone,
/// which an answer that is waited for would not notice.
final class RequestDeadlines: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  private let head: TimeAmount
  private let body: TimeAmount
  private let onGone: @Sendable (ObjectIdentifier) -> Void
  /// How long a connection has to take the error that it was too slow.
  private static let farewell = TimeAmount.seconds(5)

  private var timer: Scheduled<Void>?
  private var isReadingBody = false
  private var isAnswering = false
  private var isLast = false

  /// - Parameter onGone: gets the channel that will send no more.
  init(
    head: TimeAmount, body: TimeAmount, onGone: @escaping @Sendable (ObjectIdentifier) -> Void
  ) {
    self.head = head
    self.body = body
    self.onGone = onGone
  }

  func handlerAdded(context: ChannelHandlerContext) {
    // Most requests are short, and the buffer for them stays as long as the connection.
    try? context.channel.syncOptions?.setOption(
      .recvAllocator,
      value: AdaptiveRecvByteBufferAllocator(minimum: 64, initial: 512, maximum: 65_536))
    let pipeline = context.pipeline.syncOperations
    if let codec = try? pipeline.handler(type: HTTP1ToHTTPServerCodec.self) {
      try? pipeline.addHandler(ConnectionWish(), position: .before(codec))
    }
    if context.channel.isActive { awaitHead(context) }
  }

  func handlerRemoved(context: ChannelHandlerContext) { timer?.cancel() }

  func channelActive(context: ChannelHandlerContext) {
    awaitHead(context)
    context.fireChannelActive()
  }

  func channelInactive(context: ChannelHandlerContext) {
    timer?.cancel()
    onGone(ObjectIdentifier(context.channel))
    context.fireChannelInactive()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if let event = event as? ChannelEvent, event == .inputClosed {
      onGone(ObjectIdentifier(context.channel))
    }
    context.fireUserInboundEventTriggered(event)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head:
      isReadingBody = true
      isAnswering = true
      schedule(context, in: body) { context in
        context.fireErrorCaught(SlowRequest())
        self.schedule(context, in: Self.farewell) { $0.close(promise: nil) }
      }
    case .body: break
    case .end:
      isReadingBody = false
      timer?.cancel()
      if !isAnswering { awaitHead(context) }
    }
    context.fireChannelRead(data)
  }

  func write(
    context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?
  ) {
    switch unwrapOutboundIn(data) {
    case .head(let head): isLast = head.headerFields[.connection] == "close"
    case .body: break
    case .end:
      isAnswering = false
      guard !isLast else { return writeLast(data, context, promise) }
      if !isReadingBody { awaitHead(context) }
    }
    context.write(data, promise: promise)
  }

  private func writeLast(
    _ data: NIOAny, _ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?
  ) {
    let written = promise ?? context.eventLoop.makePromise()
    let channel = context.channel
    written.futureResult.whenComplete { _ in channel.close(promise: nil) }
    context.writeAndFlush(data, promise: written)
  }

  private func awaitHead(_ context: ChannelHandlerContext) {
    schedule(context, in: head) { $0.close(promise: nil) }
  }

  private func schedule(
    _ context: ChannelHandlerContext, in time: TimeAmount,
    _ action: @escaping (ChannelHandlerContext) -> Void
  ) {
    timer?.cancel()
    timer = context.eventLoop.assumeIsolated().scheduleTask(in: time) { action(context) }
  }
}

/// Says in one way that a connection is not to be kept: clients say it in several, and those of
/// HTTP 1.0 by saying nothing.
private final class ConnectionWish: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .head(var head) = unwrapInboundIn(data), !head.isKeepAlive else {
      return context.fireChannelRead(data)
    }
    head.headers.replaceOrAdd(name: "Connection", value: "close")
    context.fireChannelRead(wrapInboundOut(.head(head)))
  }
}
