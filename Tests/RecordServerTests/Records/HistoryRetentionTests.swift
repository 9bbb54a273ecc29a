import CloudRecords
import Testing

@testable import RecordServer
@testable import RecordServiceSupport

/// How long a service keeps the marks of its history.
@Suite struct HistoryRetentionTests {
  private func rows(_ fixture: ServiceFixture) async throws -> Int {
    try #require(try await fixture.rowCounts()["history"])
  }

  /// Saves records, and returns the newest tag after each of them.
  private func save(_ count: Int, _ fixture: ServiceFixture) async throws -> [String] {
    var tags: [String] = []
    for index in 0..<count {
      try await fixture.save("n\(index)")
      tags.append(try await fixture.newest())
    }
    return tags
  }

  private func verdicts(
    _ tags: [String], _ fixture: ServiceFixture
  ) async throws -> [HistoryReport.Verdict] {
    var verdicts: [HistoryReport.Verdict] = []
    for tag in tags { verdicts.append(try await fixture.report(tag).verdict) }
    return verdicts
  }

  @Test func oldMarksAreDeleted() async throws {
    let fixture = try await ServiceFixture(hasDefaultZoneFeed: true) { $0.historyLifetime = 1000 }
    let old = try await save(2, fixture)
    let token = try await fixture.service.read(nil).page.get().syncToken
    let database = try await fixture.service.changesDatabase(
      .init(), at: ServiceFixture.private, by: ServiceFixture.an
    ).syncToken
    fixture.clock.advance(2000)
    // The newest mark is kept at any age.
    try await fixture.service.deleteMarks()
    #expect(try await rows(fixture) == 2)
    #expect(try await verdicts(old, fixture) == [.unknown, .current])
    #expect(try await fixture.service.read(token).history.tokenProblem == nil)

    let new = try await save(2, fixture)
    #expect(try await rows(fixture) == 6)
    try await fixture.service.deleteMarks()
    #expect(try await rows(fixture) == 4)
    #expect(try await verdicts(old + new, fixture) == [.unknown, .unknown, .current, .current])
    let (page, history) = try await fixture.service.read(token)
    #expect(page.error?.code == .changeTokenExpired)
    #expect(history.tokenProblem == .expired)
    #expect(
      await serviceError {
        try await fixture.service.changesDatabase(
          .init(syncToken: database), at: ServiceFixture.private, by: ServiceFixture.an)
      }?.code == .changeTokenExpired)
    #expect(try await fixture.faults() == [])
  }

  @Test func theNumberOfMarksIsLimited() async throws {
    let fixture = try await ServiceFixture { $0.historyLength = 3 }
    let tags = try await save(6, fixture)
    try await fixture.service.deleteMarks()
    #expect(try await rows(fixture) == 2 * 3)
    #expect(
      try await verdicts(tags, fixture)
        == [.unknown, .unknown, .unknown, .current, .current, .current])
    // A tag that is newer than all others is forked, and not too old to be known.
    #expect(try await fixture.report("zz-0000000000000000").verdict == .forked)
    try await fixture.service.deleteMarks()
    #expect(try await rows(fixture) == 2 * 3)
  }

  /// There are more marks than one transaction deletes.
  @Test func manyMarksAreDeletedInChunks() async throws {
    let fixture = try await ServiceFixture { $0.historyLength = 2 }
    try await fixture.save("a")
    try await fixture.database.write { connection in
      for number in 1...1200 {
        _ = try connection.run("INSERT INTO history VALUES (1, 1, ?, 0, 0)", [-number])
      }
    }
    try await fixture.service.deleteMarks()
    #expect(try await rows(fixture) == 4)
    #expect(try await fixture.faults() == [])
  }

  @Test func aDeletedZoneLeavesNoMarks() async throws {
    let fixture = try await ServiceFixture()
    let database = try fixture.database
    func zones() async throws -> [Int64] {
      try await database.read(within: nil) {
        try $0.rows("SELECT DISTINCT zone FROM history ORDER BY zone") { try $0[0] }
      }
    }
    try await fixture.makeZone()
    try await fixture.save("a", in: ServiceFixture.zone)
    #expect(try await zones() == [0, 1, 2])
    try await fixture.deleteZone()
    #expect(try await zones() == [0, 1])
    try await fixture.makeZone()
    #expect(try await zones().count == 3)
    #expect(try await fixture.faults() == [])
    try await fixture.service.deleteOwner(account: 1)
    #expect(try await zones() == [])
  }

  @Test func forksAreCounted() async throws {
    let fixture = try await ServiceFixture(hasDefaultZoneFeed: true)
    func count() async throws -> Int { try await fixture.storage.read { try $0.forkCount() } }
    let an = ServiceFixture.an
    try await fixture.makeZone(by: an)
    let copy = try await StorageCopy(of: fixture)
    try await fixture.save("a")
    let lost = try await fixture.newest()
    let token = try await fixture.service.read(nil).page.get().syncToken
    #expect(try await fixture.report(lost).verdict == .current)
    #expect(try await count() == 0)
    try await copy.putBack()
    _ = try await fixture.report(lost)
    #expect(try await count() == 1)
    _ = try await fixture.service.read(token, witness: lost)
    #expect(try await count() == 2)
    _ = try await fixture.service.read(token)
    #expect(try await count() == 3)
    // A request whose first transaction was rolled back is counted, too.
    _ = await fixture.service.modify(
      .init(operations: [Operation(.update, note("a", tag: "x"))]), at: ServiceFixture.private,
      by: ServiceFixture.binh, witness: lost)
    #expect(try await count() == 4)
  }
}
