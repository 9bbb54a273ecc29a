import CloudRecords
import Foundation
import Library
import Quran
import Synchronization
import Testing

@testable import Sync

/// The question that is asked before many entries are deleted.
struct MassDeletionTests {
  @Test(arguments: [true, false])
  func manyDeletionsAreAskedAbout(_ hasFeed: Bool) async throws {
    let world = try await World(hasFeed: hasFeed)
    let (one, two) = (try world.device(), try world.device())
    let ids = try (0..<40).map { try one.note("\($0)") }
    try one.commit(.setFavorite(ayah("1:1"), true))
    try await world.sync(one, two)
    for id in ids.prefix(21) { try one.delete(id) }
    try one.commit(.setFavorite(ayah("1:1"), false))
    _ = try await one.sync()
    let question = MassDeletion(counts: [.note: 21, .favorite: 1], isProfileGone: false)
    for _ in 0..<2 {
      await #expect(throws: SyncFailure.massDeletion(question)) { try await two.sync() }
      #expect(try two.texts.count == 40)
    }
    #expect(try await two.sync(.accept(question)).deleted == 22)
    #expect(try two.contents == one.contents)
    #expect(try two.texts.count == 19)
  }

  /// The user is asked again if there are more deletions than those that were accepted.
  @Test(arguments: [true, false])
  func furtherDeletionsAreAskedAboutAgain(_ hasFeed: Bool) async throws {
    let world = try await World(hasFeed: hasFeed)
    let (one, two) = (try world.device(), try world.device())
    let ids = try (0..<60).map { try one.note("\($0)") }
    try await world.sync(one, two)
    for id in ids.prefix(21) { try one.delete(id) }
    _ = try await one.sync()
    let question = MassDeletion(counts: [.note: 21], isProfileGone: false)
    await #expect(throws: SyncFailure.massDeletion(question)) { try await two.sync() }
    for id in ids.dropFirst(21).prefix(29) { try one.delete(id) }
    _ = try await one.sync()
    let more = MassDeletion(counts: [.note: 50], isProfileGone: false)
    await #expect(throws: SyncFailure.massDeletion(more)) {
      try await two.sync(.accept(question))
    }
    #expect(try two.texts.count == 60)
    #expect(try await two.sync(.accept(more)).deleted == 50)
  }

  /// Notes that were edited on this device are kept, and do not count as deleted.
  @Test(arguments: [true, false])
  func notesEditedLocallyAreNotCountedAsDeleted(_ hasFeed: Bool) async throws {
    let world = try await World(hasFeed: hasFeed)
    let (one, two) = (try world.device(), try world.device())
    let ids = try (0..<40).map { try one.note("\($0)") }
    try await world.sync(one, two)
    for id in ids.prefix(25) { try one.delete(id) }
    _ = try await one.sync()
    for id in ids.prefix(10) { try two.edit(id, "sửa") }
    #expect(try await two.sync().deleted == 15)
    #expect(try two.texts.count == 25)
  }

  /// An undone change does not protect its entry, so these favourites count as deleted.
  @Test(arguments: [true, false])
  func entriesWithAnUndoneChangeAreCountedAsDeleted(_ hasFeed: Bool) async throws {
    let world = try await World(hasFeed: hasFeed)
    let (one, two) = (try world.device(), try world.device())
    let ayahs = (1...30).map { ayah("2:\($0)") }
    try one.library.commit(ayahs.map { .setFavorite($0, true) }, at: one.now)
    try await world.sync(one, two)
    for ayah in ayahs {
      let commit = try two.library.commit([.setFavorite(ayah, false)], at: two.now)
      _ = try two.library.reverse(commit, at: two.now)
    }
    try one.library.commit(ayahs.map { .setFavorite($0, false) }, at: one.now)
    _ = try await one.sync()
    let question = MassDeletion(counts: [.favorite: 30], isProfileGone: false)
    await #expect(throws: SyncFailure.massDeletion(question)) { try await two.sync() }
    #expect(try two.library.snapshot().favoriteCount == 30)
    #expect(try await two.sync(.accept(question)).deleted == 30)
    #expect(try two.contents == one.contents)
  }

  /// A thing with several records is only deleted with the last of them.
  @Test(arguments: [true, false])
  func deletedDuplicateRecordsAreNotCounted(_ hasFeed: Bool) async throws {
    let world = try await World(hasFeed: hasFeed)
    let device = try world.device()
    let favorites = try await addFavoritesWithDuplicates(30, to: device, in: world)
    try await delete(favorites.duplicates, in: world)
    #expect(try await device.sync().deleted == 0)
    #expect(try device.library.snapshot().favoriteCount == 30)
  }

  /// Half of the favourites are deleted, although each of them has two records.
  @Test(arguments: [true, false])
  func theShareIsCountedInThingsNotRecords(_ hasFeed: Bool) async throws {
    let world = try await World(hasFeed: hasFeed)
    let device = try world.device()
    let favorites = try await addFavoritesWithDuplicates(50, to: device, in: world)
    try await delete(favorites.names.prefix(25) + favorites.duplicates.prefix(25), in: world)
    let question = MassDeletion(counts: [.favorite: 25], isProfileGone: false)
    await #expect(throws: SyncFailure.massDeletion(question)) { try await device.sync() }
    #expect(try device.library.snapshot().favoriteCount == 50)
  }

  /// 25 of the 40 favourites that are left on this device are deleted, not 25 of 100.
  @Test(arguments: [true, false])
  func thingsDeletedOnThisDeviceAreNotPartOfTheTotal(_ hasFeed: Bool) async throws {
    let world = try await World(hasFeed: hasFeed)
    let device = try world.device()
    let names = try await addFavorites(100, to: device)
    try device.library.commit((1...60).map { .setFavorite(ayah("2:\($0)"), false) }, at: device.now)
    try await delete(names.suffix(25), in: world)
    let question = MassDeletion(counts: [.favorite: 25], isProfileGone: false)
    await #expect(throws: SyncFailure.massDeletion(question)) { try await device.sync() }
    #expect(try device.library.snapshot().favoriteCount == 40)
  }

  /// Records that are created and deleted again between two pages of the feed are in both.
  @Test func deletionsInSeveralPagesAreCountedOnce() async throws {
    let world = try await World(hasFeed: true)
    let device = try world.device()
    let names = try await addFavorites(30, to: device)
    try await delete(names, in: world)
    for number in 0..<300 {
      try await world.modify(
        .create(
          Entry.setting(Setting(key: "\(number)", value: "1", lastModifiedAt: 1)).record(tag: nil)))
    }
    device.link.expect(
      .none,
      .before {
        for number in 1...30 {
          try await world.modify(.create(favorite("2:\(number)", at: 5).record(tag: nil)))
        }
        try await delete(names, in: world)
      })
    let question = MassDeletion(counts: [.favorite: 30], isProfileGone: false)
    await #expect(throws: SyncFailure.massDeletion(question)) { try await device.sync() }
    #expect(try device.library.snapshot().favoriteCount == 30)
  }

  /// If all records of a thing were deleted and it is kept, one of them is created again.
  @Test(arguments: [true, false])
  func aKeptThingCanBeDeletedLater(_ hasFeed: Bool) async throws {
    let world = try await World(hasFeed: hasFeed)
    let device = try world.device()
    let favorites = try await addFavoritesWithDuplicates(30, to: device, in: world)
    try await delete(favorites.names + favorites.duplicates, in: world)
    await #expect(throws: SyncFailure.self) { try await device.sync() }
    try await device.sync(.keepEverything)
    let kept = try await world.records().map(\.recordName)
    #expect(kept.count == 30)
    try await delete(kept, in: world)
    let question = MassDeletion(counts: [.favorite: 30], isProfileGone: false)
    await #expect(throws: SyncFailure.massDeletion(question)) { try await device.sync() }
    #expect(try await device.sync(.accept(question)).deleted == 30)
    #expect(try device.library.snapshot().favoriteCount == 0)
  }

  @Test(arguments: [true, false])
  func keptNotesAreRestoredOnAllDevices(_ hasFeed: Bool) async throws {
    let world = try await World(hasFeed: hasFeed)
    let (one, two) = (try world.device(), try world.device())
    let ids = try (0..<40).map { try one.note("\($0)") }
    try await world.sync(one, two)
    for id in ids { try one.delete(id) }
    _ = try await one.sync()
    let failure = await #expect(throws: SyncFailure.self) { try await two.sync() }
    #expect(failure?.isMassDeletion == true)
    try await two.sync(.keepEverything)
    _ = try await one.sync()
    #expect(try one.texts.count == 40)
    #expect(try two.contents == one.contents)
  }

  @Test(arguments: [true, false])
  func deletionsOnBothDevicesAreNotAskedAbout(_ hasFeed: Bool) async throws {
    let world = try await World(hasFeed: hasFeed)
    let (one, two) = (try world.device(), try world.device())
    let ids = try (0..<40).map { try one.note("\($0)") }
    try await world.sync(one, two)
    for id in ids[..<30] {
      try one.delete(id)
      try two.delete(id)
    }
    _ = try await one.sync()
    _ = try await two.sync()
    #expect(try two.texts.count == 10)
    #expect(try two.contents == one.contents)
  }

  @Test(arguments: [true, false])
  func keepingEverythingDoesNotAffectOwnChanges(_ hasFeed: Bool) async throws {
    let world = try await World(hasFeed: hasFeed)
    let (one, two) = (try world.device(), try world.device())
    let surah = ayah("2:255").surah
    let ids = try (0..<30).map { try one.note("\($0)") }
    let long = try one.note("a\nb\nc")
    try one.commit(.setProgress(surah, to: 100))
    try await world.sync(one, two)
    for id in ids[..<25] { try one.delete(id) }
    _ = try await one.sync()
    try two.delete(ids[25])
    // This note was deleted on both devices.
    try two.delete(ids[0])
    try two.edit(ids[1], "sửa")
    try two.edit(long, "a\nc")
    try two.commit(.setProgress(surah, to: 0))
    let texts = try two.texts
    let failure = await #expect(throws: SyncFailure.self) { try await two.sync() }
    #expect(failure?.isMassDeletion == true)
    try await two.sync(.keepEverything)
    #expect(try two.texts == texts)
    #expect(try two.library.snapshot().lastReadAyah(of: surah) == 0)
    _ = try await one.sync()
    #expect(try one.contents == two.contents)
    #expect(try two.library.outboxSummary() == OutboxSummary())
    // If nothing was deleted, the answer has no effect.
    try two.commit(.setProgress(surah, to: 3))
    _ = try await two.sync()
    try two.commit(.setProgress(surah, to: 0))
    try await two.sync(.keepEverything)
    #expect(try two.library.snapshot().lastReadAyah(of: surah) == 0)
    #expect(try two.texts == texts)
  }

  /// Another program creates a record of its own before the kept one is sent.
  @Test func aKeptThingIsSentAlthoughAnotherRecordAppears() async throws {
    let world = try await World(hasFeed: true)
    let device = try world.device()
    let surahs = (1...22).map(surah)
    for surah in surahs { try device.commit(.setProgress(surah, to: surah.surah.ayahCount)) }
    _ = try await device.sync()
    for surah in surahs {
      try await world.modify(
        .init(.forceDelete, RecordInput("progress-\(user)-\(surah)", type: "ReadingProgress")))
    }
    try await keepEverythingWithoutSending(device)
    #expect(try await world.records().isEmpty)
    try await addOtherProgress(of: surah(2), 30, in: world)
    device.world.wait(3_600_000)
    try await world.sync(device)
    let progress = try await world.records().filter { $0.recordName == "progress-\(user)-2" }
    #expect(progress.map { $0["lastReadAyah"] } == [.int64(286)])
  }

  /// A device that had not seen the last version creates the record again.
  @Test func aKeptNoteIsMergedWithAnOlderVersionThatReappears() async throws {
    let world = try await World(hasFeed: true)
    let (one, two) = (try world.device(), try world.device())
    let ids = try (0..<25).map { try one.note("\($0)") }
    try await world.sync(one, two)
    try one.edit(ids[0], "0\nmới")
    _ = try await one.sync()
    for name in try await world.records().map(\.recordName) {
      try await world.modify(.init(.forceDelete, RecordInput(name, type: "AyahNote")))
    }
    try await keepEverythingWithoutSending(one)
    await #expect(throws: SyncFailure.self) { try await two.sync() }
    try await two.sync(.keepEverything)
    world.wait(3_600_000)
    try await world.sync(one, two, one)
    #expect(try one.texts.contains { $0.contains("mới") })
    #expect(try one.contents == two.contents)
  }

  /// The second record of each favourite has another version.
  @Test(arguments: [true, false])
  func thingsWithTwoDeletedRecordsAreDeleted(_ hasFeed: Bool) async throws {
    let world = try await World(hasFeed: hasFeed)
    let (one, two) = (try world.device(), try world.device())
    _ = try await addFavoritesWithDuplicates(30, at: one.now + 1000, to: one, in: world)
    _ = try await two.sync()
    let ayahs = (1...30).map { ayah("2:\($0)") }
    try one.library.commit(ayahs.map { .setFavorite($0, false) }, at: one.now)
    _ = try await one.sync()
    #expect(try await world.records().isEmpty)
    let question = MassDeletion(counts: [.favorite: 30], isProfileGone: false)
    await #expect(throws: SyncFailure.massDeletion(question)) { try await two.sync() }
    #expect(try await two.sync(.accept(question)).deleted == 30)
    #expect(try two.library.snapshot().favoriteCount == 0)
    #expect(try await world.records().isEmpty)
  }

  /// The record was to be created again after a rollback, but the note was deleted before.
  @Test func theDeletionOfARecordThatWasNotCreatedAgainIsStored() async throws {
    let world = try await World(hasFeed: true)
    let device = try world.device()
    let id = try device.note("một")
    _ = try await device.sync()
    let name = try #require(try await world.records().first?.recordName)
    try device.library.sync { transaction in
      var state = try #require(try transaction.state(named: name))
      (state.formerTags, state.tag) = (state.tagsOfAncestors, nil)
      try transaction.store(state)
    }
    try device.delete(id)
    _ = try await device.sync()
    let deleted = try device.library.sync { transaction in
      try transaction.deletedRecord(named: name)
    }
    #expect(deleted.value?.thing == .note(id))
  }
}

/// Keeps everything that was deleted on the service. The first request that would create records
/// again is lost.
private func keepEverythingWithoutSending(_ device: Device) async throws {
  let before = device.link.asked.withLock { $0.count }
  await #expect(throws: SyncFailure.self) { try await device.sync() }
  let requests = device.link.asked.withLock { $0.count } - before
  for _ in 0..<requests { device.link.expect(.none) }
  device.link.expect(.lost)
  await #expect(throws: SyncFailure.self) { try await device.sync(.keepEverything) }
}

/// Adds favourites of 2:1 and the ayahs after it, and syncs them.
///
/// - Returns: The names of their records.
func addFavorites(_ count: Int, to device: Device) async throws -> [String] {
  let ayahs = (1...count).map { ayah("2:\($0)") }
  try device.library.commit(ayahs.map { .setFavorite($0, true) }, at: device.now)
  _ = try await device.sync()
  return ayahs.map { "favorite-\(user)-\($0)" }
}
