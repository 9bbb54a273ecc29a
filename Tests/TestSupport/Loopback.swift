import Foundation

/// Calls a closure with a new socket, and with the address of a port of this machine.
private func withLoopback(
  _ port: UInt16,
  _ body: (Int32, UnsafeMutablePointer<sockaddr>, inout socklen_t) -> Bool
) throws -> (descriptor: Int32, port: UInt16) {
  // Close-on-exec from the beginning: other tests start programs at the same time.
  let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = port.bigEndian
  address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
  var length = socklen_t(MemoryLayout<sockaddr_in>.size)
  let isDone = withUnsafeMutablePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body(descriptor, $0, &length) }
  }
  guard isDone else {
    let number = errno
    close(descriptor)
    throw Failure("port \(port) of this machine: errno \(number)")
  }
  return (descriptor, UInt16(bigEndian: address.sin_port))
}

/// A socket that has a port of this machine, and does not listen.
///
/// - Parameters:
///   - port: Zero for a port that the kernel chooses.
///   - isShared: Whether other sockets with this option may be bound to the port while one listens.
public func bindToLoopback(
  port: UInt16 = 0, isShared: Bool = false
) throws -> (descriptor: Int32, port: UInt16) {
  try withLoopback(port) { descriptor, address, length in
    var isOn: Int32 = isShared ? 1 : 0
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &isOn, socklen_t(MemoryLayout<Int32>.size))
    return bind(descriptor, address, length) == 0 && getsockname(descriptor, address, &length) == 0
  }
}

/// A connection to a port of this machine.
public func connectToLoopback(_ port: UInt16) throws -> Int32 {
  try withLoopback(port) { connect($0, $1, $2) == 0 }.descriptor
}

/// A socket that listens on a port of this machine, which the kernel chooses.
public func listenOnLoopback() throws -> (descriptor: Int32, port: UInt16) {
  let (descriptor, port) = try bindToLoopback()
  guard listen(descriptor, 16) == 0 else { throw POSIXError(.EADDRNOTAVAIL) }
  return (descriptor, port)
}

/// Calls a closure with each connection, one after the other on a thread of their own, until the
/// listening socket is shut down.
public func acceptConnections(
  on listener: Int32, _ serve: @escaping @Sendable (_ connection: Int32) -> Void
) {
  Thread.detachNewThread {
    while case let connection = accept(listener, nil, nil), connection >= 0 {
      _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
      serve(connection)
    }
    // Closed only here: earlier, another server could get the number of the descriptor.
    close(listener)
  }
}

/// Reads the head of a request, and what comes with it.
///
/// - Returns: The bytes, and where the empty line after the head begins; nil if the connection ends
///   before.
public func readHead(from connection: Int32) -> (bytes: [UInt8], end: Int)? {
  var bytes: [UInt8] = []
  while true {
    if let end = Data(bytes).range(of: Data("\r\n\r\n".utf8)) { return (bytes, end.lowerBound) }
    guard readAvailable(connection, into: &bytes) else { return nil }
  }
}
