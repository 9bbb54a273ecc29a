import NIOConcurrencyHelpers
import NIOCore

/// The open connections. Each client address has a share of them, so that no client can take them
/// all.
///
/// If the share of an address or the number of all connections is used up, the new connection
/// replaces the one that has been idle for the longest time: one on which the server waits for a
/// request, or for the rest of one, or for the client to read a response. Connections whose request
/// is being answered, long polls among them, are never replaced; if there are no others, the new
/// connection is refused.
final class ConnectionTable: Sendable {
  /// The maximum number of open connections.
  private let limit: Int
  /// The maximum number of connections of one client address.
  private let share: Int
  private let state = NIOLockedValueBox(State())

  /// What is known about the client of a connection.
  enum ClientState {
    /// The client can still send something.
    case sending
    /// The client sends nothing more. It either waits for its response, or has gone: the server
    /// cannot tell these apart before it writes the response.
    case silent
    /// The connection is closed or was replaced.
    case gone
  }

  private struct Connection {
    let channel: any Channel
    /// The address that the connection counts for; nil for a proxy.
    let address: ClientAddress?
    /// The time since which the server waits for the client; nil while it answers a request.
    var idleSince: NIODeadline?
    /// Whether the client sends nothing more.
    var inputIsClosed = false
    /// Whether the connection ends because the service ends.
    var isEnding = false
  }

  private struct State {
    var connections: [ObjectIdentifier: Connection] = [:]
    var counts: [ClientAddress: Int] = [:]

    mutating func remove(_ id: ObjectIdentifier) -> (any Channel)? {
      guard let connection = connections.removeValue(forKey: id) else { return nil }
      if let address = connection.address {
        let count = counts[address, default: 0] - 1
        counts[address] = count > 0 ? count : nil
      }
      return connection.channel
    }

    /// Removes the connection that has been idle for the longest time.
    ///
    /// - Parameter address: the address whose connections are considered; nil for all.
    mutating func removeLongestIdle(of address: ClientAddress? = nil) -> (any Channel)? {
      var found: (id: ObjectIdentifier, since: NIODeadline)?
      for (id, connection) in connections where address == nil || connection.address == address {
        guard let since = connection.idleSince, since < found?.since ?? .distantFuture else {
          continue
        }
        found = (id, since)
      }
      return found.flatMap { remove($0.id) }
    }
  }

  init(limit: Int, share: Int) {
    self.limit = limit
    self.share = share
  }

  /// Adds a connection, which begins idle, and closes the one that it replaces.
  ///
  /// - Parameter address: the address that the connection counts for; nil for a proxy.
  /// - Returns: false if there is no place for it; then it has to be closed.
  func add(_ channel: any Channel, of address: ClientAddress?) -> Bool {
    let (isAdded, replaced) = state.withLockedValue {
      (state: inout State) -> (Bool, (any Channel)?) in
      var replaced: (any Channel)?
      if let address, state.counts[address, default: 0] >= share {
        replaced = state.removeLongestIdle(of: address)
        guard replaced != nil else { return (false, replaced) }
      } else if state.connections.count >= limit {
        replaced = state.removeLongestIdle()
        guard replaced != nil else { return (false, replaced) }
      }
      state.connections[ObjectIdentifier(channel)] = Connection(
        channel: channel, address: address, idleSince: .now())
      if let address { state.counts[address, default: 0] += 1 }
      return (true, replaced)
    }
    replaced?.close(promise: nil)
    return isAdded
  }

  /// Removes a connection that was closed.
  func remove(_ channel: any Channel) {
    _ = state.withLockedValue { $0.remove(ObjectIdentifier(channel)) }
  }

  /// Closes a connection immediately, without waiting for its client.
  func close(_ channel: any Channel) {
    remove(channel)
    channel.close(promise: nil)
  }

  /// Whether a connection is in the table. One that was replaced is not.
  func contains(_ channel: any Channel) -> Bool {
    state.withLockedValue { $0.connections[ObjectIdentifier(channel)] != nil }
  }

  /// Reports that the client sends nothing more.
  func inputClosed(_ channel: any Channel) {
    state.withLockedValue { $0.connections[ObjectIdentifier(channel)]?.inputIsClosed = true }
  }

  /// Whether a connection is in the table and its client can still send something.
  func isOpen(_ channel: any Channel) -> Bool { client(of: channel) == .sending }

  /// Returns what is known about the client of a connection.
  func client(of channel: any Channel) -> ClientState {
    let isSilent = state.withLockedValue {
      $0.connections[ObjectIdentifier(channel)]?.inputIsClosed
    }
    return isSilent.map { $0 ? .silent : .sending } ?? .gone
  }

  /// Reports that the connection ends because the service ends.
  func beginEnding(_ channel: any Channel) {
    state.withLockedValue { $0.connections[ObjectIdentifier(channel)]?.isEnding = true }
  }

  /// Whether a connection has to end soon, because the service ends or another connection has
  /// replaced it.
  func isEnding(_ channel: any Channel) -> Bool {
    state.withLockedValue { $0.connections[ObjectIdentifier(channel)]?.isEnding ?? true }
  }

  /// Reports that the client has sent or read something, and that the server waits for it again.
  func becomeIdle(_ channel: any Channel) {
    state.withLockedValue { $0.connections[ObjectIdentifier(channel)]?.idleSince = .now() }
  }

  /// Reports that the client has sent a whole request, which is being answered.
  func becomeBusy(_ channel: any Channel) {
    state.withLockedValue { $0.connections[ObjectIdentifier(channel)]?.idleSince = nil }
  }
}
