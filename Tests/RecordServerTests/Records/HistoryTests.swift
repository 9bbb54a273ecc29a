import CloudRecords
import Foundation
import GRDB
import TestSupport
import Testing

@testable import RecordServer
@testable import RecordServiceSupport

/// Storage that is put back to an earlier state without the service's knowledge.
@Suite struct HistoryTests {
  private func fixture(
    _ change: (inout ServiceOptions) -> Void = { _ in }
  ) async throws -> ServiceFixture {
    try await ServiceFixture(hasDefaultZoneFeed: true, change)
  }

  // MARK: Tags

  @Test func aTagHasANumberAndAMark() async throws {
    let fixture = try await fixture()
    let results = try await fixture.modify([
      Operation(.create, note("a")), Operation(.create, note("b")),
    ])
    let tags = results.compactMap { $0.record?.recordChangeTag }
    #expect(tags.map(\.tagNumber) == [1, 2])
    // The tags of one transaction have the same mark, which is the zone's newest.
    #expect(Set(tags.map { $0.suffix(16) }).count == 1)
    #expect(try await fixture.newest() == tags.last)
    let later = try await fixture.save("c").recordChangeTag
    #expect(later?.tagNumber == 3)
    #expect(later?.suffix(16) != tags[0].suffix(16))
  }

  @Test(arguments: [
    "", "1", "1-", "-00f3a1b29c4d5e6f", "1-00f3a1b29c4d5e6", "1-00F3A1B29C4D5E6F",
    "A-00f3a1b29c4d5e6f", "01-00f3a1b29c4d5e6f", "+1-00f3a1b29c4d5e6f", "1-2-00f3a1b29c4d5e6f",
  ])
  func invalidChangeTagsAreNotParsed(_ text: String) {
    #expect(ChangeTag(text) == nil)
  }

  @Test func aParsedTagIsWrittenUnchanged() throws {
    for text in ["0-0000000000000000", "2t-00f3a1b29c4d5e6f", "1y2p0ij32e8e7-ffffffffffffffff"] {
      #expect(ChangeTag(text)?.description == text)
      #expect(HistoryReport.isTag(text))
    }
  }

  /// The marks differ even if the random source repeats its numbers and the clock does not move.
  @Test(arguments: [false, true])
  func reusedNumbersHaveDifferentMarks(isRandomStuck: Bool) async throws {
    let fixture = try await fixture { if isRandomStuck { $0.randomNumber = { 7 } } }
    try await fixture.save("a", ["rank": .int64(0)])
    let copy = try await StorageCopy(of: fixture)
    var tags: Set<String?> = []
    for rank in 1...3 as ClosedRange<Int64> {
      let record = try await fixture.save("a", ["rank": .int64(rank)])
      #expect(record.recordChangeTag?.tagNumber == 2)
      tags.insert(record.recordChangeTag)
      try await copy.putBack()
    }
    #expect(tags.count == 3)
  }

  @Test func aTagOfALostHistoryIsAConflict() async throws {
    let fixture = try await fixture()
    try await fixture.save("a", ["rank": .int64(0)])
    let copy = try await StorageCopy(of: fixture)
    let lost = try await fixture.save("a", ["rank": .int64(1)])
    try await copy.putBack()
    let kept = try await fixture.save("a", ["rank": .int64(2)])
    #expect(lost.recordChangeTag?.tagNumber == kept.recordChangeTag?.tagNumber)
    #expect(
      try await fixture.update("a", tag: lost.recordChangeTag).error?.code == .conflict)
    let results = try await fixture.modify([
      Operation(.delete, note("a", tag: lost.recordChangeTag, type: nil))
    ])
    #expect(results.first?.error?.code == .conflict)
    // A number without its mark is not a valid tag.
    let number = try #require(kept.recordChangeTag?.split(separator: "-").first)
    #expect(try await fixture.update("a", tag: String(number)).error?.code == .conflict)
    #expect(try await fixture.update("a", tag: kept.recordChangeTag).record != nil)
  }

  @Test func aTombstoneNamesTheVersionThatWasDeleted() async throws {
    let fixture = try await fixture()
    try await fixture.save("a")
    let last = try await fixture.save("a", ["rank": .int64(1)])
    let child = try await fixture.save(
      "child", ["parentNote": .reference(Reference("a", action: .deleteSelf))])
    try await fixture.delete("a")
    let tombstones = try await fixture.service.read(nil).page.get().records.compactMap(\.tombstone)
    #expect(
      Dictionary(uniqueKeysWithValues: tombstones.map { ($0.recordName, $0.deletedChangeTag) })
        == ["a": last.recordChangeTag, "child": child.recordChangeTag])
    #expect(tombstones.allSatisfy { $0.recordChangeTag?.tagNumber ?? 0 > 3 })
    // If the record is created and deleted again, the tombstone names the new version.
    try await fixture.save("a")
    let again = try await fixture.save("a", ["rank": .int64(2)])
    try await fixture.delete("a")
    let newest = try await fixture.service.read(nil).page.get().records.last?.tombstone
    #expect(newest?.deletedChangeTag == again.recordChangeTag)
  }

  // MARK: Witnesses

  @Test func witnessesOfALostHistoryAreForked() async throws {
    let fixture = try await fixture()
    let none = try await fixture.newest()
    try await fixture.save("a")
    let before = try await fixture.newest()
    let copy = try await StorageCopy(of: fixture)
    _ = try await fixture.modify([Operation(.create, note("b")), Operation(.create, note("c"))])
    let lost = try await fixture.newest()
    #expect(lost.tagNumber == 3)
    for witness in [none, before, lost] {
      #expect(try await fixture.report(witness) == HistoryReport(.current, newest: lost))
    }
    // A tag that is not the newest of its transaction is a valid witness, too.
    let middle = try #require(try await fixture.lookup(["b"]).first?.record?.recordChangeTag)
    #expect(try await fixture.report(middle).verdict == .current)

    try await copy.putBack()
    #expect(try await fixture.report(lost) == HistoryReport(.forked, newest: before))
    #expect(try await fixture.report(before) == HistoryReport(.current, newest: before))
    // The verdicts do not change when other changes have used the same numbers.
    for name in ["x", "y", "z"] {
      try await fixture.save(name)
      let newest = try await fixture.newest()
      #expect(try await fixture.report(lost) == HistoryReport(.forked, newest: newest))
      #expect(try await fixture.report(middle) == HistoryReport(.forked, newest: newest))
      for witness in [none, before] {
        #expect(try await fixture.report(witness) == HistoryReport(.current, newest: newest))
      }
    }
    #expect(try await fixture.report("no tag").verdict == .forked)
  }

  @Test func lostWitnessesAreForkedAfterEachPutBack() async throws {
    let fixture = try await fixture()
    try await fixture.save("a")
    let before = try await fixture.newest()
    let copy = try await StorageCopy(of: fixture)
    var lost: [String] = []
    for round in 0..<3 {
      try await fixture.save("r\(round)")
      lost.append(try await fixture.newest())
      #expect(try await fixture.report(lost.last).verdict == .current)
      try await copy.putBack()
      try await fixture.save("s\(round)")
      for witness in lost { #expect(try await fixture.report(witness).verdict == .forked) }
      #expect(try await fixture.report(before).verdict == .current)
    }
  }

  @Test func aWitnessOfALostOwnerIsForked() async throws {
    let fixture = try await fixture()
    let copy = try await StorageCopy(of: fixture)
    let empty = try await fixture.newest()
    try await fixture.save("a")
    let lost = try await fixture.newest()
    try await copy.putBack()
    #expect(try await fixture.report(empty).verdict == .forked)
    #expect(try await fixture.report(lost).verdict == .forked)
  }

  @Test func aWitnessOfAFormerIncarnationIsUnknown() async throws {
    let fixture = try await fixture()
    let zone = ServiceFixture.zone
    try await fixture.makeZone()
    try await fixture.save("a", in: zone)
    let before = try await fixture.newest(zone)
    try await fixture.deleteZone()
    #expect(
      await fixture.service.lookup(
        .init(records: [.init("a")], zoneID: zone), at: ServiceFixture.private,
        by: ServiceFixture.an, witness: before
      ).history == nil)
    try await fixture.makeZone()
    #expect(try await fixture.report(before, zone: zone).verdict == .unknown)
    let (page, history) = try await fixture.service.read(nil, zone: zone)
    #expect(history.newest.tagNumber == 2)
    #expect(try page.get().records.isEmpty)
    try await fixture.save("a", in: zone)
    #expect(try await fixture.report(before, zone: zone).verdict == .unknown)
    #expect(try await fixture.report(history.newest, zone: zone).verdict == .current)
  }

  @Test func aPublicZoneHasAHistoryToo() async throws {
    let fixture = try await fixture()
    let address = ServiceFixture.public
    func save(_ name: String) async throws -> String? {
      try await fixture.save(name, type: "Post", at: address).recordChangeTag
    }
    let first = try await save("a")
    #expect(try await fixture.newest(at: address) == first)
    let copy = try await StorageCopy(of: fixture)
    let lost = try await save("b")
    try await copy.putBack()
    #expect(try await fixture.report(lost, at: address).verdict == .forked)
    let kept = try await save("c")
    #expect(kept?.tagNumber == lost?.tagNumber)
    #expect(
      try await fixture.report(lost, at: address) == HistoryReport(.forked, newest: kept ?? ""))
    #expect(try await fixture.report(first, at: address).verdict == .current)
  }

  // MARK: Writes

  /// The witness is compared with the history before the write; the report names the newest tag
  /// after it.
  @Test func aWriteChecksTheWitnessBeforeItsChanges() async throws {
    let fixture = try await fixture()
    let service = fixture.service
    func modify(
      _ operations: [Operation], _ witness: String?, zone: ZoneID? = nil, atomic: Bool? = nil
    ) async -> Reported<RecordsModify.Response> {
      await service.modify(
        .init(operations: operations, zoneID: zone, atomic: atomic), at: ServiceFixture.private,
        by: ServiceFixture.an, witness: witness)
    }
    // The first request saves no record, but the owner that it creates is kept.
    var reported = await modify([Operation(.update, note("a", tag: "x"))], nil)
    let empty = try #require(reported.history?.newest)
    #expect(reported.history == HistoryReport(.current, newest: empty))
    #expect(try await fixture.newest() == empty)

    reported = await modify([Operation(.create, note("a"))], empty)
    let first = try #require(try reported.get().records.first?.record?.recordChangeTag)
    #expect(reported.history == HistoryReport(.current, newest: first))
    let copy = try await StorageCopy(of: fixture)
    reported = await modify([Operation(.create, note("b"))], first)
    let lost = try #require(reported.history?.newest)
    try await copy.putBack()

    // A write with a forked witness is carried out all the same.
    reported = await modify([Operation(.create, note("c"))], lost)
    let kept = try #require(try reported.get().records.first?.record?.recordChangeTag)
    #expect(reported.history == HistoryReport(.forked, newest: kept))
    // A write that changes nothing has a report, and one that fails as a whole, too.
    reported = await modify([Operation(.update, note("c", tag: lost))], lost)
    #expect(try reported.get().records.first?.error?.code == .conflict)
    #expect(reported.history == HistoryReport(.forked, newest: kept))
    try await fixture.makeZone()
    reported = await modify(
      [Operation(.create, note("d")), Operation(.delete, note("e", tag: "x", type: nil))], nil,
      zone: ServiceFixture.zone, atomic: true)
    #expect(
      reported.history
        == HistoryReport(.current, newest: try await fixture.newest(ServiceFixture.zone)))
    // A request about several zones has no report.
    var other = note("d")
    other.zoneID = ServiceFixture.zone
    reported = await modify([Operation(.create, note("e")), Operation(.create, other)], lost)
    #expect(try reported.get().records.summary == ["e", "d"])
    #expect(reported.history == nil)
  }

  // MARK: Answers

  @Test func answersAboutOneZoneHaveAHistoryReport() async throws {
    let fixture = try await ServiceFixture(hasDefaultZoneFeed: false)
    try await fixture.makeZone()
    let tag = try #require(try await fixture.save("a").recordChangeTag)
    let other = try #require(
      try await fixture.save("a", in: ServiceFixture.zone).recordChangeTag)
    let (service, address, an) = (fixture.service, ServiceFixture.private, ServiceFixture.an)
    let forked = HistoryReport(.forked, newest: tag)
    let lost = "zz-0000000000000000"

    func query(_ query: Query, _ zone: ZoneID?, wide: Bool? = nil) async -> HistoryReport? {
      await service.query(
        .init(query, zoneID: zone, zoneWide: wide), at: address, by: an, witness: lost
      ).history
    }
    #expect(await query(Query("Note"), nil) == forked)
    #expect(await query(Query("Note"), .default, wide: true) == forked)
    #expect(
      await query(Query("Note"), ServiceFixture.zone) == HistoryReport(.forked, newest: other))
    // Errors have a report, too.
    #expect(await query(Query("Nothing"), nil) == forked)
    #expect(await query(Query("Note"), nil, wide: true) == nil)
    #expect(await query(Query("Note"), ZoneID("nowhere")) == nil)

    // A request for the feed of a zone without one fails, but has a report.
    let (page, history) = try await fixture.service.read(nil, witness: lost)
    #expect(page.error?.cause == .noFeed)
    #expect(history == forked)
    let changes = await service.recordsChanges(
      .init(ServiceFixture.zone), at: address, by: an, witness: other)
    #expect(changes.history == HistoryReport(.current, newest: other))
    let several = await service.changesZone(
      .init(zones: [.init(.default), .init(ServiceFixture.zone)]), at: address, by: an,
      witness: lost)
    #expect(several.history == nil)
  }
}
