import CloudRecords
import NIOConcurrencyHelpers

/// The jobs that this process is running, so that it never runs one twice at the same time.
final class RunningJobs: Sendable {
  typealias Result = Swift.Result<Int, ServiceError>

  private let tasks = NIOLockedValueBox<[JobRow.ID: Task<Result, Never>]>([:])

  /// Whether a job is running.
  func contains(_ id: JobRow.ID) -> Bool { tasks.withLockedValue { $0[id] != nil } }

  /// Returns the task of a running job, or starts one.
  ///
  /// - Parameter run: runs the job.
  func task(
    of id: JobRow.ID, _ run: @escaping @Sendable () async -> Result
  ) -> Task<Result, Never> {
    tasks.withLockedValue { tasks in
      if let task = tasks[id] { return task }
      let task = Task {
        let result = await run()
        self.tasks.withLockedValue { $0[id] = nil }
        return result
      }
      tasks[id] = task
      return task
    }
  }
}
