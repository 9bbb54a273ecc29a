import Synchronization

/// Tells how far a round is where it takes longer than a moment, and not too often.
final class ProgressReporter: Sendable {
  private struct State {
    var progress: SyncProgress?
    var isSlow = false
    var isOver = false
    var told: (status: SyncStatus, at: ContinuousClock.Instant)?
  }

  private let status: SyncStatus
  private let post: @Sendable (SyncStatus) -> Void
  private let state = Mutex(State())

  /// What is over before is not worth a look.
  private static let moment = Duration.milliseconds(200)

  init(_ status: SyncStatus, post: @escaping @Sendable (SyncStatus) -> Void) {
    self.status = status
    self.post = post
  }

  func progress(_ progress: SyncProgress) {
    state.withLock { state in
      state.progress = progress
      guard state.isSlow, !state.isOver,
        state.told.map({ $0.at.duration(to: .now) >= Self.moment }) ?? true
      else { return }
      tell(&state)
    }
  }

  /// Waits until the round is slow.
  func tellWhenSlow() async {
    do { try await Task.sleep(for: Self.moment) } catch { return }
    state.withLock { state in
      guard !state.isOver else { return }
      state.isSlow = true
      tell(&state)
    }
  }

  /// - Returns: what was told last; nil for nothing. Nothing is told any more.
  func finish() -> SyncStatus? {
    state.withLock { state in
      state.isOver = true
      return state.told?.status
    }
  }

  private func tell(_ state: inout State) {
    var status = status
    status.phase = .working(state.progress)
    state.told = (status, .now)
    post(status)
  }
}
