import FlyingSocks
import FoundationEssentials
import Glibc
import Synchronization

/// An HTTP server on a port of 127.0.0.1 that the kernel chooses. Each connection serves one
/// request.
final class LoopbackServer: Sendable {
  /// A response.
  struct Response: Sendable {
    /// The response as it is sent, including the head.
    var bytes: Data
    /// A closure that runs after the response was written to the socket, or could not be written,
    /// and before the connection is closed.
    var onSent: @Sendable () -> Void = {}
  }

  /// The port that the kernel has chosen.
  let port: Int

  private let task: Task<Void, Never>
  private let isOpen: Flag

  private final class Flag: Sendable {
    let isSet = Atomic(true)
  }

  /// Starts the server.
  ///
  /// - Parameters:
  ///   - maximumHeadBytes: The maximum size of a request's head in bytes. The connection is closed
  ///     if a head is larger.
  ///   - connectionTimeout: The maximum duration of a connection.
  ///   - onEnd: A closure that runs when the server has ended for any reason.
  ///   - respond: A closure that returns the response to the head of a request, given also the port
  ///     of the server. If it returns nil, the connection is closed without a response.
  /// - Throws: An error if no port can be opened.
  init(
    maximumHeadBytes: Int, connectionTimeout: Duration = .seconds(10),
    onEnd: @escaping @Sendable () -> Void = {},
    respond: @escaping @Sendable (_ head: Data, _ port: Int) -> Response?
  ) async throws {
    let pool = SocketPool.make()
    try await pool.prepare()
    let socket = try Socket(domain: AF_INET, type: .stream)
    let listener: AsyncSocket
    do {
      try Self.setCloseOnExec(socket)
      try socket.bind(to: .inet(ip4: "127.0.0.1", port: 0))
      try socket.listen()
      guard case .ip4(_, let port) = try socket.sockname() else { throw SocketError.disconnected }
      self.port = Int(port)
      listener = try AsyncSocket(socket: socket, pool: pool)
    } catch {
      try? socket.close()
      throw error
    }
    let (isOpen, port) = (Flag(), port)
    self.isOpen = isOpen
    task = Task {
      await withTaskGroup { group in
        group.addTask { try? await pool.run() }
        group.addTask {
          await Self.serve(listener, connectionTimeout) { connection in
            guard let head = try await Self.head(of: connection, maximumHeadBytes),
              let response = respond(head, port)
            else { return }
            defer { response.onSent() }
            try await connection.write(response.bytes)
          }
        }
        // The task that ends first ends the server: connections cannot progress without the pool.
        await group.next()
        group.cancelAll()
      }
      isOpen.isSet.store(false, ordering: .relaxed)
      onEnd()
    }
  }

  deinit { task.cancel() }

  /// Whether the server still runs.
  var isListening: Bool { isOpen.isSet.load(ordering: .relaxed) }

  /// Ends the server and all connections, and waits until they have ended.
  func close() async {
    task.cancel()
    await task.value
  }

  /// Accepts connections until the task is cancelled.
  private static func serve(
    _ listener: AsyncSocket, _ connectionTimeout: Duration,
    _ body: @escaping @Sendable (AsyncSocket) async throws -> Void
  ) async {
    await withTaskGroup(of: Void.self) { connections in
      var count = 0
      while !Task.isCancelled {
        if count == maximumConnections {
          await connections.next()
          count -= 1
        }
        do {
          let connection = try await listener.accept()
          count += 1
          connections.addTask {
            _ = await AnyClock(ContinuousClock()).within(connectionTimeout) {
              // An error on one connection does not affect the others.
              try? setCloseOnExec(connection.socket)
              try? await body(connection)
            }
            try? connection.close()
          }
        } catch {
          // The process may temporarily have no more file descriptors, or the peer has closed the
          // connection.
          try? await Task.sleep(for: .milliseconds(100))
        }
      }
      connections.cancelAll()
    }
    try? listener.close()
  }

  /// The maximum number of simultaneous connections. Further connections wait.
  static let maximumConnections = 32

  /// Marks a socket as close-on-exec, so that the browser process does not inherit it.
  private static func setCloseOnExec(_ socket: Socket) throws {
    guard fcntl(socket.file.rawValue, F_SETFD, FD_CLOEXEC) == 0 else {
      throw SocketError.disconnected
    }
  }

  /// Reads the head of a request, including the empty line that ends it; nil if it is larger than
  /// `limit` bytes.
  private static func head(of connection: AsyncSocket, _ limit: Int) async throws -> Data? {
    var head = Data()
    while head.count < limit {
      let bytes = try await connection.read(atMost: min(4096, limit - head.count))
      head.append(contentsOf: bytes)
      if let end = head.firstRange(of: Data("\r\n\r\n".utf8)) { return head[..<end.upperBound] }
    }
    return nil
  }
}
