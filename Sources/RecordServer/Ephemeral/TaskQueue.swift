import NIOConcurrencyHelpers

/// Carries out asynchronous work one piece after the other, in the order in which it arrives.
final class TaskQueue: Sendable {
  /// Ends when all work that arrived before has ended.
  private let last = NIOLockedValueBox(Task<Void, Never> {})

  /// Carries out work after what arrived before it.
  func run<Value: Sendable>(
    _ work: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let task = last.withLockedValue { last in
      let former = last
      let task = Task {
        await former.value
        return try await work()
      }
      last = Task { _ = await task.result }
      return task
    }
    return try await task.value
  }
}
