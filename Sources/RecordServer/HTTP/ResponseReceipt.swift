import NIOCore

/// A channel handler that finds out whether the client has received a response.
///
/// TCP does not report what the client's program has read. It reports which bytes the client's operating
/// system has acknowledged. The response counts as not received in these cases:
///
/// - The client closes the connection, or its sending side, before the whole response is acknowledged.
/// - The connection is reset. An operating system resets it when a program closes it without having
///   read all bytes.
/// - Writing the response fails.
/// - The response is still not acknowledged after ten seconds.
///
/// In all other cases it counts as received when the client sends another request, or when the connection
/// ends. If the server closes the connection, the handler ends only the sending side at first, so that it
/// still learns how the client ends its own.
///
/// The handler is the first one of its channel, before TLS, and removes itself once it knows.
final class ResponseReceipt: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundIn = IOData

  /// Whether the client can still send something; false if it has ended its side, in TLS or in TCP.
  private let isOpen: @Sendable () -> Bool
  /// Called once if the client has not received the response.
  private let onNotReceived: @Sendable () -> Void
  /// The task that ends the wait for the acknowledgement; nil until the body is written.
  private var timeout: Scheduled<Void>?
  /// Whether the response was acknowledged when the client ended TLS. The server answers with the end of
  /// its own side, which the client may not acknowledge any more.
  private var isAcknowledgedAtEnd = false
  /// Whether the server closes the connection.
  private var isClosing = false
  /// The number of bytes that the client has sent since, which are ignored.
  private var ignored = 0
  /// Whether the server has ended its sending side, after the response was acknowledged.
  private var isOutputClosed = false
  private var isDone = false

  /// How long the server waits for the acknowledgement before it assumes that the client cannot be
  /// reached.
  private static let acknowledgementTime = TimeAmount.seconds(10)
  /// How long the server waits for the end of the client's side after the end of its own.
  private static let endTime = TimeAmount.seconds(1)
  /// How many bytes a client may send after the server has begun to close the connection.
  private static let ignoredLimit = 64 << 10

  private init(
    isOpen: @escaping @Sendable () -> Bool, onNotReceived: @escaping @Sendable () -> Void
  ) {
    self.isOpen = isOpen
    self.onNotReceived = onNotReceived
  }

  /// Adds the handler to a channel to which the head of the response was written, and next the body
  /// will be.
  ///
  /// - Parameters:
  ///   - isOpen: whether the client can still send something.
  ///   - onNotReceived: called once, on the channel's event loop, if the client has not received the
  ///     response.
  /// - Throws: an error if the channel is closed; then `onNotReceived` is not called.
  static func add(
    to channel: any Channel, isOpen: @escaping @Sendable () -> Bool,
    onNotReceived: @escaping @Sendable () -> Void
  ) async throws {
    try await channel.eventLoop.submit {
      try channel.pipeline.syncOperations.addHandler(
        ResponseReceipt(isOpen: isOpen, onNotReceived: onNotReceived), position: .first)
    }.get()
  }

  func handlerAdded(context: ChannelHandlerContext) {
    // The client may have gone since its request was received.
    if !isOpen() { finish(context, isReceived: false) }
  }

  func write(
    context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?
  ) {
    if timeout == nil { awaitAcknowledgement(context, for: Self.acknowledgementTime) }
    let written = promise ?? context.eventLoop.makePromise()
    context.write(data, promise: written)
    written.futureResult.assumeIsolated().whenFailure { _ in
      self.finish(context, isReceived: false)
    }
  }

  // A removed handler cannot forward events, so each method forwards its event before `finish`.

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isClosing else {
      ignored += unwrapInboundIn(data).readableBytes
      if ignored > Self.ignoredLimit { finish(context, isReceived: isOutputClosed) }
      return
    }
    // Otherwise the client has sent it before it received the response.
    let isAcknowledged = isAcknowledged(context)
    context.fireChannelRead(data)
    guard isAcknowledged else { return }
    if isOpen() {
      finish(context, isReceived: true)
    } else {
      // These bytes were the end of TLS, and no request.
      isAcknowledgedAtEnd = true
    }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    // The service ends, and does not wait for long.
    if event is ChannelShouldQuiesceEvent, timeout != nil {
      awaitAcknowledgement(context, for: Self.endTime)
    }
    let isEnd = (event as? ChannelEvent) == .inputClosed
    let isReceived = isEnd && (isAcknowledgedAtEnd || isAcknowledged(context))
    context.fireUserInboundEventTriggered(event)
    if isEnd { finish(context, isReceived: isReceived) }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.fireErrorCaught(error)
    if error is IOError { finish(context, isReceived: false) }
  }

  func channelInactive(context: ChannelHandlerContext) {
    context.fireChannelInactive()
    // NIO closes a channel whose output is closed when the client ends its side.
    finish(context, isReceived: isOutputClosed)
  }

  func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    guard mode != .input, !isDone else { return context.close(mode: mode, promise: promise) }
    context.channel.closeFuture.cascade(to: promise)
    guard !isClosing else { return }
    isClosing = true
    if timeout == nil {
      finish(context, isReceived: false)
    } else {
      closeOutput(context)
    }
  }

  /// Gives up a client whose system has not acknowledged the response in time.
  private func awaitAcknowledgement(_ context: ChannelHandlerContext, for time: TimeAmount) {
    timeout?.cancel()
    timeout = schedule(context, in: time) {
      if !self.isAcknowledged(context) { self.finish(context, isReceived: false) }
    }
  }

  /// Ends the sending side once the response is acknowledged. Nothing reports that, so it is looked up
  /// again and again.
  private func closeOutput(
    _ context: ChannelHandlerContext, lookingAgainAfter pause: TimeAmount = .milliseconds(1)
  ) {
    guard !isDone else { return }
    guard isAcknowledged(context) else {
      _ = schedule(context, in: pause) {
        self.closeOutput(context, lookingAgainAfter: min(pause * 2, .milliseconds(100)))
      }
      return
    }
    isOutputClosed = true
    context.close(mode: .output, promise: nil)
    _ = schedule(context, in: Self.endTime) { self.finish(context, isReceived: true) }
  }

  private func schedule(
    _ context: ChannelHandlerContext, in time: TimeAmount, _ task: @escaping () -> Void
  ) -> Scheduled<Void> {
    context.eventLoop.assumeIsolated().scheduleTask(in: time, task)
  }

  private func finish(_ context: ChannelHandlerContext, isReceived: Bool) {
    guard !isDone else { return }
    isDone = true
    timeout?.cancel()
    if !isReceived { onNotReceived() }
    if isClosing { context.close(promise: nil) }
    context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
  }

  /// Whether the response was written, and the client's system has acknowledged all of it.
  private func isAcknowledged(_ context: ChannelHandlerContext) -> Bool {
    guard timeout != nil, let info = TCPInfo(context.channel), info.state != TCPInfo.closed else {
      return false
    }
    let waiting = try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)
    return info.unacknowledged == 0 && info.unsent == 0 && waiting == 0
  }
}

/// The state of a TCP connection, from Linux's `struct tcp_info` (linux/tcp.h).
///
/// NIO uses the declaration of the C library, which is shorter and has no `tcpi_notsent_bytes`. So the
/// members up to this one are declared here, in the order and with the sizes of the kernel.
private struct TCPInfo {
  private typealias Four = (UInt32, UInt32, UInt32, UInt32)

  /// The state of the connection (`tcpi_state`), such as `closed`.
  private(set) var state: UInt8 = 0
  private var options: (UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8) = (0, 0, 0, 0, 0, 0, 0)
  private var sizes: Four = (0, 0, 0, 0)
  /// The number of segments that were sent but not yet acknowledged (`tcpi_unacked`).
  private(set) var unacknowledged: UInt32 = 0
  private var further: (Four, Four, Four, Four, UInt32, UInt32, UInt32) =
    ((0, 0, 0, 0), (0, 0, 0, 0), (0, 0, 0, 0), (0, 0, 0, 0), 0, 0, 0)
  private var bytes: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
  private var segments: (UInt32, UInt32) = (0, 0)
  /// The number of bytes that were not sent yet (`tcpi_notsent_bytes`), for example because the client's
  /// receive buffer is full.
  private(set) var unsent: UInt32 = 0

  static let closed: UInt8 = 7

  /// Reads what the system knows of a connection; nil if it is closed. Must be called on the channel's
  /// event loop.
  init?(_ channel: any Channel) {
    guard let socket = channel as? any SocketOptionProvider else { return nil }
    var found: TCPInfo?
    let info: EventLoopFuture<TCPInfo> = socket.unsafeGetSocketOption(level: .tcp, name: .tcp_info)
    // On the event loop, the future is complete.
    info.assumeIsolated().whenSuccess { found = $0 }
    guard let found else { return nil }
    self = found
  }
}
