import RecordClient
import Testing

@testable import Sync

@Suite struct SyncStatusTests {
  @Test func aTransientFailureIsLastingWhileThereIsNoClient() {
    var status = SyncStatus()
    #expect(status.isTransient)
    status.failure = .call(.unreachable(.timedOut))
    #expect(status.isTransient)
    status.problem = .credentials(.missing)
    #expect(!status.isTransient)
    status.failure = nil
    #expect(!status.isTransient)
  }
}
