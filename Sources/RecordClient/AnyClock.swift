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

  /// Runs a closure with a time limit.
  ///
  /// - Returns: The result; nil if the time limit is exceeded. In that case the closure was
  ///   cancelled and has returned.
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
      // If the caller is cancelled, the timer ends first, and the closure is about to return.
      if first == nil, Task.isCancelled { return await group.next() ?? nil }
      return first
    }
  }
}
