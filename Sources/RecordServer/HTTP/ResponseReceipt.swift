import NIOCore

/// A channel handler that finds out whether the client has received a response.
///
/// TCP does not tell whether the client's program has read the response. It tells which bytes have
/// arrived at the client's operating system, because that acknowledges them. The response counts as
/// not received in these cases:
///
/// - The client closes the connection, or only its sending side, before all bytes are acknowledged.
/// - The connection is reset. Operating systems do this if a program closes a connection and has
///   not read everything.
/// - Writing the response fails.
/// - Some bytes are still not acknowledged after ten seconds.
///
/// Otherwise the response counts as received when the client sends another request, or when the
/// connection ends.
///
/// If the server closes the connection, this handler first closes only the sending side. Then the
/// handler can still see whether the client closes the connection or resets it.
///
/// The handler must be the first one of its channel, before TLS. It removes itself once it knows.
final class ResponseReceipt: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundIn = IOData

  /// Knows whether the client has closed its sending side, by TLS or by TCP, and whether the
  /// connection has to end.
  private let connections: ConnectionTable
  /// Called once if the client has not received the response.
  private let onNotReceived: @Sendable () -> Void
  /// The task that ends the wait for the acknowledgement; nil until the body is written.
  private var timeout: Scheduled<Void>?
  /// Whether all bytes of the response are known to be acknowledged. TLS sends a few more at its
  /// end, which a client that has gone does not acknowledge.
  private var wasAcknowledged = false
  /// Whether the server has begun to close the connection.
  private var isClosing = false
  /// The number of bytes that the client has sent since then. They are ignored.
  private var ignored = 0
  /// Whether the server has closed its sending side. It does so when all bytes are acknowledged.
  private var isOutputClosed = false
  private var isDone = false

  /// How long the client's system may take to acknowledge the response.
  private static let acknowledgementTime = TimeAmount.seconds(10)
  /// How long the client may take to close the connection after the server has closed its sending
  /// side.
  private static let endTime = TimeAmount.seconds(1)
  /// The maximum number of bytes that are ignored after the server has begun to close the
  /// connection.
  private static let ignoredLimit = 64 << 10

  private init(
    _ connections: ConnectionTable, onNotReceived: @escaping @Sendable () -> Void
  ) {
    self.connections = connections
    self.onNotReceived = onNotReceived
  }

  /// Adds the handler to a channel. The head of the response must have been written already, and
  /// the body must be written next.
  ///
  /// - Parameters:
  ///   - connections: the table that has the connection.
  ///   - onNotReceived: called once, on the channel's event loop, if the client has not received
  ///     the response.
  /// - Throws: an error if the channel is closed; then `onNotReceived` is not called.
  static func add(
    to channel: any Channel, in connections: ConnectionTable,
    onNotReceived: @escaping @Sendable () -> Void
  ) async throws {
    try await channel.eventLoop.submit {
      try channel.pipeline.syncOperations.addHandler(
        ResponseReceipt(connections, onNotReceived: onNotReceived), position: .first)
    }.get()
  }

  func handlerAdded(context: ChannelHandlerContext) {
    // The client may have gone since its request was received.
    if !connections.isOpen(context.channel) { finish(context, isReceived: false) }
  }

  func write(
    context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?
  ) {
    if timeout == nil { awaitAcknowledgement(context) }
    let written = promise ?? context.eventLoop.makePromise()
    context.write(data, promise: written)
    written.futureResult.assumeIsolated().whenFailure { _ in
      self.finish(context, isReceived: false)
    }
  }

  // `finish` removes the handler, and a removed handler cannot forward an event to the next one. So
  // each method forwards its event first.

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isClosing else {
      ignored += unwrapInboundIn(data).readableBytes
      if ignored > Self.ignoredLimit { finish(context, isReceived: isOutputClosed) }
      return
    }
    // If the response is not acknowledged yet, the client has sent these bytes before it received
    // it.
    let isAcknowledged = isAcknowledged(context)
    context.fireChannelRead(data)
    guard isAcknowledged else { return }
    if connections.isOpen(context.channel) {
      finish(context, isReceived: true)
    } else {
      // These bytes closed TLS; they were not a request.
      wasAcknowledged = true
    }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    let isEnd = (event as? ChannelEvent) == .inputClosed
    let isReceived = isEnd && (wasAcknowledged || isAcknowledged(context))
    context.fireUserInboundEventTriggered(event)
    if isEnd { finish(context, isReceived: isReceived) }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.fireErrorCaught(error)
    if error is IOError { finish(context, isReceived: false) }
  }

  func channelInactive(context: ChannelHandlerContext) {
    context.fireChannelInactive()
    // If both sides close the connection in the regular way, NIO closes the channel without another
    // event.
    finish(context, isReceived: isOutputClosed)
  }

  func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    guard mode != .input, !isDone else { return context.close(mode: mode, promise: promise) }
    context.channel.closeFuture.cascade(to: promise)
    let isFirst = !isClosing
    isClosing = true
    guard timeout != nil else { return finish(context, isReceived: false) }
    // The limit is shorter if the connection has been replaced since the first call, or the service
    // ends.
    awaitAcknowledgement(context)
    if isFirst { closeOutput(context) }
  }

  /// Starts the time limit for the acknowledgement. It replaces an earlier one, and is short if the
  /// connection has to end: one client must not delay the end of the service by ten seconds.
  private func awaitAcknowledgement(_ context: ChannelHandlerContext) {
    let isEnding = connections.isEnding(context.channel)
    timeout?.cancel()
    timeout = schedule(context, in: isEnding ? Self.endTime : Self.acknowledgementTime) {
      if self.isAcknowledged(context) {
        self.wasAcknowledged = true
      } else {
        self.finish(context, isReceived: self.wasAcknowledged)
      }
    }
  }

  /// Closes the sending side as soon as the response is acknowledged. The system does not report
  /// the acknowledgement, so the handler checks again after a pause, which doubles each time.
  private func closeOutput(
    _ context: ChannelHandlerContext, checkingAgainAfter pause: TimeAmount = .milliseconds(1)
  ) {
    guard !isDone else { return }
    guard isAcknowledged(context) else {
      _ = schedule(context, in: pause) {
        self.closeOutput(context, checkingAgainAfter: min(pause * 2, .milliseconds(100)))
      }
      return
    }
    wasAcknowledged = true
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
    return info.unacknowledgedSegments == 0 && info.unsentBytes == 0 && waiting == 0
  }
}
