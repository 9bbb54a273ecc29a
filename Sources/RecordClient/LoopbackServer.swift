import FlyingSocks
import FoundationEssentials
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Answers requests of HTTP on a port of 127.0.0.1 that the kernel chooses: one a connection.
final class LoopbackServer: Sendable {
  struct Answer: Sendable {
    var bytes: Data
    /// Runs once it was handed to the kernel, before the connection is closed.
    var onSent: @Sendable () -> Void = {}
  }

  let port: Int

  private let task: Task<Void, Never>
  private let isOpen: Flag

  private final class Flag: Sendable {
    let isSet = Atomic(true)
  }

  /// Begins to listen.
  ///
  /// - Parameters:
  ///   - requestBytes: the most bytes of a request's head. Who sends more is cut off.
  ///   - patience: how long a connection may take for its request.
  ///   - onEnd: runs when it has ended, whatever ended it.
  ///   - answer: to the head of a request; nil cuts it off.
  init(
    requestBytes: Int, patience: Duration = .seconds(10),
    onEnd: @escaping @Sendable () -> Void = {},
    answer: @escaping @Sendable (_ head: Data, _ port: Int) -> Answer?
  ) async throws {
    let pool = SocketPool.make()
    try await pool.prepare()
    let socket = try Socket(domain: AF_INET, type: .stream)
    let listener: AsyncSocket
    do {
      try Self.keepFromPrograms(socket)
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
          await Self.serve(listener, patience) { connection in
            guard let head = try await Self.head(of: connection, requestBytes),
              let answer = answer(head, port)
            else { return }
            try await connection.write(answer.bytes)
            answer.onSent()
          }
        }
        // Whichever ends first: without the pool no connection goes on.
        await group.next()
        group.cancelAll()
      }
      isOpen.isSet.store(false, ordering: .relaxed)
      onEnd()
    }
  }

  deinit { task.cancel() }

  var isListening: Bool { isOpen.isSet.load(ordering: .relaxed) }

  /// Ends it and every connection, and waits until they have ended.
  func close() async {
    task.cancel()
    await task.value
  }

  private static func serve(
    _ listener: AsyncSocket, _ patience: Duration,
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
            await within(patience) {
              // A connection that breaks is its browser's loss.
              try? keepFromPrograms(connection.socket)
              try? await body(connection)
            }
            try? connection.close()
          }
        } catch {
          // This process may have no more descriptors for a while, or who connected is gone.
          try? await Task.sleep(for: .milliseconds(100))
        }
      }
      connections.cancelAll()
    }
    try? listener.close()
  }

  /// How many connections are served at once; others wait.
  static let maximumConnections = 32

  private static func within(
    _ limit: Duration, _ body: @escaping @Sendable () async -> Void
  ) async {
    await withTaskGroup { group in
      group.addTask { await body() }
      group.addTask { try? await Task.sleep(for: limit) }
      await group.next()
      group.cancelAll()
    }
  }

  /// The browser that is started is not to have the connections open.
  private static func keepFromPrograms(_ socket: Socket) throws {
    guard fcntl(socket.file.rawValue, F_SETFD, FD_CLOEXEC) == 0 else {
      throw SocketError.disconnected
    }
  }

  /// The head of a request with the empty line that ends it; nil where it is too long.
  private static func head(of connection: AsyncSocket, _ limit: Int) async throws -> Data? {
    var head = Data()
    while head.count <= limit {
      head.append(contentsOf: try await connection.read(atMost: 4096))
      if let end = head.firstRange(of: Data("\r\n\r\n".utf8)) { return head[..<end.upperBound] }
    }
    return nil
  }
}
