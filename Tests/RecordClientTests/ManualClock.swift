import Synchronization

/// A clock that only a test advances.
final class ManualClock: Clock, Sendable {
  struct Instant: InstantProtocol {
    var offset: Duration

    func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Duration { other.offset - offset }
    static func < (a: Instant, b: Instant) -> Bool { a.offset < b.offset }
  }

  private struct Sleeper {
    let id: Int
    let deadline: Instant
    let continuation: CheckedContinuation<Bool, Never>
  }

  private struct Watcher {
    let count: Int
    let continuation: CheckedContinuation<Void, Never>
  }

  private struct State {
    var now = Instant(offset: .zero)
    var nextID = 0
    var sleepers: [Sleeper] = []
    var watchers: [Watcher] = []
  }

  private let state = Mutex(State())

  var now: Instant { state.withLock { $0.now } }
  var minimumResolution: Duration { .zero }

  /// The number of sleeping tasks.
  var sleeping: Int { state.withLock { $0.sleepers.count } }

  /// The times at which the sleeping tasks wake, since the creation of the clock.
  var deadlines: [Duration] { state.withLock { $0.sleepers.map(\.deadline.offset) } }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    let isAwake = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let (isAwake, watchers): (Bool?, [Watcher]) = state.withLock { state in
          if Task.isCancelled { return (false, []) }
          if deadline <= state.now { return (true, []) }
          state.sleepers.append(Sleeper(id: id, deadline: deadline, continuation: continuation))
          let count = state.sleepers.count
          let watchers = state.watchers.filter { $0.count <= count }
          state.watchers.removeAll { $0.count <= count }
          return (nil, watchers)
        }
        if let isAwake { continuation.resume(returning: isAwake) }
        for watcher in watchers { watcher.continuation.resume() }
      }
    } onCancel: {
      let sleeper = state.withLock { state in
        state.sleepers.firstIndex { $0.id == id }.map { state.sleepers.remove(at: $0) }
      }
      sleeper?.continuation.resume(returning: false)
    }
    if !isAwake { throw CancellationError() }
  }

  /// Waits until a number of tasks sleep.
  func waits(for count: Int) async {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if state.sleepers.count >= count { return true }
        state.watchers.append(Watcher(count: count, continuation: continuation))
        return false
      }
      if isThere { continuation.resume() }
    }
  }

  func advance(by duration: Duration) {
    let woken = state.withLock { state in
      state.now.offset += duration
      let woken = state.sleepers.filter { $0.deadline <= state.now }
      state.sleepers.removeAll { $0.deadline <= state.now }
      return woken
    }
    for sleeper in woken { sleeper.continuation.resume(returning: true) }
  }
}
