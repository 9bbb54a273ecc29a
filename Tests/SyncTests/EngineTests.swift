import CloudRecords
import Foundation
import Library
import Quran
import RecordClient
import Synchronization
import Testing

@testable import Sync

/// Devices of one user with the real service, with its feed and by listing.
@Suite struct EngineTests {
  @Test(arguments: [true, false])
  func changesAreSyncedToOtherDevices(_ hasFeed: Bool) async throws {
    let world = try await World(hasFeed: hasFeed)
    let (one, two) = (try world.device(), try world.device())
    try one.commit(.setFavorite(ayah("2:255"), true), .setProgress(surah(2), to: 100))
    try one.commit(.set("theme", "\"dark\""))
    let id = try one.note("một")
    try await world.sync(one, two)
    #expect(try two.contents == one.contents)
    #expect(try two.contents.count == 4)
    #expect(try await world.records().count == 4)

    try two.edit(id, "hai")
    try two.commit(
      .setFavorite(ayah("2:255"), false), .setProgress(surah(2), to: 0), .set("theme", "\"light\""))
    try await world.sync(two, one)
    #expect(try one.contents == two.contents)
    #expect(try one.texts == ["hai"])
    #expect(try one.library.snapshot().isFavorite(ayah("2:255")) == false)
    #expect(try one.library.snapshot().lastReadAyah(of: surah(2)) == 0)
    #expect(try one.library.outboxSummary().count == 0)

    try one.delete(id)
    try one.commit(.set("theme", nil))
    try await world.sync(one, two)
    #expect(try two.contents == one.contents)
    #expect(try two.texts == [])
    #expect(try await world.records().map(\.recordType) == ["ReadingProgress"])
    // Without changes nothing is sent.
    let before = one.link.asked.withLock { $0.count }
    let report = try await one.sync()
    #expect(report.sent == 0 && report.deleted == 0 && report.parked == 0)
    #expect(one.link.asked.withLock { $0.count } == before + (hasFeed ? 1 : 5))
  }

  @Test(arguments: [true, false])
  func editsOfDifferentLinesAreMerged(_ hasFeed: Bool) async throws {
    let world = try await World(hasFeed: hasFeed)
    let (one, two) = (try world.device(), try world.device())
    let id = try one.note("a\nb\nc")
    try await world.sync(one, two)
    try one.edit(id, "x\nb\nc")
    try two.edit(id, "a\nb\ny")
    try await world.sync(one, two)
    #expect(try one.texts == ["x\nb\ny"])
    #expect(try two.contents == one.contents)
  }

  /// A round merges the note while the user edits it, and does not change its time.
  @Test(arguments: [true, false])
  func anEditDuringAMergeLosesNothing(_ hasFeed: Bool) async throws {
    let world = try await World(hasFeed: hasFeed)
    let (one, two) = (try world.device(), try world.device())
    let id = try one.note("a\nx\nb")
    try await world.sync(one, two)
    try two.edit(id, "a\nx\nB")
    try await two.sync()
    try one.edit(id, "A\nx\nb")
    let saved = try #require(try one.library.note(id))
    try await one.sync()
    let merged = try #require(try one.library.note(id))
    #expect(merged.text.text == "A\nx\nB" && merged.modifiedAt == saved.modifiedAt)
    try one.commit(.editNote(id, saved.ayah, NoteText("A2\nx\nb"), basedOn: saved.text))
    try await world.sync(one, two)
    for device in [one, two] { #expect(try device.texts == ["A2\nx\nB"]) }
    // If both devices edit the same line, both texts are kept.
    try two.edit(id, "A3\nx\nB")
    try await two.sync()
    let base = try #require(try one.library.note(id)).text
    try await one.sync()
    try one.commit(.editNote(id, saved.ayah, NoteText("A4\nx\nB"), basedOn: base))
    try await world.sync(one, two)
    for device in [one, two] { #expect(try device.texts == ["A3\nx\nB", "A4\nx\nB"]) }
  }

  /// There is one copy, however many devices merge the collision.
  @Test(arguments: [true, false])
  func editsOfTheSameLineAreBothKept(_ hasFeed: Bool) async throws {
    let world = try await World(hasFeed: hasFeed)
    let devices = try (0..<3).map { _ in try world.device() }
    let id = try devices[0].note("a")
    for _ in 0..<2 { for device in devices { _ = try await device.sync() } }
    for (number, device) in devices.enumerated() { try device.edit(id, "\(number)") }
    for _ in 0..<4 { for device in devices { _ = try await device.sync() } }
    for device in devices {
      #expect(try device.texts == ["0", "1", "2"])
      #expect(try device.contents == devices[0].contents)
      #expect(try device.library.outboxSummary().count == 0)
    }
    #expect(try await world.records().count == 3)
  }

  @Test(arguments: [true, false])
  func anEditOutlivesADeletion(_ hasFeed: Bool) async throws {
    let world = try await World(hasFeed: hasFeed)
    let (one, two) = (try world.device(), try world.device())
    let (first, second) = (try one.note("a"), try one.note("b"))
    try await world.sync(one, two)
    try one.delete(first)
    try two.edit(first, "a2")
    try one.edit(second, "b2")
    try two.delete(second)
    try await world.sync(one, two)
    _ = try await one.sync()
    #expect(try one.texts == ["a2", "b2"])
    #expect(try two.contents == one.contents)
    #expect(try await world.records().count == 2)
  }

  @Test(arguments: [true, false])
  func aResetStaysReset(_ hasFeed: Bool) async throws {
    let world = try await World(hasFeed: hasFeed)
    let (one, two) = (try world.device(), try world.device())
    try one.commit(.setProgress(surah(2), to: 200))
    try await world.sync(one, two)
    try one.commit(.setProgress(surah(2), to: 0))
    try await world.sync(two, one, two)
    #expect(try two.library.snapshot().lastReadAyah(of: surah(2)) == 0)
  }

  // MARK: Faults

  /// The request was carried out, but the response was lost.
  @Test(arguments: [true, false])
  func aLostResponseDuplicatesNothing(_ hasFeed: Bool) async throws {
    let world = try await World(hasFeed: hasFeed)
    let (one, two) = (try world.device(), try world.device())
    try await world.sync(one, two)
    let id = try one.note("a\nm\nb")
    one.link.expect(
      contentsOf: Array(repeating: .none, count: hasFeed ? 1 : 5) + [.unanswered])
    await #expect(throws: SyncFailure.call(.responseLost(.connectionClosed))) {
      try await one.sync()
    }
    // The note is edited here before the outcome is known, and elsewhere afterwards.
    try one.edit(id, "a\nm\nc")
    _ = try await two.sync()
    #expect(try two.texts == ["a\nm\nb"])
    try two.edit(id, "x\nm\nb")
    _ = try await two.sync()
    world.wait(400_000)
    try await world.sync(one, two)
    #expect(try one.texts == ["x\nm\nc"])
    #expect(try two.contents == one.contents)
    #expect(try await world.records().count == 1)
  }

  /// The record contains the save whose response was lost, and an edit of another device.
  @Test(arguments: [true, false])
  func linesRemovedAfterALostResponseStayRemoved(_ hasFeed: Bool) async throws {
    let world = try await World(hasFeed: hasFeed)
    let (one, two) = (try world.device(), try world.device())
    let id = try one.note("a\nb\nc")
    try await world.sync(one, two)
    try one.edit(id, "L\na\nb\nc")
    one.link.expect(
      contentsOf: Array(repeating: .none, count: hasFeed ? 1 : 5) + [.unanswered])
    await #expect(throws: SyncFailure.call(.responseLost(.connectionClosed))) {
      try await one.sync()
    }
    _ = try await two.sync()
    try two.edit(id, "L\na\nb\nc\nX")
    _ = try await two.sync()
    try one.edit(id, "a\nb\nc")
    world.wait(400_000)
    try await world.sync(one, two)
    #expect(try one.texts == ["a\nb\nc\nX"])
    #expect(try two.contents == one.contents)
  }

  /// The service no longer accepts the token of an interrupted first sync, and the listing that
  /// follows is interrupted as well. The record was deleted between the two.
  @Test func aDeletionBetweenInterruptedListingsIsFound() async throws {
    let world = try await World()
    let (one, two) = (try world.device(), try world.device())
    try one.commit(.setFavorite(ayah("2:255"), true))
    _ = try await one.sync()
    // The feed has two pages.
    for number in 0..<300 {
      try await world.modify(
        .create(
          Entry.setting(Setting(key: "\(number)", value: "1", lastModifiedAt: 1)).record(tag: nil)))
    }
    let expired = Mutex<String?>(nil)
    let isInterrupted = Atomic(true)
    let service = LyingService(world) { request throws(ServiceError) in
      guard let token = (request as? ChangesZone.Request)?.zones.first?.syncToken else {
        return nil
      }
      if token == expired.withLock({ $0 }) {
        throw ServiceError(.changeTokenExpired, cause: .expiredToken)
      }
      if isInterrupted.load(ordering: .relaxed) { throw ServiceError(.internalError) }
      return nil
    }
    let engine = two.engine(service)
    await #expect(throws: SyncFailure.self) { _ = try await engine.round() }
    #expect(try two.library.snapshot().isFavorite(ayah("2:255")))
    let token = try #require(try two.library.syncAccount()?.syncToken)
    expired.withLock { $0 = token }
    try one.commit(.setFavorite(ayah("2:255"), false))
    _ = try await one.sync()
    await #expect(throws: SyncFailure.self) { _ = try await engine.round() }
    isInterrupted.store(false, ordering: .relaxed)
    _ = try await engine.round()
    #expect(try !two.library.snapshot().isFavorite(ayah("2:255")))
    #expect(try two.contents == one.contents)
  }

  @Test func aChangeThatWaitsIsNotTriedEarly() async throws {
    let world = try await World()
    let one = try world.device()
    _ = try await one.sync()
    try one.note("a")
    one.link.expect(
      .none, .refused(ServiceError(.throttled, reason: "slow down", retryAfter: 60)))
    await #expect(throws: SyncFailure.self) { try await one.sync() }
    let change = try #require(try one.library.pendingChanges(isParked: false).first)
    #expect(change.attempts == 1)
    #expect(change.lastError == .service(code: "THROTTLED", reason: "slow down"))
    let wait = try #require(change.wait)
    #expect(wait.until >= wait.since + 60_000)
    #expect(try one.library.syncAccount()?.wait != nil)
    // No round sends a request while the service's Retry-After is running.
    let asked = one.link.asked.withLock { $0.count }
    for occasion in [RoundOccasion.scheduled, .start, .asked] {
      await #expect(throws: SyncFailure.self) { try await one.sync(on: occasion) }
    }
    #expect(one.link.asked.withLock { $0.count } == asked)
    world.wait(70_000)
    #expect(try await one.sync().sent == 1)
    #expect(try one.library.outboxSummary().count == 0)
  }

  @Test(arguments: [ErrorCode.authenticationRequired, .authenticationFailed, .accessDenied])
  func aFailedAuthenticationLosesNothing(_ code: ErrorCode) async throws {
    let world = try await World()
    let one = try world.device()
    _ = try await one.sync()
    try one.note("a")
    one.link.expect(.none, .refused(ServiceError(code)))
    await #expect(throws: SyncFailure.call(.service(ServiceError(code)))) { try await one.sync() }
    #expect(try one.library.pendingChanges(isParked: false).first?.wait == nil)
    #expect(try await one.sync().sent == 1)
  }

  @Test func anEditWhileSendingIsSentAfterwards() async throws {
    let world = try await World()
    let (one, two) = (try world.device(), try world.device())
    let id = try one.note("a")
    one.link.expect(.none, .none, .before { try one.edit(id, "b") })
    _ = try await one.sync()
    #expect(try one.library.outboxSummary().count == 0)
    _ = try await two.sync()
    #expect(try two.texts == ["b"])
  }

  @Test func manyChangesAreSentInBatches() async throws {
    let world = try await World()
    let (one, two) = (try world.device(), try world.device())
    for number in 0..<450 { try one.note("\(number)", at: "2:\(number % 286 + 1)") }
    let report = try await one.sync()
    #expect(report.sent == 450)
    #expect(one.link.asked.withLock { $0.count { $0 == .recordsModify } } == 3)
    #expect(try await two.sync().received == 450)
    #expect(try two.contents == one.contents)
  }

  /// The record that fails the request is isolated, and the others arrive.
  @Test func onlyTheRefusedChangeIsParked() async throws {
    let world = try await World()
    let one = try world.device()
    for number in 0..<8 { try one.note("\(number)") }
    // Requests with several records fail, and finally the request with this record alone.
    let refusal = Link.Fault.refused(ServiceError(.badRequest, reason: "no"))
    one.link.expect(.none, .none, refusal, refusal, refusal, refusal)
    let report = try await one.sync()
    #expect(report.sent == 7 && report.parked == 1)
    let parked = try #require(try one.library.pendingChanges(isParked: true).first)
    #expect(parked.parked == .service(code: "BAD_REQUEST", reason: "no"))
    #expect(try await one.sync().sent == 0)
    // An edit makes the change due again.
    guard case .note(let id) = parked.thing else {
      Issue.record("\(parked)")
      return
    }
    try one.edit(id, "better")
    #expect(try await one.sync().sent == 1)
    #expect(try await world.records().count == 8)
  }

  // MARK: First contact

  @Test(arguments: [true, false])
  func equalEntriesOfTwoDevicesAreMerged(_ hasFeed: Bool) async throws {
    let world = try await World(hasFeed: hasFeed)
    let one = try world.device()
    let two = try world.device(isSignedIn: false)
    for device in [one, two] {
      try device.commit(.setFavorite(ayah("2:255"), true), .setProgress(surah(2), to: 5))
      try device.note("same")
      try device.note("same")
    }
    try one.note("one")
    try two.note("two")
    try two.commit(.setProgress(surah(2), to: 50))
    _ = try await one.sync()
    try two.signIn()
    try await world.sync(two, one)
    #expect(try one.texts == ["one", "same", "same", "two"])
    #expect(try two.contents == one.contents)
    #expect(try await world.records().count == 6)
    #expect(try one.library.snapshot().lastReadAyah(of: surah(2)) == 50)
    #expect(try one.library.outboxSummary().count == 0)
  }

  @Test func nothingIsSentBeforeTheAccountIsConfirmed() async throws {
    let world = try await World()
    let one = try world.device(isSignedIn: false)
    await #expect(throws: SyncFailure.signedOut) { try await one.sync() }
    try one.note("a")
    try one.engine.adopt(
      SyncAccount(
        origin: "https://records.example.org", container: "c", environment: "production",
        userRecordName: user))
    await #expect(throws: SyncFailure.unconfirmed) { try await one.sync() }
    #expect(one.link.asked.withLock { $0.isEmpty })
  }

  // MARK: Other programs

  @Test(arguments: [true, false])
  func recordsOfOtherProgramsAreUnchanged(_ hasFeed: Bool) async throws {
    let world = try await World(hasFeed: hasFeed)
    let one = try world.device()
    var broken = Entry.note(note("a", at: 1)).record(tag: nil)
    broken["ayahID"] = .string("2:254")
    var foreign = favorite("1:1", at: 1).record(tag: nil)
    foreign["ownerRecordName"] = .string("somebody")
    let twin = favorite("1:2", at: 7).record(tag: nil)
    var old = favorite("1:2", at: 5).record(tag: nil)
    old.recordName = "favorite-_defaultOwner-1:2"
    old["ownerRecordName"] = .string("_defaultOwner")
    for record in [broken, foreign, twin, old] { try await world.modify(.create(record)) }
    let before = try await world.records()
    _ = try await one.sync()
    _ = try await one.sync()
    #expect(try one.library.snapshot().favorites == [Favorite(ayah("1:2"), favoritedAt: 5)])
    #expect(try one.library.unreadableRecords().map(\.problem) == [UnreadableRecord.Problem.name])
    let after = try await world.records()
    #expect(after.count == 4)
    for name in [broken.recordName, foreign.recordName, old.recordName] {
      #expect(after.first { $0.recordName == name } == before.first { $0.recordName == name })
    }
    // Both records are one favorite, and are deleted together.
    try one.commit(.setFavorite(ayah("1:2"), false))
    _ = try await one.sync()
    #expect(try await world.records().count == 2)
    #expect(try one.library.outboxSummary().count == 0)
  }

  /// The name of the record ends with the old key and with the new one.
  @Test(arguments: [true, false])
  func aSettingWhoseKeyWasChangedIsUnreadable(_ hasFeed: Bool) async throws {
    let world = try await World(hasFeed: hasFeed)
    let one = try world.device()
    try one.commit(.set("a-b", "1"))
    _ = try await one.sync()
    var record = try #require(try await world.records().first)
    record["settingKey"] = .string("b")
    try await world.modify(.update(record))
    _ = try await one.sync()
    #expect(try one.library.snapshot().settings.map(\.key) == ["a-b"])
    #expect(try one.library.unreadableRecords().map(\.problem) == [UnreadableRecord.Problem.name])
    try one.commit(.set("a-b", "2"))
    #expect(try await one.sync().parked == 1)
    #expect(
      try one.library.pendingChanges(isParked: true).map(\.parked) == [.recordUnreadable])
    #expect(try await world.records().map { $0["settingKey"] } == [.string("b")])
  }

  /// The service has an unreadable version of a note that was changed here.
  @Test(arguments: [true, false])
  func aParkedChangeIsSentAfterItsRecordWasRepaired(_ hasFeed: Bool) async throws {
    let world = try await World(hasFeed: hasFeed)
    let (one, two) = (try world.device(), try world.device())
    let id = try one.note("một")
    try await world.sync(one, two)
    var record = try #require(try await world.records().first)
    record["noteText"] = .string("")
    try await world.modify(.update(record))
    try one.edit(id, "một\nhai")
    #expect(try await one.sync().parked == 1)
    record = try #require(try await world.records().first)
    record["noteText"] = .string("một")
    try await world.modify(.update(record))
    try await world.sync(one, two)
    #expect(try two.texts == ["một\nhai"])
    #expect(try one.library.outboxSummary() == OutboxSummary())
  }

  @Test func unknownFieldsAreKept() async throws {
    let world = try await World(noteField: "mood")
    let (one, two) = (try world.device(), try world.device())
    let id = try one.note("a")
    try await world.sync(one, two)
    var record = try #require(try await world.records().first)
    record["mood"] = .string("glad")
    try await world.modify(.update(record))
    // One device deletes the note, the other edits it: it is created again.
    try await world.sync(one, two)
    try one.delete(id)
    _ = try await one.sync()
    try two.edit(id, "b")
    try await world.sync(two, one)
    let found = try #require(try await world.records().first)
    #expect(found["mood"] == .string("glad"))
    #expect(found["noteText"] == .string("b"))
  }
}

extension Link {
  func expect(contentsOf faults: [Fault]) { for fault in faults { expect(fault) } }
}

extension RecordsModify.Operation {
  static func create(_ record: Record) -> Self {
    .init(
      .create, RecordInput(record.recordName, type: record.recordType, fields: record.fields))
  }

  static func update(_ record: Record) -> Self {
    .init(
      .update,
      RecordInput(
        record.recordName, type: record.recordType, fields: record.fields,
        recordChangeTag: record.recordChangeTag))
  }
}
