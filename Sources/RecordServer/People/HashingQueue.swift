import Dispatch
import NIOConcurrencyHelpers

/// Does the slow work of passwords on threads of its own, so that no event loop and no
/// thread of the tasks waits for it: at most two at once, since each takes 32 MB, and few
/// in line, since one who waits long asks again.
final class HashingQueue: Sendable {
  static let atOnce = 2
  static let inLine = 16

  /// There are too many in line.
  struct Busy: Error {}

  // A serial queue has a thread to itself while it works. A concurrent one takes from the
  // threads that all tasks share, of which there are no more than processors.
  private let queues = (1...atOnce).map { DispatchQueue(label: "passwords \($0)") }
  private let state = NIOLockedValueBox(State())

  private struct State {
    /// Queues with nothing to do.
    var idle = Array(0..<atOnce)
    var waiting: [@Sendable () -> Void] = []
  }

  /// - Throws: `Busy`, and then nothing was done.
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

  /// - Returns: whether it will be done.
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
