import NIOCore

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
/// server closes the connection, unless the response was not acknowledged for some seconds then. The
/// handler is the first of its channel, before TLS, and removes itself when the answer is known.
final class ResponseReceipt: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundIn = IOData

  /// Called once if the client has not received the response.
  private let onNotReceived: @Sendable () -> Void
  /// When the body of the response was passed on; nil before that.
  private var writtenAt: NIODeadline?
  private var isDone = false

  /// The time in which the acknowledgement of a response arrives, if the client is still there.
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

  // A handler that was removed passes nothing on, so each of these passes its event on first.

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
    // After a response with `Connection: close`, the acknowledgement cannot have arrived yet. After the
    // server has ended its own side, that end counts as not acknowledged, too.
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

/// The beginning of Linux's `struct tcp_info` (linux/tcp.h), which has more members than that of the C
/// library.
private struct TCPInfo {
  private typealias Four = (UInt32, UInt32, UInt32, UInt32)

  /// The state of the connection.
  private(set) var state: UInt8 = 0
  private var options: (UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8) = (0, 0, 0, 0, 0, 0, 0)
  private var sizes: Four = (0, 0, 0, 0)
  /// The number of segments that were sent and not acknowledged.
  private(set) var unacknowledged: UInt32 = 0
  private var further: (Four, Four, Four, Four, UInt32, UInt32, UInt32) =
    ((0, 0, 0, 0), (0, 0, 0, 0), (0, 0, 0, 0), (0, 0, 0, 0), 0, 0, 0)
  private var bytes: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
  private var segments: (UInt32, UInt32) = (0, 0)
  /// The number of bytes that were not sent yet, for example because the client reads nothing.
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
