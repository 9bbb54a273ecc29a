import Synchronization

/// A value that is set later. Only one task can wait for it.
final class Promise<Value: Sendable>: Sendable {
  private enum State {
    case pending(waiting: CheckedContinuation<Value, Never>?)
    case fulfilled(Value)
  }

  private let state = Mutex(State.pending(waiting: nil))

  /// Sets the value. Only the first call has an effect.
  func fulfill(_ value: Value) {
    let waiting: CheckedContinuation<Value, Never>? = state.withLock { state in
      guard case .pending(let waiting) = state else { return nil }
      state = .fulfilled(value)
      return waiting
    }
    waiting?.resume(returning: value)
  }

  /// The value. The caller waits until it is set, even if the task is cancelled.
  var value: Value {
    get async {
      await withCheckedContinuation { continuation in
        let value: Value? = state.withLock { state in
          if case .fulfilled(let value) = state { return value }
          state = .pending(waiting: continuation)
          return nil
        }
        if let value { continuation.resume(returning: value) }
      }
    }
  }
}
