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
