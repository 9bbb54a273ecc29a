import NIOCore

/// The state of a TCP connection, from Linux's `struct tcp_info` (linux/tcp.h).
///
/// NIO uses the declaration of the C library, which is shorter and has no `tcpi_notsent_bytes`. So
/// the members up to this one are declared here, in the order and with the sizes of the kernel.
struct TCPInfo {
  private typealias Four = (UInt32, UInt32, UInt32, UInt32)

  /// The state of the connection (`tcpi_state`), such as `closed`.
  private(set) var state: UInt8 = 0
  private var options: (UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8) = (0, 0, 0, 0, 0, 0, 0)
  private var sizes: Four = (0, 0, 0, 0)
  /// The number of segments that were sent, and that the client's system has not acknowledged yet
  /// (`tcpi_unacked`).
  private(set) var unacknowledgedSegments: UInt32 = 0
  private var further: (Four, Four, Four, Four, UInt32, UInt32, UInt32) =
    ((0, 0, 0, 0), (0, 0, 0, 0), (0, 0, 0, 0), (0, 0, 0, 0), 0, 0, 0)
  private var rates: (UInt64, UInt64) = (0, 0)
  /// The number of bytes that the client's system has acknowledged since the connection was opened
  /// (`tcpi_bytes_acked`).
  private(set) var acknowledgedBytes: UInt64 = 0
  private var bytesReceived: UInt64 = 0
  private var segments: (UInt32, UInt32) = (0, 0)
  /// The number of bytes that the server has written and its system has not sent yet
  /// (`tcpi_notsent_bytes`), for example because the client does not read.
  private(set) var unsentBytes: UInt32 = 0

  static let closed: UInt8 = 7

  /// Reads the state of a connection. Returns nil if the connection is closed.
  ///
  /// - Precondition: the caller runs on the channel's event loop.
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
