import Synchronization

/// Lets one in after the other, in the order in which they came.
final class AsyncLock: Sendable {
  private struct State {
    var isTaken = false
    var nextID: UInt64 = 0
    var waiting: [Waiting] = []
  }

  private struct Waiting {
    let id: UInt64
    let continuation: CheckedContinuation<Bool, Never>
  }

  private let state = Mutex(State())

  /// How many wait.
  var count: Int { state.withLock { $0.waiting.count } }

  var isTaken: Bool { state.withLock { $0.isTaken } }

  /// Runs a body when it is its turn.
  ///
  /// - Throws: `.cancelled` for a task that is cancelled while it waits; then the body does not
  ///   run, and nobody behind waits longer.
  func withLock<Value>(
    _ body: () async throws(CallFailure) -> Value
  ) async throws(CallFailure) -> Value {
    guard await take() else { throw .cancelled }
    defer { pass() }
    return try await body()
  }

  private func take() async -> Bool {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        // A task is marked as cancelled before its handler runs: either this sees the mark, or
        // the handler finds who waits.
        let isIn: Bool? = state.withLock { state in
          if Task.isCancelled { return false }
          if !state.isTaken {
            state.isTaken = true
            return true
          }
          state.waiting.append(Waiting(id: id, continuation: continuation))
          return nil
        }
        if let isIn { continuation.resume(returning: isIn) }
      }
    } onCancel: {
      let waiting = state.withLock { state in
        state.waiting.firstIndex { $0.id == id }.map { state.waiting.remove(at: $0) }
      }
      waiting?.continuation.resume(returning: false)
    }
  }

  private func pass() {
    let next: Waiting? = state.withLock { state in
      guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
      state.isTaken = false
      return nil
    }
    next?.continuation.resume(returning: true)
  }
}
