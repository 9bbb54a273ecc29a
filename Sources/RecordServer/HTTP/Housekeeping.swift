import CloudRecords
import Logging
import ServiceLifecycle

/// The background service that continues the work which an earlier process left unfinished, and
/// deletes expired data every hour.
struct Housekeeping: Service {
  let service: RecordService
  let accountService: AccountService
  let push: LongPollHub
  let logger: Logger

  /// The time between two runs.
  private static let interval = Duration.seconds(3600)

  func run() async throws {
    await cancelWhenGracefulShutdown {
      while true {
        await attempt(.resume) {
          try await accountService.resumeRemovals()
          try await service.resume()
        }
        await attempt(.removeExpired) {
          try await accountService.removeExpired()
          var over: [PushChannel.ID] = []
          for pushChannel in push.pushChannels where try await !accountService.isAlive(pushChannel)
          {
            over.append(pushChannel.id)
          }
          push.remove(over)
          await push.removeExpired()
        }
        await attempt(.deleteTombstones) { _ = try await service.deleteTombstones() }
        await attempt(.deleteMarks) { try await service.deleteMarks() }
        await attempt(.deleteAssets) { try await service.deleteUnusedAssets() }
        do { try await Task.sleep(for: Self.interval) } catch { return }
      }
    }
  }

  /// Runs a task and logs its failure. A failed task is repeated in the next run.
  private func attempt(_ task: HousekeepingTask, _ body: () async throws -> Void) async {
    do { try await body() } catch {
      guard !Task.isCancelled else { return }
      logger.error(
        LogMessage.housekeepingFailed,
        metadata: ["task": "\(task.rawValue)", "error": "\(LogMessage.sentence(error))"])
    }
  }
}
