import Foundation
import Synchronization
import TestSupport

/// A proxy that connects every host to the same port of this machine, and records what clients
/// send.
final class TunnelProxy: Sendable {
  enum Kind: CaseIterable { case connect, socks5 }

  private let kind: Kind
  private let listener: Int32
  private let target: UInt16
  private let port: UInt16
  private let hosts = Mutex<[String]>([])
  private let received = Mutex<[UInt8]>([])

  /// The URL for the environment variables that name a proxy.
  var url: String {
    switch kind {
    case .connect: "http://127.0.0.1:\(port)"
    case .socks5: "socks5h://127.0.0.1:\(port)"
    }
  }

  /// The hosts that it was asked for so far, with their ports.
  var requestedHosts: [String] { hosts.withLock { $0 } }

  /// All bytes that clients sent, including those through the tunnels.
  var bytes: [UInt8] { received.withLock { $0 } }

  init(_ kind: Kind, to target: UInt16) throws {
    self.kind = kind
    self.target = target
    (listener, port) = try listenOnLoopback()
    acceptConnections(on: listener) { [weak self] client in
      Thread.detachNewThread { [weak self] in
        if let server = self?.open(client) {
          Self.splice(client, server) { part in self?.received.withLock { $0 += part } }
          close(server)
        }
        close(client)
      }
    }
  }

  deinit {
    shutdown(listener, Int32(SHUT_RDWR))
  }

  /// Answers the request of the client to connect it to a host.
  ///
  /// - Returns: a connection to the target.
  private func open(_ client: Int32) -> Int32? {
    let host: String?
    let answer: [UInt8]
    switch kind {
    case .connect:
      var head: [UInt8] = []
      while !head.suffix(4).elementsEqual("\r\n\r\n".utf8) {
        guard let byte = take(1, from: client) else { return nil }
        head += byte
      }
      let words = String(decoding: head, as: UTF8.self).split(separator: " ")
      host = words.first == "CONNECT" ? words.dropFirst().first.map(String.init) : nil
      answer = Array("HTTP/1.1 200 Connection established\r\n\r\n".utf8)
    case .socks5:
      // RFC 1928: no authentication, then CONNECT to a name.
      guard let greeting = take(2, from: client), take(Int(greeting[1]), from: client) != nil,
        write(client, [5, 0], 2) == 2, let request = take(5, from: client),
        request[..<4] == [5, 1, 0, 3], let name = take(Int(request[4]), from: client),
        let number = take(2, from: client)
      else { return nil }
      host = "\(String(decoding: name, as: UTF8.self)):\(Int(number[0]) << 8 | Int(number[1]))"
      answer = [5, 0, 0, 1, 127, 0, 0, 1, 0, 0]
    }
    guard let host, let server = try? connectToLoopback(target) else { return nil }
    hosts.withLock { $0.append(host) }
    guard write(client, answer, answer.count) == answer.count else {
      close(server)
      return nil
    }
    return server
  }

  /// Reads `count` bytes and records them.
  private func take(_ count: Int, from client: Int32) -> [UInt8]? {
    var bytes: [UInt8] = []
    while bytes.count < count {
      var buffer = [UInt8](repeating: 0, count: count - bytes.count)
      let received = read(client, &buffer, buffer.count)
      guard received > 0 else { return nil }
      bytes += buffer[..<received]
    }
    received.withLock { $0 += bytes }
    return bytes
  }

  /// Passes bytes in both directions until one side ends.
  private static func splice(
    _ client: Int32, _ server: Int32, record: (ArraySlice<UInt8>) -> Void
  ) {
    while true {
      let events = waitForEvents([(client, POLLIN), (server, POLLIN)], milliseconds: -1)
      for (index, ends) in [(client, server), (server, client)].enumerated()
      where events[index] != 0 {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = read(ends.0, &buffer, buffer.count)
        guard count > 0, write(ends.1, buffer, count) == count else { return }
        if index == 0 { record(buffer[..<count]) }
      }
    }
  }
}
