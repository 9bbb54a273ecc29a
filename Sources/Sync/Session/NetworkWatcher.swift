import Dispatch
import Glibc

/// Reports changes of this machine's network addresses, by netlink, until it is deinitialized. Sync
/// uses it to try again as soon as there is a network.
///
/// It is `@unchecked Sendable` because `source` is only used after `init` to cancel it, which
/// Dispatch allows on any thread.
final class NetworkWatcher: @unchecked Sendable {
  private let source: any DispatchSourceProtocol

  /// The groups of messages about changes of IPv4 and IPv6 addresses. See rtnetlink(7).
  private static let groups: UInt32 = 0x10 | 0x100
  /// The netlink protocol `NETLINK_ROUTE`.
  private static let route: Int32 = 0

  /// Starts watching.
  ///
  /// - Parameters:
  ///   - queue: The queue on which `changed` is called.
  ///   - changed: A closure that is called after each change.
  /// - Returns: nil if the system does not offer netlink.
  init?(on queue: DispatchQueue, changed: @escaping @Sendable () -> Void) {
    let descriptor = socket(
      AF_NETLINK,
      Int32(SOCK_RAW.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        | Int32(SOCK_CLOEXEC.rawValue), Self.route)
    guard descriptor >= 0 else { return nil }
    // A sockaddr_nl: family, padding, port, groups.
    let address = (sa_family_t(AF_NETLINK), UInt16(0), UInt32(0), Self.groups)
    let isBound = withUnsafeBytes(of: address) { bytes in
      bind(
        descriptor, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self),
        socklen_t(bytes.count)) == 0
    }
    guard isBound else {
      close(descriptor)
      return nil
    }
    source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
    source.setEventHandler {
      var buffer = [UInt8](repeating: 0, count: 8192)
      while recv(descriptor, &buffer, buffer.count, 0) > 0 {}
      changed()
    }
    source.setCancelHandler { close(descriptor) }
    source.activate()
  }

  deinit { source.cancel() }
}
