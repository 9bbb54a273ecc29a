import Dispatch
import NIOConcurrencyHelpers

/// A queue that hashes passwords on its own threads, so that neither the event loops nor Swift's
/// thread pool are blocked. It runs few jobs at the same time, because each takes 32 MB, and has a
/// short waiting list, because users who wait for long try again.
final class HashingQueue: Sendable {
  /// The number of jobs that run at the same time.
  static let maximumRunning = 2
  /// The maximum number of jobs that wait.
  static let maximumWaiting = 16

  /// The error of a full queue.
  struct QueueFull: Error {}

  // A serial queue has its own thread while it works. A concurrent queue would use the threads that
  // all tasks share; there are only as many of them as processors.
  private let queues = (1...maximumRunning).map { DispatchQueue(label: "passwords \($0)") }
  private let state = NIOLockedValueBox(State())

  private struct State {
    /// The indexes of the queues without a job.
    var idle = Array(0..<maximumRunning)
    /// The jobs that wait for a queue, oldest first.
    var waiting: [@Sendable () -> Void] = []
  }

  /// Runs a job and returns its result.
  ///
  /// - Throws: `QueueFull` if too many jobs wait; then the job does not run.
  func run<Value: Sendable>(
    _ work: @escaping @Sendable () -> Value
  ) async throws(QueueFull) -> Value {
    let value: Value? = await withCheckedContinuation { continuation in
      let isAccepted = submit { continuation.resume(returning: work()) }
      if !isAccepted { continuation.resume(returning: nil) }
    }
    guard let value else { throw QueueFull() }
    return value
  }

  /// Adds a job.
  ///
  /// - Returns: false if too many jobs wait; then the job does not run.
  func submit(_ work: @escaping @Sendable () -> Void) -> Bool {
    let decision: Decision = state.withLockedValue { state in
      if let queue = state.idle.popLast() { return .begin(queue) }
      guard state.waiting.count < Self.maximumWaiting else { return .refuse }
      state.waiting.append(work)
      return .wait
    }
    switch decision {
    case .begin(let queue): begin(work, on: queue)
    case .wait: break
    case .refuse: return false
    }
    return true
  }

  private enum Decision {
    case begin(Int)
    case wait, refuse
  }

  private func begin(_ work: @escaping @Sendable () -> Void, on queue: Int) {
    queues[queue].async {
      work()
      let next: (@Sendable () -> Void)? = self.state.withLockedValue { state in
        guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
        state.idle.append(queue)
        return nil
      }
      if let next { self.begin(next, on: queue) }
    }
  }
}
