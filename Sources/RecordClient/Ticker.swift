/// A clock whose kind does not matter: time since it was made.
struct Ticker: Sendable {
  private let elapsed: @Sendable () -> Duration
  private let sleepUntil: @Sendable (Duration) async throws -> Void

  init(_ clock: some Clock<Duration>) {
    let start = clock.now
    elapsed = { start.duration(to: clock.now) }
    sleepUntil = { try await clock.sleep(until: start.advanced(by: $0), tolerance: nil) }
  }

  var now: Duration { elapsed() }

  /// - Throws: a `CancellationError`.
  func sleep(until time: Duration) async throws {
    if time > now { try await sleepUntil(time) }
  }

  /// Runs a body for so long.
  ///
  /// - Returns: nil when time is up; the body was cancelled then, and has ended.
  func within<Value: Sendable>(
    _ limit: Duration, _ body: @escaping @Sendable () async -> Value
  ) async -> Value? {
    let end = now + limit
    return await withTaskGroup(of: Value?.self) { group in
      group.addTask { await body() }
      group.addTask { [self] in
        try? await sleep(until: end)
        return nil
      }
      defer { group.cancelAll() }
      guard let first = await group.next() else { return nil }
      // Cancelled from outside, the timer ends first, and the body is about to end.
      if first == nil, Task.isCancelled { return await group.next() ?? nil }
      return first
    }
  }
}
