import Dispatch
import Synchronization

/// A function that runs on another thread while the calling one waits for it.
///
/// `@unchecked`: only the task uses the function, since the caller is blocked until its end.
private struct AwaitedWork: @unchecked Sendable {
  let run: () async throws -> Void
}

/// Runs an asynchronous function while the calling thread is blocked.
func waitFor(_ body: @escaping () async throws -> Void) throws {
  let work = AwaitedWork(run: body)
  let result = Mutex<Result<Void, any Error>>(.success(()))
  let isDone = DispatchSemaphore(value: 0)
  Task.detached {
    do {
      try await work.run()
    } catch {
      result.withLock { $0 = .failure(error) }
    }
    isDone.signal()
  }
  isDone.wait()
  try result.withLock { $0 }.get()
}

/// A value that is computed on a background thread while the calling thread continues.
final class Future<Value: Sendable>: Sendable {
  private let result = Mutex<Value?>(nil)
  private let work = DispatchGroup()

  /// Starts to compute the value on a background thread.
  init(_ compute: @escaping @Sendable () -> Value) {
    DispatchQueue.global(qos: .userInitiated).async(group: work) { [self] in
      let value = compute()
      result.withLock { $0 = value }
    }
  }

  /// The value. If it is not computed yet, the calling thread waits for it.
  var value: Value {
    work.wait()
    guard let value = result.withLock({ $0 }) else {
      preconditionFailure("the work has ended without a value")
    }
    return value
  }
}
