import NIOCore

/// Closes a connection that sends more than so many bytes.
final class InboundLimit: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private var left: Int

  init(bytes: Int) {
    left = bytes
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    left -= unwrapInboundIn(data).readableBytes
    guard left >= 0 else { return context.close(promise: nil) }
    context.fireChannelRead(data)
  }
}
