import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

/// The rest of a request did not come in time.
struct SlowRequest: Error {}

/// Ends connections whose requests do not come to an end, or whose answers are not taken:
/// whoever sends a byte a second, or reads none, shall not hold one for ever. While an answer is
/// waited for, as by a long poll, no time runs. Ends those, too, whose answer says that it is
/// their last, all of them when their answer has left; and tells when the other end has gone,
/// which an answer that is waited for would not notice.
final class RequestDeadlines: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  private let head: TimeAmount
  private let body: TimeAmount
  private let stall: TimeAmount
  private let onGone: @Sendable (ObjectIdentifier) -> Void
  /// How long a connection has to take the error that it was too slow.
  private static let farewell = TimeAmount.seconds(5)
  /// Bytes that the system takes for a connection.
  private static let sendBuffer = 262_144

  private var timer: Scheduled<Void>?
  private var isReadingBody = false
  private var isLast = false
  /// Which request came last, and the last whose answer has left whole.
  private var asked = 0
  private var answered = 0
  /// The end of an answer that has not left yet.
  private var leaving: EventLoopFuture<Void>?
  /// Looks whether an answer goes on leaving.
  private var watch: Scheduled<Void>?

  /// - Parameters:
  ///   - head: how long a request's head may take, and be waited for.
  ///   - body: how long the rest may take.
  ///   - stall: how long an answer may stand still on its way.
  ///   - onGone: gets the channel that will send no more.
  init(
    head: TimeAmount, body: TimeAmount, stall: TimeAmount,
    onGone: @escaping @Sendable (ObjectIdentifier) -> Void
  ) {
    self.head = head
    self.body = body
    self.stall = stall
    self.onGone = onGone
  }

  func handlerAdded(context: ChannelHandlerContext) {
    // Most requests are short, and the buffer for them stays as long as the connection.
    try? context.channel.syncOptions?.setOption(
      .recvAllocator,
      value: AdaptiveRecvByteBufferAllocator(minimum: 64, initial: 512, maximum: 65_536))
    // The system would take megabytes at once, and then for minutes nothing by a slow line.
    try? context.channel.syncOptions?.setOption(
      .socketOption(.so_sndbuf), value: .init(Self.sendBuffer))
    let pipeline = context.pipeline.syncOperations
    if let codec = try? pipeline.handler(type: HTTP1ToHTTPServerCodec.self) {
      try? pipeline.addHandler(ConnectionWish(), position: .before(codec))
    }
    if context.channel.isActive { awaitHead(context) }
  }

  func handlerRemoved(context: ChannelHandlerContext) { cancelTimers() }

  func channelActive(context: ChannelHandlerContext) {
    awaitHead(context)
    context.fireChannelActive()
  }

  func channelInactive(context: ChannelHandlerContext) {
    cancelTimers()
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
      asked += 1
      schedule(context, in: body) { context in
        context.fireErrorCaught(SlowRequest())
        self.schedule(context, in: Self.farewell) { $0.close(promise: nil) }
      }
    case .body: break
    case .end:
      isReadingBody = false
      timer?.cancel()
      if answered == asked { awaitHead(context) }
    }
    context.fireChannelRead(data)
  }

  func write(
    context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?
  ) {
    switch unwrapOutboundIn(data) {
    case .head(let head): isLast = head.headerFields[.connection] == "close"
    case .body: break
    case .end: return writeEnd(data, context, promise)
    }
    context.write(data, promise: promise)
  }

  private func writeEnd(
    _ data: NIOAny, _ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?
  ) {
    let written = promise ?? context.eventLoop.makePromise()
    let number = asked
    leaving = written.futureResult
    context.write(data, promise: written)
    written.futureResult.assumeIsolated().whenComplete { _ in
      guard number == self.asked else { return }
      self.answered = number
      self.leaving = nil
      if !self.isReadingBody { self.awaitHead(context) }
    }
    if isLast {
      context.flush()
      close(context: context, mode: .all, promise: nil)
    } else if leaving != nil {
      watchLeaving(context)
    }
  }

  /// What is left to write would be dropped with the connection.
  func close(
    context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?
  ) {
    guard mode == .all, let leaving else { return context.close(mode: mode, promise: promise) }
    context.flush()
    watchLeaving(context)
    leaving.assumeIsolated().whenComplete { _ in context.close(mode: mode, promise: promise) }
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    if !context.channel.isWritable { watchLeaving(context) }
    context.fireChannelWritabilityChanged()
  }

  /// Ends the connection where nothing leaves for a while of what is to leave.
  ///
  /// - Parameter former: how much there was to leave at the last look; nil before the first.
  private func watchLeaving(_ context: ChannelHandlerContext, after former: Int? = nil) {
    guard watch == nil else { return }
    watch = context.eventLoop.assumeIsolated().scheduleTask(in: stall) {
      self.watch = nil
      guard self.leaving != nil || !context.channel.isWritable else { return }
      let waiting = Self.waiting(context)
      if let former, waiting >= former { return context.close(promise: nil) }
      self.watchLeaving(context, after: waiting)
    }
  }

  /// Bytes on their way to the other end that the system has not taken.
  private static func waiting(_ context: ChannelHandlerContext) -> Int {
    (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
  }

  private func cancelTimers() {
    timer?.cancel()
    watch?.cancel()
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
