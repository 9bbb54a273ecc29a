import Dispatch
import NIOConcurrencyHelpers

/// A queue that hashes passwords on its own threads, so that neither the event loops nor Swift's
/// thread pool are blocked. It runs few jobs at the same time, because each takes 32 MB, and has
/// short waiting lists, because users who wait for long try again.
///
/// Jobs for strangers never take the last thread and have a waiting list of their own, so that
/// users whose address is known can sign in while strangers try passwords.
final class HashingQueue: Sendable {
  /// Who waits for a job.
  enum Client: Hashable, CaseIterable, Sendable {
    /// A user at an address from which the account was used before.
    case known
    /// Everyone else.
    case stranger
  }

  /// The number of jobs that run at the same time.
  static let maximumRunning = 2
  /// The maximum number of jobs that wait, for each kind of client.
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
    /// The number of jobs for strangers that run.
    var strangers = 0
    /// The jobs that wait for a queue, oldest first.
    var waiting: [Client: [@Sendable () -> Void]] = [:]

    /// Whether a job for a client may run beside the others.
    func mayRun(_ client: Client) -> Bool {
      client == .known || strangers < HashingQueue.maximumRunning - 1
    }

    /// Removes the next job that may run from the waiting lists, and counts it as running.
    mutating func next() -> (Client, @Sendable () -> Void)? {
      for client in Client.allCases where mayRun(client) && waiting[client]?.isEmpty == false {
        guard let work = waiting[client]?.removeFirst() else { continue }
        if client == .stranger { strangers += 1 }
        return (client, work)
      }
      return nil
    }
  }

  /// Runs a job and returns its result.
  ///
  /// - Throws: `QueueFull` if too many jobs wait; then the job does not run.
  func run<Value: Sendable>(
    for client: Client, _ work: @escaping @Sendable () -> Value
  ) async throws(QueueFull) -> Value {
    let value: Value? = await withCheckedContinuation { continuation in
      let isAccepted = submit(for: client) { continuation.resume(returning: work()) }
      if !isAccepted { continuation.resume(returning: nil) }
    }
    guard let value else { throw QueueFull() }
    return value
  }

  /// Adds a job.
  ///
  /// - Returns: false if too many jobs wait; then the job does not run.
  func submit(for client: Client, _ work: @escaping @Sendable () -> Void) -> Bool {
    let (isAccepted, queue) = state.withLockedValue { (state: inout State) -> (Bool, Int?) in
      if state.mayRun(client), let queue = state.idle.popLast() {
        if client == .stranger { state.strangers += 1 }
        return (true, queue)
      }
      guard state.waiting[client, default: []].count < Self.maximumWaiting else {
        return (false, nil)
      }
      state.waiting[client, default: []].append(work)
      return (true, nil)
    }
    if let queue { begin(work, for: client, on: queue) }
    return isAccepted
  }

  private func begin(
    _ work: @escaping @Sendable () -> Void, for client: Client, on queue: Int
  ) {
    queues[queue].async {
      work()
      let next = self.state.withLockedValue { state in
        if client == .stranger { state.strangers -= 1 }
        let next = state.next()
        if next == nil { state.idle.append(queue) }
        return next
      }
      if let (client, work) = next { self.begin(work, for: client, on: queue) }
    }
  }
}
