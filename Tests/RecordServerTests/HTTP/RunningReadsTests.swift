import CloudRecords
import NIOConcurrencyHelpers
import Testing

@testable import RecordServer

struct RunningReadsTests {
  private let reads = RunningReads()

  /// A stand-in for a connection.
  private final class Connection: Sendable {}

  /// A read that runs until it is cancelled or opened.
  private final class Gate: Sendable {
    private let isOpen = NIOLockedValueBox(false)
    func open() { isOpen.withLockedValue { $0 = true } }
    /// - Returns: whether the read was cancelled.
    func pass() async -> Bool {
      while !isOpen.withLockedValue({ $0 }) {
        if Task.isCancelled { return true }
        await Task.yield()
      }
      return Task.isCancelled
    }
  }

  private func until(_ running: Int, _ waiting: Int) async {
    while reads.running != running || reads.waiting != waiting { await Task.yield() }
  }

  @Test func twoReadsOfAClientRunAndOthersWait() async throws {
    let gate = Gate()
    let most = NIOLockedValueBox((now: 0, most: 0))
    let count = RunningReads.limit + RunningReads.waitingLimit
    let connections = (0..<count).map { _ in Connection() }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for connection in connections {
        group.addTask {
          _ = try await reads.run(
            .query, for: .user(1), on: ObjectIdentifier(connection), client: .sending
          ) {
            most.withLockedValue { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
            _ = await gate.pass()
            most.withLockedValue { $0.now -= 1 }
          }
        }
      }
      await until(RunningReads.limit, RunningReads.waitingLimit)
      // One more is refused, but not a query of another client.
      let further = Connection()
      await #expect(
        throws: ServiceError(.throttled, cause: .tooManyQueries, retryAfter: 1)
      ) {
        try await reads.run(.query, for: .user(1), on: ObjectIdentifier(further), client: .sending)
        {}
      }
      let other = try await reads.run(
        .query, for: .user(2), on: ObjectIdentifier(further), client: .sending
      ) { "other" }
      #expect(other == "other")
      // A page of the same client waits with the queries.
      let page = Connection()
      group.addTask {
        try await reads.run(.page, for: .user(1), on: ObjectIdentifier(page), client: .sending) {}
      }
      await until(RunningReads.limit, RunningReads.waitingLimit + 1)
      gate.open()
      try await group.waitForAll()
    }
    #expect(most.withLockedValue { $0.most } == RunningReads.limit)
    #expect(reads.running == 0)
    withExtendedLifetime(connections) {}
  }

  @Test func aReadThatFailsLeavesItsPlace() async {
    let connection = Connection()
    for _ in 0...RunningReads.limit {
      await #expect(throws: CancellationError.self) {
        try await reads.run(
          .page, for: .user(1), on: ObjectIdentifier(connection), client: .sending
        ) {
          throw CancellationError()
        }
      }
    }
    #expect(reads.running == 0)
  }

  /// The session can end while a read waits.
  @Test func aReadThatWaitedIsCheckedAgain() async throws {
    let gate = Gate()
    func start(_ connection: Connection) -> Task<Void, any Error> {
      Task {
        try await reads.run(
          .page, for: .user(1), on: ObjectIdentifier(connection), client: .sending,
          recheck: { throw StorageFailure.busy }
        ) { _ = await gate.pass() }
      }
    }
    let connections = (0...RunningReads.limit).map { _ in Connection() }
    let running = connections.dropLast().map(start)
    await until(RunningReads.limit, 0)
    let waiting = start(connections[RunningReads.limit])
    await until(RunningReads.limit, 1)
    gate.open()
    for task in running { try await task.value }
    await #expect(throws: StorageFailure.busy) { try await waiting.value }
    #expect(reads.running == 0)
    withExtendedLifetime(connections) {}
  }

  @Test func aReadEndsWithItsConnection() async throws {
    let gate = Gate()
    let (first, second, third) = (Connection(), Connection(), Connection())
    func run(
      _ connection: Connection, _ client: ConnectionTable.ClientState = .sending
    ) async -> Bool? {
      try? await reads.run(
        .query, for: .user(1), on: ObjectIdentifier(connection), client: client
      ) { await gate.pass() }
    }
    async let running = run(first)
    await until(1, 0)
    async let other = run(second)
    await until(2, 0)
    async let waiting = run(third)
    await until(2, 1)
    // A read that waits is not run.
    reads.end(ObjectIdentifier(third))
    #expect(await waiting == nil)
    await until(2, 0)
    // A read that runs is cancelled.
    reads.end(ObjectIdentifier(first))
    #expect(await running == true)
    await until(1, 0)
    // The client closed the connection before its read arrived.
    #expect(await run(first, .gone) == nil)
    gate.open()
    #expect(await other == false)
    #expect(reads.running == 0)
  }

  /// A client that sends nothing more may wait for its response, or have gone.
  @Test func aReadOfASilentClientGoesOnUntilAnotherHasToWait() async throws {
    let gate = Gate()
    let connections = (0...RunningReads.limit + 1).map { _ in Connection() }
    func run(_ number: Int, _ client: ConnectionTable.ClientState = .sending) async -> Bool? {
      try? await reads.run(
        .page, for: .user(1), on: ObjectIdentifier(connections[number]), client: client
      ) { await gate.pass() }
    }
    // One client was silent before its read began, the other becomes silent later.
    async let first = run(0, .silent)
    await until(1, 0)
    async let second = run(1)
    await until(2, 0)
    reads.end(ObjectIdentifier(connections[1]), .silent)
    // A silent client does not wait for a place, and takes none from others.
    #expect(await run(2, .silent) == nil)
    async let third = run(3)
    #expect(await first == true)
    #expect(await second == true)
    await until(1, 0)
    // Nothing waits, so the next one goes on.
    reads.end(ObjectIdentifier(connections[3]), .silent)
    gate.open()
    #expect(await third == false)
    #expect(reads.running == 0)
  }

  @Test func aReadOfASilentClientEndsIfAnotherWaitsAlready() async throws {
    let gate = Gate()
    let connections = (0...RunningReads.limit).map { _ in Connection() }
    func run(_ number: Int) async -> Bool? {
      try? await reads.run(
        .page, for: .user(1), on: ObjectIdentifier(connections[number]), client: .sending
      ) { await gate.pass() }
    }
    async let first = run(0)
    await until(1, 0)
    async let second = run(1)
    await until(2, 0)
    async let third = run(2)
    await until(2, 1)
    reads.end(ObjectIdentifier(connections[0]), .silent)
    #expect(await first == true)
    await until(2, 0)
    gate.open()
    #expect(await second == false)
    #expect(await third == false)
  }
}
