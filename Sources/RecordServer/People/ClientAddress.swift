import Glibc

/// An address of one machine.
public struct HostAddress: Hashable, Sendable {
  /// Four, or sixteen of IPv6.
  fileprivate let bytes: [UInt8]

  /// - Parameter text: an address without a port; nil where it is none, as a name is.
  public init?(_ text: String) {
    // A zone (`fe80::1%eth0`) says by which way it came.
    let text = String(text.prefix { $0 != "%" })
    var v4 = in_addr()
    var v6 = in6_addr()
    if inet_pton(AF_INET, text, &v4) == 1 {
      bytes = withUnsafeBytes(of: v4) { Array($0) }
    } else if inet_pton(AF_INET6, text, &v6) == 1 {
      let address = withUnsafeBytes(of: v6) { Array($0) }
      let isMapped = address.prefix(12) == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
      bytes = isMapped ? Array(address.suffix(4)) : address
    } else {
      return nil
    }
  }
}

/// Whom a connection comes from, as far as limits go: an address of IPv4, or the network of
/// one of IPv6, of which a single house has 2^64.
public struct ClientAddress: Hashable, Sendable {
  private let bytes: [UInt8]

  /// - Parameter text: an address without a port. All that is none counts as one.
  public init(_ text: String) {
    let host = HostAddress(text)?.bytes ?? []
    bytes = host.count == 16 ? Array(host.prefix(8)) : host
  }
}
