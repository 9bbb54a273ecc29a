import CloudRecords
import Foundation
import Library
import Quran
import RecordClient
import Synchronization
import Testing

@testable import Sync

/// Services that never stop sending or refusing.
@Suite struct EndlessTests {
  // MARK: Records that are never created

  /// A service that refuses to save any record until `acceptsRecords` returns true, as before its
  /// schema is changed.
  private static func refusingRecords(
    _ world: World, _ code: ErrorCode, acceptsRecords: @escaping @Sendable () -> Bool = { false }
  ) -> LyingService {
    LyingService(world) { request throws(ServiceError) in
      guard let request = request as? RecordsModify.Request, !acceptsRecords() else { return nil }
      let error = ServiceError(code, reason: "no such type")
      return RecordsModify.Response(
        records: request.operations.map { .failure(error.with(recordName: $0.record.recordName)) })
    }
  }

  /// The delay after a failure ends during the round, but the change is not sent twice in it.
  @Test func aChangeThatFailedIsSentOnceARound() async throws {
    let world = try await World()
    let one = try world.device()
    try one.note("a")
    let service = Self.refusingRecords(world, .notFound)
    let clock = Atomic<Int64>(0)
    let engine = one.engine(service) {
      world.now + clock.wrappingAdd(600_000, ordering: .relaxed).newValue
    }
    for attempts in 1...3 {
      _ = try await engine.round()
      #expect(service.count(.recordsModify) == attempts)
    }
  }

  /// The clock is set back by two hours while the change is sent.
  @Test(arguments: [ErrorCode.notFound, .quotaExceeded, .throttled])
  func aChangeThatFailedIsSentOnceWhenTheClockIsSetBack(_ code: ErrorCode) async throws {
    let world = try await World()
    let one = try world.device()
    try one.note("a")
    let back = Atomic<Int64>(0)
    let service = Self.refusingRecords(world, code) {
      back.store(7_200_000, ordering: .relaxed)
      return false
    }
    let engine = one.engine(service) { world.now - back.load(ordering: .relaxed) }
    _ = try? await engine.round()
    #expect(service.count(.recordsModify) == 1)
    #expect(try one.library.outboxSummary().count == 1)
  }

  /// Other records of its type are accepted, so the schema is not the reason.
  @Test func aParkedChangeIsNotSentAgainInItsRound() async throws {
    let world = try await World()
    let one = try world.device()
    let refused = try one.note("a")
    let service = LyingService(world) { request throws(ServiceError) in
      guard let request = request as? RecordsModify.Request else { return nil }
      return RecordsModify.Response(
        records: request.operations.map { operation in
          let name = operation.record.recordName ?? ""
          guard !name.hasSuffix(refused.uuidString) else {
            return .failure(ServiceError(.notFound).with(recordName: name))
          }
          let type = operation.record.recordType ?? ""
          var record = Record(name, type: type, fields: operation.record.fields)
          record.recordChangeTag = "1"
          return .record(record)
        })
    }
    let engine = one.engine(service)
    for _ in 0..<7 {
      _ = try await engine.round()
      world.wait(300_000)
    }
    try one.note("b", at: "1:1")
    let report = try await engine.round()
    #expect((report.sent, report.parked) == (1, 1))
    #expect(service.count(.recordsModify) == 8)
    #expect(try one.library.outboxSummary().parked == 1)
    // Another accepted record is a reason for one more attempt.
    world.wait(300_000)
    try one.note("c", at: "1:2")
    _ = try await engine.round()
    #expect(service.count(.recordsModify) == 10)
    #expect(try one.library.outboxSummary().parked == 1)
  }

  @Test(arguments: [ErrorCode.notFound, .unknownItem])
  func aRecordNeverCreatedIsParkedAfterEightAttempts(_ code: ErrorCode) async throws {
    let world = try await World()
    let one = try world.device()
    let service = Self.refusingRecords(world, code)
    let engine = one.engine(service)
    try one.note("a")
    _ = try await engine.round()
    let waiting = try #require(try one.library.pendingChanges(isParked: false).first)
    #expect(waiting.lastError == .recordNotCreated(reason: "no such type"))
    #expect(waiting.wait.map { $0.left(at: one.now) > 0 } == true)
    #expect(service.count(.recordsModify) == 1)
    for _ in 0..<20 {
      world.wait(300_000)
      _ = try await engine.round()
    }
    #expect(service.count(.recordsModify) == 8)
    let parked = try one.library.pendingChanges(isParked: true)
    #expect(parked.map(\.parked) == [.recordNotCreated(reason: "no such type")])
  }

  /// A note that was parked because the service has no such type, until `addType` is called.
  private func parked() async throws -> (
    world: World, device: Device, engine: SyncEngine, addType: @Sendable () -> Void
  ) {
    let world = try await World()
    let one = try world.device()
    let acceptsRecords = Atomic(false)
    let engine = one.engine(
      Self.refusingRecords(world, .notFound) { acceptsRecords.load(ordering: .relaxed) })
    try one.note("a")
    for _ in 0..<8 {
      _ = try await engine.round()
      world.wait(300_000)
    }
    return (world, one, engine, { acceptsRecords.store(true, ordering: .relaxed) })
  }

  /// The schema of the service may have changed since they were parked.
  @Test(arguments: [RoundOccasion.start, .asked])
  func parkedRecordsAreTriedAgainAtStartOrOnRequest(_ occasion: RoundOccasion) async throws {
    let (_, one, engine, addType) = try await parked()
    #expect(try one.library.outboxSummary().parked == 1)
    addType()
    #expect(try await engine.round().sent == 0)
    #expect(try await engine.round(on: occasion).sent == 1)
    #expect(try one.library.outboxSummary() == OutboxSummary())
  }

  /// An accepted record of the type, which comes from another device or from this one, shows that
  /// the schema has changed.
  @Test(arguments: [true, false])
  func parkedRecordsAreTriedAgainAfterAnotherOfTheirTypeIsAccepted(
    _ isOfAnotherDevice: Bool
  ) async throws {
    let (world, one, engine, addType) = try await parked()
    let two = try world.device()
    addType()
    try (isOfAnotherDevice ? two : one).note("b", at: "1:1")
    if isOfAnotherDevice { _ = try await two.sync() }
    _ = try await engine.round()
    #expect(try one.library.outboxSummary() == OutboxSummary())
    #expect(try await world.records().count == 2)
  }

  // MARK: Pages without an end

  private static func page(_ number: Int, _ records: [RecordResult]) -> ChangesZone.Response {
    ChangesZone.Response(zones: [
      .success(
        ChangesZone.Page(
          .default, records: records, syncToken: "token\(number)", moreComing: true))
    ])
  }

  @Test(arguments: [[], [RecordResult.record(favorite(at: 1).record())]])
  func anEndlessFeedWithoutNewRecordsFails(_ records: [RecordResult]) async throws {
    let world = try await World()
    let one = try world.device()
    let number = Atomic(0)
    let service = LyingService(world) { request throws(ServiceError) in
      guard request is ChangesZone.Request else { return nil }
      return Self.page(number.add(1, ordering: .relaxed).newValue, records)
    }
    await #expect(throws: SyncFailure.endlessPages(count: PageCounter.staleLimit)) {
      _ = try await one.engine(service).round()
    }
    #expect(service.count(.changesZone) <= PageCounter.staleLimit + 1)
    let failure = SyncFailure.endlessPages(count: 1)
    #expect(failure.isTransient)
    #expect(try one.library.syncAccount()?.failure == .endlessPages(count: 100))
  }

  @Test func anEndlessListingFails() async throws {
    let world = try await World(hasFeed: false)
    let one = try world.device()
    let number = Atomic(0)
    let service = LyingService(world) { request throws(ServiceError) in
      guard request is RecordsQuery.Request else { return nil }
      return RecordsQuery.Response(
        records: [], continuationMarker: "\(number.add(1, ordering: .relaxed).newValue)")
    }
    await #expect(throws: SyncFailure.endlessPages(count: PageCounter.staleLimit)) {
      _ = try await one.engine(service).round()
    }
    await #expect(throws: SyncFailure.endlessPages(count: PageCounter.staleLimit)) {
      _ = try await one.engine(service).deleteEverything()
    }
  }

  /// A service that sends new notes without end, until it is repaired.
  ///
  /// - Parameters:
  ///   - length: The number of characters of each note.
  ///   - perRound: The number of pages until one has `moreComing: false`.
  private static func withNewNotes(
    _ world: World, length: Int, perRound: Int, until isRepaired: @escaping @Sendable () -> Bool
  ) -> LyingService {
    let number = Atomic(0)
    return LyingService(world) { request throws(ServiceError) in
      guard request is ChangesZone.Request, !isRepaired() else { return nil }
      let text = String(repeating: "a", count: length)
      let records = (0..<10).map { _ in
        RecordResult.record(Entry.note(note(text, id: UUID(), at: 1)).record())
      }
      let page = number.add(1, ordering: .relaxed).newValue
      var answer = Self.page(page, records)
      if page.isMultiple(of: perRound), case .success(var last) = answer.zones[0] {
        last.moreComing = false
        answer.zones[0] = .success(last)
      }
      return answer
    }
  }

  @Test(arguments: [
    (StorageLimit(records: 200), 4, 10), (StorageLimit(records: 200), 1_000_000, 10),
    (StorageLimit(bytes: 2_000_000), 3, 10_000),
  ])
  func theStorageLimitAppliesToAllRoundsTogether(
    _ limit: StorageLimit, perRound: Int, length: Int
  ) async throws {
    let world = try await World()
    let (one, two) = (try world.device(), try world.device())
    try one.note("của tôi")
    try await world.sync(one, two)
    let isRepaired = Atomic(false)
    let service = Self.withNewNotes(
      world, length: length, perRound: perRound
    ) { isRepaired.load(ordering: .relaxed) }
    var engine = one.engine(service)
    engine.storageLimit = limit
    func size() throws -> (records: Int, bytes: Int) {
      try one.library.sync { (try $0.recordCount(), try $0.databaseSize()) }.value
    }
    var sizes: [Int] = []
    for _ in 0..<30 {
      _ = try? await engine.round()
      sizes.append(try size().records)
    }
    #expect(sizes.last == sizes[20] && sizes[20] > 20, "\(sizes)")
    #expect(try size().records <= limit.records)
    // The last page may exceed the limit.
    #expect(try size().bytes <= limit.bytes + 1_000_000)
    let failure = SyncFailure.storageLimitReached(records: limit.records, bytes: limit.bytes)
    #expect(failure.isTransient)
    #expect(try one.library.syncAccount()?.failure == failure.problem)
    // After the repair, the service does not have the notes that it sent, so they are deleted. The
    // note that was not fetched arrives.
    isRepaired.store(true, ordering: .relaxed)
    try two.note("của máy kia")
    _ = try await two.sync()
    await #expect(throws: SyncFailure.self) { _ = try await engine.round() }
    guard case .massDeletion = try one.library.syncAccount()?.failure else {
      Issue.record("\(String(describing: try one.library.syncAccount()?.failure))")
      return
    }
    _ = try? await engine.round(.accept(nil))
    _ = try await engine.round()
    #expect(try one.texts == ["của máy kia", "của tôi"])
    #expect(try one.library.syncAccount()?.failure == nil)
  }

  /// All pages are fetched in the end, some of them in each round.
  @Test func aLongFeedIsContinuedInTheNextRound() async throws {
    let world = try await World()
    let one = try world.device()
    let total = PageCounter.limit + 10
    let service = LyingService(world) { request throws(ServiceError) in
      guard let request = request as? ChangesZone.Request else { return nil }
      let number = request.zones.first?.syncToken.flatMap { Int($0.dropFirst(5)) } ?? 0
      guard number < total else { return nil }
      let gone = Tombstone("favorite-\(user)-\(number)", type: "FavoriteAyah")
      var answer = Self.page(number + 1, [.tombstone(gone)])
      if case .success(var page) = answer.zones[0] {
        page.moreComing = number + 1 < total
        answer.zones[0] = .success(page)
      }
      return answer
    }
    let engine = one.engine(service)
    await #expect(throws: SyncFailure.unfinishedPages(count: PageCounter.limit)) {
      _ = try await engine.round()
    }
    _ = try await engine.round()
    #expect(service.count(.changesZone) == total)
    #expect(try one.library.syncAccount()?.failure == nil)
  }
}
