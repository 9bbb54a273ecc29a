import CloudRecords
import Foundation
import GRDB
import TestSupport
import Testing

@testable import RecordServer
@testable import RecordServiceSupport

/// Sync tokens and markers of a history that the service lost.
@Suite struct HistoryTokenTests {
  private func fixture(
    _ change: (inout ServiceOptions) -> Void = { _ in }
  ) async throws -> ServiceFixture {
    try await ServiceFixture(hasDefaultZoneFeed: true, change)
  }

  private func token(_ fixture: ServiceFixture) async throws -> String? {
    try await fixture.service.read(nil).page.get().syncToken
  }

  @Test func aTokenOfALostHistoryIsRefused() async throws {
    let fixture = try await fixture()
    try await fixture.save("a")
    let before = try await token(fixture)
    let copy = try await StorageCopy(of: fixture)
    try await fixture.save("b")
    let lost = try await token(fixture)
    try await copy.putBack()
    // At first the number of the lost token has not been used again, and later it has.
    for name in ["c", "d", "e"] {
      let (page, history) = try await fixture.service.read(lost)
      #expect(page.error?.code == .changeTokenExpired)
      #expect(page.error?.cause == .expiredToken)
      #expect(history.tokenProblem == .forked)
      #expect(history.verdict == .current)
      #expect(try await fixture.service.read(before).history.tokenProblem == nil)
      try await fixture.save(name)
    }
    #expect(try await fixture.service.read(before).page.get().records.summary == ["c", "d", "e"])
    let whole = await fixture.service.recordsChanges(
      .init(.default, syncToken: lost), at: ServiceFixture.private, by: ServiceFixture.an,
      witness: nil)
    #expect(whole.history?.tokenProblem == .forked)
    #expect(throws: ServiceError(.changeTokenExpired, cause: .expiredToken)) {
      try whole.get()
    }
  }

  /// The number of the reader's token is in the restored history, but the token's horizon is not.
  @Test func aReaderThatBeganInALostHistoryStartsOver() async throws {
    let fixture = try await fixture()
    for name in ["a", "b", "c"] { try await fixture.save(name) }
    let copy = try await StorageCopy(of: fixture)
    try await fixture.save("d")
    let first = try await fixture.service.read(nil, limit: 1)
    #expect(try first.page.get().records.summary == ["a"])
    let token = try first.page.get().syncToken
    #expect(try await fixture.service.read(token, limit: 1).page.get().records.summary == ["b"])
    try await copy.putBack()
    #expect(try await fixture.service.read(token, limit: 1).history.tokenProblem == .forked)
    // A reader that begins in the restored history can continue.
    let begun = try await fixture.service.read(nil, limit: 1).page.get().syncToken
    try await fixture.save("e")
    try await fixture.save("f")
    let second = try await fixture.service.read(begun, limit: 3)
    #expect(try second.page.get().records.summary == ["b", "c", "e"])
    let third = try await fixture.service.read(try second.page.get().syncToken)
    #expect(try third.page.get().records.summary == ["f"])
  }

  @Test func anOldTokenIsExpired() async throws {
    let fixture = try await fixture { $0.tombstoneLifetime = 1000 }
    try await fixture.save("a")
    let token = try await token(fixture)
    try await fixture.delete("a")
    fixture.clock.advance(2000)
    #expect(try await fixture.service.deleteTombstones() == 1)
    let (page, history) = try await fixture.service.read(token)
    #expect(page.error?.code == .changeTokenExpired)
    #expect(history.tokenProblem == .expired)
  }

  @Test func aTokenOfAFormerIncarnationIsExpired() async throws {
    let fixture = try await fixture()
    try await fixture.makeZone()
    let token = try await fixture.service.read(nil, zone: ServiceFixture.zone).page.get().syncToken
    let copy = try await StorageCopy(of: fixture)
    try await fixture.deleteZone()
    try await fixture.makeZone()
    let (page, history) = try await fixture.service.read(token, zone: ServiceFixture.zone)
    #expect(page.error?.code == .changeTokenExpired)
    #expect(history.tokenProblem == .expired)
    // A later incarnation may be lost, too.
    let lost = try await fixture.service.read(nil, zone: ServiceFixture.zone).page.get().syncToken
    try await copy.putBack()
    #expect(
      try await fixture.service.read(lost, zone: ServiceFixture.zone).history.tokenProblem
        == .forked)
  }

  @Test func aMalformedTokenIsABadRequest() async throws {
    let fixture = try await fixture()
    let (page, history) = try await fixture.service.read("bm90aGluZw==")
    #expect(page.error?.code == .badRequest)
    #expect(history.tokenProblem == nil)
  }

  @Test func aDatabaseTokenOfALostHistoryIsRefused() async throws {
    let fixture = try await fixture()
    let service = fixture.service
    func changes(_ token: String?, limit: Int? = nil) async throws -> ChangesDatabase.Response {
      try await service.changesDatabase(
        .init(syncToken: token, resultsLimit: limit), at: ServiceFixture.private,
        by: ServiceFixture.an)
    }
    for name in ["A", "B", "C"] { try await fixture.makeZone(ZoneID(name)) }
    let before = try await changes(nil).syncToken
    let copy = try await StorageCopy(of: fixture)
    try await fixture.makeZone(ZoneID("D"))
    let lost = try await changes(nil).syncToken
    let begun = try await changes(nil, limit: 1).syncToken
    try await copy.putBack()
    for zone in ["E", "F"] {
      for token in [lost, begun] {
        #expect(await serviceError { try await changes(token) }?.code == .changeTokenExpired)
      }
      try await fixture.makeZone(ZoneID(zone))
    }
    let names = { (answer: ChangesDatabase.Response) in
      answer.zones.compactMap { $0.value?.zoneID.zoneName }
    }
    #expect(try await names(changes(before)) == ["E", "F"])
    let page = try await changes(before, limit: 1)
    #expect(page.moreComing)
    #expect(try await names(changes(page.syncToken)) == ["F"])
    try await copy.putBack()
    try await fixture.makeZone(ZoneID("G"))
    #expect(
      await serviceError { try await changes(page.syncToken) }?.code == .changeTokenExpired)
  }

  @Test(arguments: [nil, true])
  func aMarkerOfALostHistoryIsRefused(wide: Bool?) async throws {
    let fixture = try await fixture()
    for name in ["a", "b", "c"] { try await fixture.save(name) }
    func page(_ marker: String?) async throws -> RecordsQuery.Response {
      try await fixture.service.query(
        .init(Query("Note"), zoneWide: wide, resultsLimit: 1, continuationMarker: marker),
        at: ServiceFixture.private, by: ServiceFixture.an)
    }
    let before = try await page(nil).continuationMarker
    let copy = try await StorageCopy(of: fixture)
    try await fixture.save("d")
    let lost = try await page(nil).continuationMarker
    // A marker stays valid after other changes.
    #expect(try await page(before).records.summary == ["b"])
    try await copy.putBack()
    for name in ["x", "y"] {
      let error = await serviceError { try await page(lost) }
      #expect(error == TokenProblem.broken.serviceError)
      #expect(try await page(before).records.summary == ["b"])
      try await fixture.save(name)
    }
  }
}
