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

  /// A service that does not accept notes until its schema is changed.
  private static func withoutNotes(
    _ world: World, _ code: ErrorCode, hasPlace: @escaping @Sendable () -> Bool = { false }
  ) -> LyingService {
    LyingService(world) { request throws(ServiceError) in
      guard let request = request as? RecordsModify.Request, !hasPlace() else { return nil }
      let error = ServiceError(code, reason: "no such type")
      return RecordsModify.Response(
        records: request.operations.map { .failure(error.with(recordName: $0.record.recordName)) })
    }
  }

  @Test(arguments: [ErrorCode.notFound, .unknownItem])
  func whatIsNeverCreatedIsParkedAfterEightAttempts(_ code: ErrorCode) async throws {
    let world = try await World()
    let one = try world.device()
    let service = Self.withoutNotes(world, code)
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

  /// The schema may have changed since.
  @Test(arguments: [RoundOccasion.start, .asked])
  func whatHadNoPlaceIsTriedAgain(_ occasion: RoundOccasion) async throws {
    let world = try await World()
    let one = try world.device()
    let hasPlace = Atomic(false)
    let engine = one.engine(
      Self.withoutNotes(world, .notFound) { hasPlace.load(ordering: .relaxed) })
    try one.note("a")
    for _ in 0..<8 {
      _ = try await engine.round()
      world.wait(300_000)
    }
    #expect(try one.library.outboxSummary().parked == 1)
    hasPlace.store(true, ordering: .relaxed)
    #expect(try await engine.round().sent == 0)
    #expect(try await engine.round(on: occasion).sent == 1)
    #expect(try one.library.outboxSummary() == OutboxSummary())
  }

  /// A record of the kind shows that the schema has changed: another device's, or this one's.
  @Test(arguments: [true, false])
  func whatHadNoPlaceIsTriedAgainWhereThereIsOne(_ isOthers: Bool) async throws {
    let world = try await World()
    let (one, two) = (try world.device(), try world.device())
    let hasPlace = Atomic(false)
    let engine = one.engine(
      Self.withoutNotes(world, .notFound) { hasPlace.load(ordering: .relaxed) })
    try one.note("a")
    for _ in 0..<8 {
      _ = try await engine.round()
      world.wait(300_000)
    }
    hasPlace.store(true, ordering: .relaxed)
    try (isOthers ? two : one).note("b", at: "1:1")
    if isOthers { _ = try await two.sync() }
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
  func aFeedWithNothingNewComesToAnEnd(_ records: [RecordResult]) async throws {
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

  @Test func aListingThatGoesRoundInACircleComesToAnEnd() async throws {
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

  /// All records are fetched in the end, some of them with each round.
  @Test func whatIsMoreThanARoundReadsIsGoneOnWith() async throws {
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
