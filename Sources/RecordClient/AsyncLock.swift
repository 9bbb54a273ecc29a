import Synchronization

/// A lock for tasks, which are admitted one at a time in the order of their arrival.
final class AsyncLock: Sendable {
  private struct State {
    var isHeld = false
    var nextID: UInt64 = 0
    var waiting: [Waiting] = []
  }

  private struct Waiting {
    let id: UInt64
    let continuation: CheckedContinuation<Bool, Never>
  }

  private let state = Mutex(State())

  /// The number of waiting tasks.
  var count: Int { state.withLock { $0.waiting.count } }

  /// Whether a task holds the lock.
  var isHeld: Bool { state.withLock { $0.isHeld } }

  /// Runs a closure while holding the lock.
  ///
  /// - Throws: `.cancelled` if the task is cancelled while it waits; the closure does not run then,
  ///   and the other waiting tasks are not delayed. Otherwise the error of the closure.
  func withLock<Value>(
    _ body: () async throws(CallFailure) -> Value
  ) async throws(CallFailure) -> Value {
    guard await acquire() else { throw .cancelled }
    defer { release() }
    return try await body()
  }

  /// Acquires the lock.
  ///
  /// - Returns: Whether the lock was acquired; false if the task was cancelled.
  private func acquire() async -> Bool {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        // A task is marked as cancelled before its cancellation handler runs. So either
        // `Task.isCancelled` is true here, or the handler finds the waiting task.
        let isAcquired: Bool? = state.withLock { state in
          if Task.isCancelled { return false }
          if !state.isHeld {
            state.isHeld = true
            return true
          }
          state.waiting.append(Waiting(id: id, continuation: continuation))
          return nil
        }
        if let isAcquired { continuation.resume(returning: isAcquired) }
      }
    } onCancel: {
      let waiting = state.withLock { state in
        state.waiting.firstIndex { $0.id == id }.map { state.waiting.remove(at: $0) }
      }
      waiting?.continuation.resume(returning: false)
    }
  }

  /// Passes the lock to the first waiting task, or releases it.
  private func release() {
    let next: Waiting? = state.withLock { state in
      guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
      state.isHeld = false
      return nil
    }
    next?.continuation.resume(returning: true)
  }
}
