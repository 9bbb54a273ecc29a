import Glibc

/// The IP address of a host.
public struct HostAddress: Hashable, Sendable, CustomStringConvertible {
  /// The bytes of the address: 4 for IPv4 and 16 for IPv6.
  fileprivate let bytes: [UInt8]

  /// Parses an IP address. IPv4-mapped IPv6 addresses become IPv4 addresses.
  ///
  /// - Parameter text: an address without a port. The result is nil if it is not an address but,
  ///   for example, a name.
  public init?(_ text: String) {
    var v4 = in_addr()
    var v6 = in6_addr()
    if inet_pton(AF_INET, text, &v4) == 1 {
      bytes = withUnsafeBytes(of: v4) { Array($0) }
    } else if inet_pton(AF_INET6, String(text.prefix { $0 != "%" }), &v6) == 1 {
      // A zone (`fe80::1%eth0`) names the network interface and is not part of the address.
      let address = withUnsafeBytes(of: v6) { Array($0) }
      let isMapped = address.prefix(12) == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
      bytes = isMapped ? Array(address.suffix(4)) : address
    } else {
      return nil
    }
  }

  /// The address in its canonical form, such as `192.0.2.1` or `2001:db8::1`.
  public var description: String {
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    inet_ntop(
      bytes.count == 4 ? AF_INET : AF_INET6, bytes, &text, socklen_t(text.count))
    return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// Whether only programs on the same machine have the address: 127.0.0.0/8 and ::1.
  var isLoopback: Bool {
    bytes.count == 4 ? bytes[0] == 127 : bytes == Array(repeating: 0, count: 15) + [1]
  }
}

/// The part of a client's address to which limits apply: an IPv4 address, or the first 64 bits of
/// an IPv6 address, because one household usually has a whole /64 network.
public struct ClientAddress: Hashable, Sendable {
  /// The bytes of the part: 4 or 8; none for an unknown address.
  let bytes: [UInt8]

  /// Creates the client address for the IP address of a host.
  ///
  /// - Parameter text: an address without a port. All strings that are not addresses are equal.
  public init(_ text: String) {
    self.init(HostAddress(text))
  }

  /// Creates the client address of a host.
  ///
  /// - Parameter host: the host; nil if its address is unknown. All unknown addresses are equal.
  init(_ host: HostAddress?) {
    let bytes = host?.bytes ?? []
    self.bytes = bytes.count == 16 ? Array(bytes.prefix(8)) : bytes
  }
}
