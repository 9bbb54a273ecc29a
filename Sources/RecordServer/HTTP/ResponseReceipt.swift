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
/// - The server closes the connection, and the response is still not acknowledged after ten seconds.
///
/// In all other cases it counts as received when the client sends something else, or when the connection
/// ends. The handler is the first one of its channel, before TLS, and removes itself once it knows.
final class ResponseReceipt: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundIn = IOData

  /// Called once if the client has not received the response.
  private let onNotReceived: @Sendable () -> Void
  /// When the body of the response was passed on; nil before that.
  private var writtenAt: NIODeadline?
  private var isDone = false

  /// How long the server waits for the acknowledgement of a response before it assumes that the client
  /// cannot be reached.
  private static let roundTrip = TimeAmount.seconds(10)

  private init(onNotReceived: @escaping @Sendable () -> Void) { self.onNotReceived = onNotReceived }

  /// Adds the handler to a channel to which the head of the response was written, and next the body
  /// will be.
  ///
  /// - Parameter onNotReceived: called once, on the channel's event loop, if the client has not received the
  ///   response.
  /// - Throws: an error if the channel is closed; then `onNotReceived` is not called.
  static func add(
    to channel: any Channel, onNotReceived: @escaping @Sendable () -> Void
  ) async throws {
    try await channel.eventLoop.submit {
      try channel.pipeline.syncOperations.addHandler(
        ResponseReceipt(onNotReceived: onNotReceived), position: .first)
    }.get()
  }

  func handlerAdded(context: ChannelHandlerContext) {
    // The client may have gone since its request was received.
    if !Self.isOpen(context) { finish(context, isReceived: false) }
  }

  func write(
    context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?
  ) {
    writtenAt = .now()
    let written = promise ?? context.eventLoop.makePromise()
    context.write(data, promise: written)
    written.futureResult.assumeIsolated().whenFailure { _ in
      self.finish(context, isReceived: false)
    }
  }

  // A removed handler cannot forward events, so each method forwards its event before `finish`.

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    // Otherwise the client has sent it before it received the response.
    let isReceived = isAcknowledged(context)
    context.fireChannelRead(data)
    if isReceived { finish(context, isReceived: true) }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    let isEnd = (event as? ChannelEvent) == .inputClosed
    let isReceived = isEnd && isAcknowledged(context)
    context.fireUserInboundEventTriggered(event)
    if isEnd { finish(context, isReceived: isReceived) }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.fireErrorCaught(error)
    if error is IOError { finish(context, isReceived: false) }
  }

  func channelInactive(context: ChannelHandlerContext) {
    context.fireChannelInactive()
    finish(context, isReceived: false)
  }

  func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    // If the server closes the connection right after the response, the acknowledgement has not arrived
    // yet. It cannot be checked later: the server's own end of the stream is also unacknowledged then.
    let isRecent = writtenAt.map { .now() - $0 < Self.roundTrip } ?? false
    let isReceived = isRecent || isAcknowledged(context)
    context.close(mode: mode, promise: promise)
    if mode != .input { finish(context, isReceived: isReceived) }
  }

  private func finish(_ context: ChannelHandlerContext, isReceived: Bool) {
    guard !isDone else { return }
    isDone = true
    if !isReceived { onNotReceived() }
    context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
  }

  /// Whether the client can still send something, as far as the system knows.
  private static func isOpen(_ context: ChannelHandlerContext) -> Bool {
    TCPInfo(context.channel)?.state == TCPInfo.established
  }

  /// Whether the response was written, and the client's system has acknowledged all of it.
  private func isAcknowledged(_ context: ChannelHandlerContext) -> Bool {
    guard writtenAt != nil, let info = TCPInfo(context.channel), info.state != TCPInfo.closed else {
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

  /// The state of the connection (`tcpi_state`), such as `established`.
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

  static let established: UInt8 = 1
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
