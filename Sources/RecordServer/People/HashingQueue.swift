import Dispatch
import NIOConcurrencyHelpers

/// A queue that hashes passwords on its own threads, so that neither the event loops nor Swift's
/// thread pool are blocked. It runs few jobs at the same time, since each takes 32 MB, and has a
/// short waiting list, since a user who waits long tries again.
final class HashingQueue: Sendable {
  /// The number of jobs that run at the same time.
  static let atOnce = 2
  /// The maximum number of jobs that wait.
  static let inLine = 16

  /// The error of a full queue.
  struct Busy: Error {}

  // A serial queue has its own thread while it works. A concurrent queue would use the threads that
  // all tasks share, of which there are as many as processors.
  private let queues = (1...atOnce).map { DispatchQueue(label: "passwords \($0)") }
  private let state = NIOLockedValueBox(State())

  private struct State {
    /// The indexes of the queues without a job.
    var idle = Array(0..<atOnce)
    /// The jobs that wait for a queue, oldest first.
    var waiting: [@Sendable () -> Void] = []
  }

  /// Runs a job and returns its result.
  ///
  /// - Throws: `Busy` if the queue is full; then the job does not run.
  func run<Value: Sendable>(
    _ work: @escaping @Sendable () -> Value
  ) async throws(Busy) -> Value {
    let value: Value? = await withCheckedContinuation { continuation in
      let isTaken = submit { continuation.resume(returning: work()) }
      if !isTaken { continuation.resume(returning: nil) }
    }
    guard let value else { throw Busy() }
    return value
  }

  /// Adds a job.
  ///
  /// - Returns: false if the queue is full; then the job does not run.
  func submit(_ work: @escaping @Sendable () -> Void) -> Bool {
    let decision: Decision = state.withLockedValue { state in
      if let queue = state.idle.popLast() { return .begin(queue) }
      guard state.waiting.count < Self.inLine else { return .refuse }
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
