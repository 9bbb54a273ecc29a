import CloudRecords
import Testing

@testable import RecordClient
@testable import RecordServiceSupport

struct CancellationTests {
  @Test func aResultThatIsThereAtTheTimeLimitIsReturned() async {
    let clock = ManualClock()
    let (value, isTimedOut) = await AnyClock(clock).within(.seconds(60)) {
      await clock.waits(for: 1)
      clock.advance(by: .seconds(60))
      let cancelled = Gate()
      await withTaskCancellationHandler {
        await cancelled.wait()
      } onCancel: {
        cancelled.open()
      }
      return Task.isCancelled
    }
    #expect(value)
    #expect(isTimedOut)
    #expect(clock.sleeping == 0)
  }

  @Test func aCancelledCallLetsTheNextOneStart() async throws {
    try await withClient(.answering { $0.index == 0 ? .silence : .json("{}") }) { client, service in
      let first = Task { await failure(of: client) }
      _ = await service.arrival()
      let second = Task { await failure(of: client) }
      first.cancel()
      #expect(await first.value == .cancelled)
      #expect(await second.value == nil)
      #expect(service.requests.count == 2)
    }
  }

  /// The second call may not wait yet when it is cancelled; the tests of `AsyncLock` cancel a task
  /// that does.
  @Test func aCallCancelledDuringAnotherDoesNotBlockTheNextOne() async throws {
    let gate = Gate()
    try await withClient(
      .answering { request in
        if request.index == 0 { await gate.wait() }
        return .json("{}")
      }
    ) { client, service in
      let first = Task { await failure(of: client) }
      _ = await service.arrival()
      let second = Task { await failure(of: client) }
      second.cancel()
      #expect(await second.value == .cancelled)
      let third = Task { await failure(of: client) }
      gate.open()
      #expect(await first.value == nil)
      #expect(await third.value == nil)
      #expect(service.requests.count == 2)
    }
  }

  @Test func aCallOfACancelledTaskSendsNothing() async throws {
    try await withClient(.answering { _ in .json("{}") }) { client, service in
      let gate = Gate()
      let task = Task {
        await gate.wait()
        return await failure(of: client)
      }
      task.cancel()
      gate.open()
      #expect(await task.value == .cancelled)
      #expect(service.requests.isEmpty)
    }
  }

  @Test func aPollCanBeCancelled() async throws {
    try await withClient(.answering { _ in .silence }) { client, service in
      let task = Task {
        await failure { () async throws(CallFailure) in
          _ = try await client.notification(at: service.origin + "/poll")
        }
      }
      _ = await service.arrival()
      task.cancel()
      #expect(await task.value == .cancelled)
    }
  }

  @Test func aShutdownCancelsRunningAndLaterCalls() async throws {
    try await withClient(.answering { _ in .silence }) { client, service in
      let task = Task { await failure(of: client) }
      _ = await service.arrival()
      await client.shutdown()
      #expect(await task.value == .cancelled)
      #expect(await failure(of: client) == .cancelled)
      #expect(service.requests.count == 1)
    }
  }

  @Test func aReleasedClientIsShutDown() async throws {
    try await FakeService.run(.answering { _ in .json("{}") }) { service in
      let address = try ServiceAddress(
        service.origin, container: container, environment: .development)
      weak var released: RecordClient?
      do {
        let client = RecordClient(address, credentials: MemoryCredentialStore())
        released = client
        #expect(await failure(of: client) == nil)
      }
      await until { released == nil }
    }
  }

  @Test(arguments: [0, 1])
  func cancellationWhileReadingCredentialsSendsNothing(_ failing: Int) async throws {
    let reading = Gate()
    let cancelled = Gate()
    let store = MemoryCredentialStore { _, _ in
      reading.open()
      await cancelled.wait()
    }
    store.fail(reads: failing)
    try await withClient(.answering { _ in .json("{}") }, store: store) { client, service in
      let task = Task { await failure(of: client) }
      await reading.wait()
      task.cancel()
      cancelled.open()
      #expect(await task.value == .cancelled)
      #expect(service.requests.isEmpty)
    }
  }

  // MARK: AsyncLock

  @Test func theLockIsAcquiredInTheOrderOfArrival() async throws {
    let lock = AsyncLock()
    let gate = Gate()
    let (order, place) = AsyncStream<Int>.makeStream()
    let first = Task {
      try await lock.withLock { () async throws(CallFailure) in await gate.wait() }
    }
    await until { lock.isHeld }
    var tasks: [Task<Void, any Error>] = []
    for number in 0..<10 {
      tasks.append(
        Task {
          try await lock.withLock { () async throws(CallFailure) in _ = place.yield(number) }
        })
      await until { lock.count == number + 1 }
    }
    tasks[4].cancel()
    await until { lock.count == 9 }
    gate.open()
    try await first.value
    for (number, task) in tasks.enumerated() where number != 4 { try await task.value }
    place.finish()
    #expect(await order.reduce(into: []) { $0.append($1) } == [0, 1, 2, 3, 5, 6, 7, 8, 9])
    #expect(!lock.isHeld)
  }

  @Test func cancelledTasksDoNotKeepTheLock() async throws {
    let lock = AsyncLock()
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<200 {
        group.addTask {
          let task = Task {
            try? await lock.withLock { () async throws(CallFailure) in await Task.yield() }
          }
          if number.isMultiple(of: 3) { task.cancel() }
          _ = await task.value
        }
      }
    }
    #expect(!lock.isHeld)
    #expect(lock.count == 0)
  }

  /// Yields until a condition is true.
  private func until(_ condition: () -> Bool) async {
    while !condition() { await Task.yield() }
  }
}
