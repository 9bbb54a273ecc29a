import NIOCore

/// The state of a TCP connection, from Linux's `struct tcp_info` (linux/tcp.h).
///
/// NIO uses the declaration of the C library, which is shorter and has no `tcpi_notsent_bytes`. So the
/// members up to this one are declared here, in the order and with the sizes of the kernel.
struct TCPInfo {
  private typealias Four = (UInt32, UInt32, UInt32, UInt32)

  /// The state of the connection (`tcpi_state`), such as `closed`.
  private(set) var state: UInt8 = 0
  private var options: (UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8) = (0, 0, 0, 0, 0, 0, 0)
  private var sizes: Four = (0, 0, 0, 0)
  /// The number of segments that were sent but not yet acknowledged (`tcpi_unacked`).
  private(set) var unacknowledged: UInt32 = 0
  private var further: (Four, Four, Four, Four, UInt32, UInt32, UInt32) =
    ((0, 0, 0, 0), (0, 0, 0, 0), (0, 0, 0, 0), (0, 0, 0, 0), 0, 0, 0)
  private var rates: (UInt64, UInt64) = (0, 0)
  /// The number of bytes that the client's system has acknowledged (`tcpi_bytes_acked`).
  private(set) var acknowledged: UInt64 = 0
  private var bytesReceived: UInt64 = 0
  private var segments: (UInt32, UInt32) = (0, 0)
  /// The number of bytes that the server's system has not sent yet (`tcpi_notsent_bytes`). They wait, for
  /// example, until the client reads what has arrived.
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
