import NIOCore

#if os(Linux)
  import Glibc
#endif

/// A channel handler that finds out whether the client has received a response.
///
/// TCP only tells what the client's system has accepted. So a response counts as lost if
///
/// - the client ends the connection, or its sending side, before its system has acknowledged the whole
///   response,
/// - the connection is reset, as the system of a client does that closes it with unread bytes, or
/// - the response cannot be written.
///
/// It counts as received if the client then sends something else or ends the connection, and if the
/// server closes it. The handler is the first of its channel, before TLS, and removes itself when the
/// answer is known.
final class ResponseReceipt: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundIn = IOData

  /// Called once if the response was lost.
  private let onLoss: @Sendable () -> Void
  /// Whether the body of the response was passed on.
  private var isWritten = false
  private var isDone = false

  private init(onLoss: @escaping @Sendable () -> Void) { self.onLoss = onLoss }

  /// Adds the handler to a channel to which the head of the response was written, and next the body
  /// will be.
  ///
  /// - Parameter onLoss: called once, on the channel's event loop, if the client has not received the
  ///   response.
  /// - Throws: an error if the channel is closed; then `onLoss` is not called.
  static func add(
    to channel: any Channel, onLoss: @escaping @Sendable () -> Void
  ) async throws {
    try await channel.eventLoop.submit {
      try channel.pipeline.syncOperations.addHandler(
        ResponseReceipt(onLoss: onLoss), position: .first)
    }.get()
  }

  func handlerAdded(context: ChannelHandlerContext) {
    // The client may have gone since its request was received.
    if !Self.isOpen(context) { finish(context, isReceived: false) }
  }

  func write(
    context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?
  ) {
    isWritten = true
    let written = promise ?? context.eventLoop.makePromise()
    context.write(data, promise: written)
    written.futureResult.assumeIsolated().whenFailure { _ in
      self.finish(context, isReceived: false)
    }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    // Otherwise the client has sent it before it received the response.
    if isWritten, Self.isAcknowledged(context) { finish(context, isReceived: true) }
    context.fireChannelRead(data)
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if let event = event as? ChannelEvent, event == .inputClosed {
      finish(context, isReceived: isWritten && Self.isAcknowledged(context))
    }
    context.fireUserInboundEventTriggered(event)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if error is IOError { finish(context, isReceived: false) }
    context.fireErrorCaught(error)
  }

  func channelInactive(context: ChannelHandlerContext) {
    finish(context, isReceived: isWritten)
    context.fireChannelInactive()
  }

  private func finish(_ context: ChannelHandlerContext, isReceived: Bool) {
    guard !isDone else { return }
    isDone = true
    if !isReceived { onLoss() }
    context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
  }

  /// Whether the client can still send something, as far as the system knows.
  private static func isOpen(_ context: ChannelHandlerContext) -> Bool {
    #if os(Linux)
      return connection(context).map { Int($0.tcpi_state) == TCP_ESTABLISHED } ?? false
    #else
      return true
    #endif
  }

  /// Whether the client's system has acknowledged all bytes that were sent.
  private static func isAcknowledged(_ context: ChannelHandlerContext) -> Bool {
    #if os(Linux)
      guard let connection = connection(context), Int(connection.tcpi_state) != TCP_CLOSE else {
        return false
      }
      let waiting = try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)
      return connection.tcpi_unacked == 0 && waiting == 0
    #else
      return true
    #endif
  }

  #if os(Linux)
    /// What the system knows of the connection; nil if it is closed.
    private static func connection(_ context: ChannelHandlerContext) -> tcp_info? {
      var info: tcp_info?
      // On the event loop, the future is complete.
      (context.channel as? any SocketOptionProvider)?.getTCPInfo().assumeIsolated()
        .whenSuccess { info = $0 }
      return info
    }
  #endif
}
