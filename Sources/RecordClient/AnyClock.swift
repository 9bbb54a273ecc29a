/// A type-erased clock. Times are durations since its creation.
struct AnyClock: Sendable {
  private let elapsed: @Sendable () -> Duration
  private let sleepUntil: @Sendable (Duration) async throws -> Void

  init(_ clock: some Clock<Duration>) {
    let start = clock.now
    elapsed = { start.duration(to: clock.now) }
    sleepUntil = { try await clock.sleep(until: start.advanced(by: $0), tolerance: nil) }
  }

  /// The time since the creation of the clock.
  var now: Duration { elapsed() }

  /// Waits until a time.
  ///
  /// - Throws: A `CancellationError` if the task is cancelled.
  func sleep(until time: Duration) async throws {
    if time > now { try await sleepUntil(time) }
  }

  /// Runs a closure, and cancels it when a time limit is exceeded.
  ///
  /// - Returns: The result of the closure, and whether the limit was exceeded. The closure may have
  ///   succeeded nevertheless, just before it was cancelled.
  func within<Value: Sendable>(
    _ limit: Duration, _ body: @escaping @Sendable () async -> Value
  ) async -> (value: Value, isTimedOut: Bool) {
    let end = now + limit
    return await withTaskGroup(of: Value?.self) { group in
      group.addTask { await body() }
      group.addTask { [self] in
        try? await sleep(until: end)
        return nil
      }
      let first = await group.next() ?? nil
      // If the caller is cancelled, the timer ends as well, and may end before the closure.
      let isTimedOut = first == nil && !Task.isCancelled
      group.cancelAll()
      let second = await group.next() ?? nil
      guard let value = first ?? second else { preconditionFailure("a closure without a result") }
      return (value, isTimedOut)
    }
  }
}
