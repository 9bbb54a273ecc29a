import CloudRecords
import Foundation
import Library
import Quran
import RecordClient
import RecordServer
import Sync
import Testing

@testable import RecordServiceSupport

/// Each error of the protocol, induced in an ephemeral service, and how the reader handles it.
struct InducedErrorTests {
  /// How the reader handles a change that is refused.
  private enum Handling {
    /// Sends it again by itself, at once or after a wait.
    case sentAgain
    /// Keeps it until the user asks for it or edits it.
    case parked
  }

  private static func handling(_ code: ErrorCode) -> Handling {
    switch code {
    case .conflict, .exists, .serverRecordChanged: .sentAgain
    case .notFound, .unknownItem: .sentAgain
    case .quotaExceeded: .sentAgain
    case .authenticationRequired, .authenticationFailed, .accessDenied, .zoneNotFound: .sentAgain
    case .internalError, .throttled, .tryAgainLater, .zoneBusy, .serviceUnavailable: .sentAgain
    case .badRequest, .limitExceeded, .validatingReferenceError, .uniqueFieldError,
      .changeTokenExpired, .atomicError, .batchRequestFailed, .atomicFailure, .invalidFieldType,
      .other:
      .parked
    }
  }

  /// A library with its engine, on a device of the first user.
  private struct Reader {
    let library: Library
    let engine: SyncEngine
    let clock: AccountFixture.Clock
    let client: RecordClient

    init(_ cloud: EphemeralFixture) async throws {
      let user = try await cloud.ephemeral.signIn("an")
      let clock = cloud.clock
      self.clock = clock
      library = try Library.inMemory()
      client = RecordClient(
        try ServiceAddress(
          cloud.url, container: cloud.ephemeral.container, environment: .production),
        credentials: MemoryCredentialStore(user.webAuthToken, apiToken: cloud.ephemeral.apiToken),
        options: .with())
      engine = SyncEngine(
        library: library, service: client, now: { clock.now }, random: { 1 << 63 })
      try engine.adopt(
        SyncAccount(
          origin: cloud.url, container: cloud.ephemeral.container.name, environment: "production",
          userRecordName: user.userRecordName, isConfirmed: true))
      _ = try await engine.prepareAccount(named: "An")
      _ = try await engine.round()
    }

    func mark(_ ayah: AyahID, _ isFavorite: Bool = true) throws {
      clock.advance(1)
      try library.commit([.setFavorite(ayah, isFavorite)], at: clock.now)
    }

    var favorites: [AyahID] { get throws { try library.snapshot().favorites.map(\.ayah) } }
  }

  private static let ayah = AyahID("2:255")!
  /// Longer than any wait of the reader's own.
  private static let hours: Int64 = 3 * 3_600_000

  /// Runs a test with two readers of the same user.
  private static func run(
    _ body: @escaping @Sendable (EphemeralFixture, Reader, Reader) async throws -> Void
  ) async throws {
    try await EphemeralFixture.run {
      $0.container = AppSchema.quran.container
      $0.schema = try AppSchema.quran.schema
    } _: { cloud in
      let (desk, laptop) = (try await Reader(cloud), try await Reader(cloud))
      let result: Result<Void, any Error>
      do {
        result = .success(try await body(cloud, desk, laptop))
      } catch {
        result = .failure(error)
      }
      for reader in [desk, laptop] { await reader.client.shutdown() }
      try result.get()
    }
  }

  @Test(arguments: ErrorCode.allCases, [false, true])
  func theReaderLosesNothing(_ code: ErrorCode, ofItems isOfItems: Bool) async throws {
    try await Self.run { cloud, desk, laptop in
      try desk.mark(Self.ayah)
      try cloud.ephemeral.faults.add(
        Fault(isOfItems ? .itemErrors(code) : .error(code), endpoint: .recordsModify))
      _ = try? await desk.engine.round()
      #expect(cloud.ephemeral.faults.pending.isEmpty)
      #expect(try desk.favorites == [Self.ayah])
      let isParked = Self.handling(code) == .parked
      #expect(try desk.library.outboxSummary().parked == (isParked ? 1 : 0))
      cloud.clock.advance(Self.hours)
      _ = try await desk.engine.round()
      _ = try await laptop.engine.round()
      #expect(try laptop.favorites == (isParked ? [] : [Self.ayah]))
      // The user edits it again.
      try desk.mark(Self.ayah, false)
      try desk.mark(Self.ayah)
      _ = try await desk.engine.round()
      _ = try await laptop.engine.round()
      #expect(try laptop.favorites == [Self.ayah])
      #expect(try desk.library.outboxSummary() == OutboxSummary())
    }
  }

  @Test func theReaderWaitsAsLongAsItIsAskedTo() async throws {
    try await Self.run { cloud, desk, _ in
      try desk.mark(Self.ayah)
      try cloud.ephemeral.faults.add(
        Fault(.error(.throttled, retryAfter: 7200), endpoint: .recordsModify))
      await #expect(throws: SyncFailure.self) { try await desk.engine.round() }
      cloud.clock.advance(7_199_000)
      await #expect(throws: SyncFailure.self) { try await desk.engine.round() }
      // The reader waits up to a tenth longer, so that not all devices send at the same time.
      cloud.clock.advance(721_000)
      let report = try await desk.engine.round()
      #expect(report.sent == 1)
    }
  }

  @Test(arguments: [false, true])
  func aConnectionThatIsCutLosesAndDoublesNothing(_ isCarriedOut: Bool) async throws {
    try await Self.run { cloud, desk, laptop in
      try desk.mark(Self.ayah)
      try cloud.ephemeral.faults.add(
        Fault(.cut(isCarriedOut: isCarriedOut), endpoint: .recordsModify))
      await #expect(throws: SyncFailure.self) { try await desk.engine.round() }
      cloud.clock.advance(Self.hours)
      _ = try await desk.engine.round()
      _ = try await laptop.engine.round()
      #expect(try laptop.favorites == [Self.ayah])
      let records = try await cloud.ephemeral.records(
        of: "an", .production, type: "FavoriteAyah")
      #expect(records.count == 1)
      #expect(try desk.library.outboxSummary() == OutboxSummary())
    }
  }

  @Test func syncTokensThatExpireLoseNothing() async throws {
    try await Self.run { cloud, desk, laptop in
      try desk.mark(Self.ayah)
      _ = try await desk.engine.round()
      for reader in [laptop, desk] {
        try cloud.ephemeral.faults.add(Fault(.expiredSyncTokens, endpoint: .changesZone))
        _ = try await reader.engine.round()
        #expect(try reader.favorites == [Self.ayah])
      }
      try laptop.mark(Self.ayah, false)
      _ = try await laptop.engine.round()
      _ = try await desk.engine.round()
      #expect(try desk.favorites.isEmpty)
    }
  }

  @Test func aRestoredSnapshotLosesNothing() async throws {
    try await Self.run { cloud, desk, laptop in
      try cloud.ephemeral.snapshot("before")
      try desk.mark(Self.ayah)
      _ = try await desk.engine.round()
      try await cloud.ephemeral.restore("before")
      for reader in [desk, laptop] { _ = try await reader.engine.round() }
      #expect(try laptop.favorites == [Self.ayah])
    }
  }
}
