import CloudRecords
import Foundation
import Library
import Quran
import RecordClient
import Testing

@testable import Sync

/// Decisions that must be the same on all devices, and unreadable records on the service.
@Suite struct AgreementTests {
  /// Both devices merge the same two texts: one after a lost response, the other in its fetch.
  @Test(arguments: [true, false])
  func aClockTwoDaysAheadDuplicatesNoNote(_ hasFeed: Bool) async throws {
    let world = try await World(hasFeed: hasFeed)
    let ahead = try world.device(ahead: 2 * 86_400_000)
    let right = try world.device()
    let id = try ahead.note("o")
    try await world.sync(ahead, right)
    try right.edit(id, "z")
    world.wait(1000)
    try ahead.edit(id, "y")
    ahead.link.expect(
      contentsOf: Array(repeating: .none, count: hasFeed ? 1 : 5) + [.unanswered])
    await #expect(throws: SyncFailure.self) { try await ahead.sync() }
    _ = try await right.sync()
    world.wait(400_000)
    try await world.sync(ahead, right)
    #expect(try ahead.texts == ["y", "z"])
    #expect(try right.contents == ahead.contents)
    #expect(try await world.records().count == 2)
  }

  // MARK: Settings that cannot be read

  private static func broken(_ value: String) -> Record {
    var record = setting("\"dark\"", at: 5).record(tag: nil)
    record["settingValue"] = .string(value)
    return record
  }

  @Test(arguments: [true, false])
  func aBrokenSettingIsReplacedByTheNextValue(_ hasFeed: Bool) async throws {
    let world = try await World(hasFeed: hasFeed)
    let one = try world.device()
    try await world.modify(.create(Self.broken("{broken")))
    let before = try await world.records()
    _ = try await one.sync()
    // This device has not set a value, so the record is not changed.
    #expect(try await world.records() == before)
    #expect(try one.library.unreadableRecords().count == 1)
    try one.commit(.set("theme", "\"light\""))
    #expect(try await one.sync().sent == 1)
    #expect(try await world.records().map { $0["settingValue"] } == [.string("\"light\"")])
    #expect(try one.library.unreadableRecords().isEmpty)
    _ = try await one.sync()
    #expect(try one.library.outboxSummary() == OutboxSummary())
    #expect(try one.library.unreadableRecords().isEmpty)
  }

  /// The broken record is found while this device's own one is sent.
  @Test(arguments: [true, false])
  func aBrokenSettingFoundWhileSendingIsReplaced(_ hasFeed: Bool) async throws {
    let world = try await World(hasFeed: hasFeed)
    let one = try world.device()
    _ = try await one.sync()
    try one.commit(.set("theme", "\"light\""))
    one.link.expect(
      contentsOf: Array(repeating: .none, count: hasFeed ? 1 : 5) + [
        .before { try await world.modify(.create(Self.broken("}"))) }
      ])
    #expect(try await one.sync().parked == 0)
    #expect(try await world.records().map { $0["settingValue"] } == [.string("\"light\"")])
    #expect(try one.library.outboxSummary() == OutboxSummary())
  }

  @Test func aSettingThatBecomesBrokenKeepsItsLocalValue() async throws {
    let world = try await World()
    let (one, two) = (try world.device(), try world.device())
    try one.commit(.set("theme", "\"dark\""))
    try await world.sync(one, two)
    var record = try #require(try await world.records().first)
    record["settingValue"] = .string("nul")
    try await world.modify(.update(record))
    try await world.sync(one, two)
    #expect(try one.library.snapshot().settings == ["theme": "\"dark\""])
    try two.commit(.set("theme", "\"light\""))
    try await world.sync(two, one)
    #expect(try one.library.snapshot().settings == ["theme": "\"light\""])
    #expect(try one.contents == two.contents)
  }
}
