import Synchronization

/// Posts the progress of a round that takes longer than 200 milliseconds, at most five times a
/// second.
final class ProgressReporter: Sendable {
  private struct State {
    var progress: SyncProgress?
    var isSlow = false
    var isOver = false
    var posted: (status: SyncStatus, at: ContinuousClock.Instant)?
  }

  private let status: SyncStatus
  private let post: @Sendable (SyncStatus) -> Void
  private let state = Mutex(State())

  /// The time before the first report and between reports.
  private static let interval = Duration.milliseconds(200)

  init(_ status: SyncStatus, post: @escaping @Sendable (SyncStatus) -> Void) {
    self.status = status
    self.post = post
  }

  /// Stores the progress, and posts it if the last post is long enough ago.
  func progress(_ progress: SyncProgress) {
    state.withLock { state in
      state.progress = progress
      guard state.isSlow, !state.isOver,
        state.posted.map({ $0.at.duration(to: .now) >= Self.interval }) ?? true
      else { return }
      report(&state)
    }
  }

  /// Waits for the first interval, then posts the progress.
  func postWhenSlow() async {
    do { try await Task.sleep(for: Self.interval) } catch { return }
    state.withLock { state in
      guard !state.isOver else { return }
      state.isSlow = true
      report(&state)
    }
  }

  /// Ends the reports.
  ///
  /// - Returns: The status that was posted last; nil if none was.
  func finish() -> SyncStatus? {
    state.withLock { state in
      state.isOver = true
      return state.posted?.status
    }
  }

  private func report(_ state: inout State) {
    var status = status
    status.phase = .working(state.progress)
    state.posted = (status, .now)
    post(status)
  }
}
