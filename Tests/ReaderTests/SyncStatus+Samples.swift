import CloudRecords
import FoundationEssentials
import Library
import Quran
import RecordClient
import Sync

/// Sample values.
extension SyncStatus {
  /// 22 November 2026, noon: the time at which every test of the reader begins.
  private static let now: Int64 = 1_795_348_800_000

  static var done: SyncStatus {
    var status = SyncStatus()
    status.phase = .idle
    status.attempts = 1
    var account = SyncAccount(
      origin: "https://records.example.org", container: "iCloud.donald.kvietnamisht",
      environment: "production", userRecordName: "_0123", name: "An", isConfirmed: true)
    account.syncedAt = now
    status.account = account
    return status
  }

  static func failing(_ failure: SyncFailure) -> SyncStatus {
    var status = done
    status.attempts = 2
    status.failure = failure
    return status
  }

  static var unreachable: SyncStatus {
    var status = failing(.call(.unreachable(.connectionRefused)))
    status.outbox = OutboxSummary(count: 3, otherThanProgress: 3, generations: 3)
    return status
  }

  static var expired: SyncStatus { failing(.call(.service(ServiceError(.authenticationRequired)))) }

  static let question = MassDeletion(counts: [.note: 31, .favorite: 4], isProfileGone: true)

  static var asking: SyncStatus { failing(.massDeletion(question)) }

  static var restored: SyncStatus { failing(.restored) }

  /// The user answered the question after a restore; since then the service has been unreachable.
  static var answered: SyncStatus {
    var status = failing(.call(.unreachable(.connectionRefused)))
    status.account?.restoration = .keepService
    status.account?.failingSince = now
    return status
  }

  static var full: SyncStatus {
    var status = done
    status.outbox = OutboxSummary(
      count: 2, otherThanProgress: 2, generations: 2, notBefore: now + 3_600_000,
      lastError: .service(
        code: "QUOTA_EXCEEDED", reason: "the account holds as much as it may"))
    return status
  }

  static var working: SyncStatus {
    var status = done
    status.phase = .working(.sending(done: 1200, of: 10_000))
    status.outbox = OutboxSummary(count: 8800, otherThanProgress: 8800, generations: 8800)
    return status
  }

  static var refused: SyncStatus {
    var status = done
    status.outbox.parked = 1
    let id = UUID(uuidString: "10000000-0000-4000-8000-000000000001")!
    status.parked = [
      .init(.note(id), at: AyahID("2:255"), reason: .recordTooLarge(bytes: 1_200_000))
    ]
    status.unreadableCount = 2
    return status
  }
}
