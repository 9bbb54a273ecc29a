import Foundation

/// A socket that has a port of this machine, which the kernel chooses, and does not listen.
public func bindToLoopback() throws -> (descriptor: Int32, port: UInt16) {
  // Close-on-exec from the beginning: other tests start programs at the same time.
  let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
  var length = socklen_t(MemoryLayout<sockaddr_in>.size)
  let isBound = withUnsafeMutablePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
    }
  }
  guard isBound else { throw POSIXError(.EADDRNOTAVAIL) }
  return (descriptor, UInt16(bigEndian: address.sin_port))
}

/// A socket that listens on a port of this machine, which the kernel chooses.
public func listenOnLoopback() throws -> (descriptor: Int32, port: UInt16) {
  let (descriptor, port) = try bindToLoopback()
  guard listen(descriptor, 16) == 0 else { throw POSIXError(.EADDRNOTAVAIL) }
  return (descriptor, port)
}
