import Dispatch
import Synchronization

/// A function that runs on another thread while the calling one waits for it.
///
/// `@unchecked`: only the task uses the function, since the caller is blocked until its end.
private struct AwaitedWork<Value>: @unchecked Sendable {
  let run: () async throws -> Value
}

/// Runs an asynchronous function while the calling thread is blocked, and returns its value.
func waitFor<Value: Sendable>(_ body: @escaping () async throws -> Value) throws -> Value {
  let work = AwaitedWork(run: body)
  let result = Mutex<Result<Value, any Error>?>(nil)
  let isDone = DispatchSemaphore(value: 0)
  Task.detached {
    do {
      let value = try await work.run()
      result.withLock { $0 = .success(value) }
    } catch {
      result.withLock { $0 = .failure(error) }
    }
    isDone.signal()
  }
  isDone.wait()
  guard let result = result.withLock({ $0 }) else {
    preconditionFailure("the function has ended without a result")
  }
  return try result.get()
}
