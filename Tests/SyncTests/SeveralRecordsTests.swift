import CloudRecords
import Foundation
import Library
import Quran
import Testing

@testable import Sync

/// Things of which the service has a second record, which another program wrote.
struct SeveralRecordsTests {
  private let entry = Entry.progress(SurahProgress(surah(2), lastReadAyah: 30, lastUpdatedAt: 5))

  /// Two records of the entry, in their first version.
  private var records: [Record] {
    [user, "_defaultOwner"].map { owner in
      var record = entry.record(tag: "1")
      record.recordName = "progress-\(owner)-2"
      return record
    }
  }

  /// The remaining record, of another program, has an older version than the deleted record had.
  @Test(arguments: [true, false])
  func theRemainingRecordGetsTheVersionOfTheDeletedOne(_ hasFeed: Bool) async throws {
    let world = try await World(hasFeed: hasFeed)
    let device = try world.device()
    try device.commit(.setProgress(surah(2), to: 100))
    _ = try await device.sync()
    try await addOtherProgress(of: surah(2), 30, in: world)
    try await world.sync(device)
    try await world.modify(
      .init(.forceDelete, RecordInput("progress-\(user)-2", type: "ReadingProgress")))
    try await world.sync(device)
    #expect(try device.library.snapshot().lastReadAyah(of: surah(2)) == 100)
    #expect(try await world.records().map { $0["lastReadAyah"] } == [.int64(100)])
  }

  /// The other program saves its record again, and the content is the same.
  @Test(arguments: [true, false])
  func aSecondRecordThatIsSavedUnchangedChangesNothing(_ hasFeed: Bool) async throws {
    let world = try await World(hasFeed: hasFeed)
    let device = try world.device()
    try device.commit(.setProgress(surah(2), to: 100))
    _ = try await device.sync()
    try await addOtherProgress(of: surah(2), 30, in: world)
    try await world.sync(device)
    let record = try #require(
      try await world.records().first { $0.recordName == "progress-_defaultOwner-2" })
    let input = RecordInput(record.recordName, type: record.recordType, fields: record.fields)
    try await world.modify(.init(.forceReplace, input))
    let saved = try await world.records().first { $0.recordName == record.recordName }
    #expect(saved?.recordChangeTag != record.recordChangeTag)
    try await world.sync(device)
    #expect(try device.library.snapshot().lastReadAyah(of: surah(2)) == 100)
    #expect(try device.library.outboxSummary() == OutboxSummary())
  }

  /// The library has the versions of the second records, but has not yet saved them in the first
  /// ones.
  @Test func aCopyBetweenRecordsDoesNotOutliveADeletion() async throws {
    let world = try await World(hasFeed: true)
    let device = try world.device()
    let names = try await addFavorites(30, to: device)
    let duplicates = try await addDuplicates(30, at: 5, in: world)
    // The response to the page of changes arrives; the request that saves the copies is lost.
    device.link.expect(.none, .lost)
    await #expect(throws: SyncFailure.self) { try await device.sync() }
    #expect(try device.library.outboxSummary().count == 30)
    try await delete(names + duplicates, in: world)
    world.wait(3_600_000)
    let question = MassDeletion(counts: [.favorite: 30], isProfileGone: false)
    await #expect(throws: SyncFailure.massDeletion(question)) { try await device.sync() }
    #expect(try await device.sync(.accept(question)).deleted == 30)
    #expect(try await world.records().isEmpty)
  }

  /// The service lost the deletions of both records of a thing in a rollback.
  @Test func bothRecordsOfAThingAreDeletedAgain() throws {
    let library = try Library.inMemory()
    try library.sync { transaction in
      for record in records {
        try transaction.store(
          DeletedRecord(name: record.recordName, thing: entry.thing, tags: ["1"], deletedAt: 1))
      }
      let applier = RecordApplier(user: user, now: 2, listing: 1, isForked: true)
      for record in records { #expect(try !applier.apply(record, in: &transaction)) }
      #expect(try transaction.entry(entry.thing) == nil)
      #expect(try transaction.pending(entry.thing)?.isDeletion == true)
      #expect(try transaction.states(of: entry.thing).count == 2)
    }
  }

  /// The service lost one of two records of a favourite that was deleted on this device.
  @Test func thePendingDeletionOfTheOtherRecordRemains() throws {
    let library = try Library.inMemory()
    let thing = Thing.favorite(ayah("2:255"))
    let states = ["favorite-\(user)-2:255", "favorite-_defaultOwner-2:255"].map { name in
      RecordState(name: name, thing: thing, tag: "1", formerTags: [], base: Data(), listing: 0)
    }
    try library.sync { transaction in
      for state in states { try transaction.store(state) }
      try transaction.enqueue(thing, isDeletion: true, at: 1)
      let applier = RecordApplier(user: user, now: 2, listing: 0, isForked: true)
      try applier.createAgain(states[0], in: &transaction)
      #expect(try transaction.pending(thing)?.isDeletion == true)
      #expect(try transaction.states(of: thing).map(\.name) == [states[1].name])
      try applier.createAgain(states[1], in: &transaction)
      #expect(try transaction.pending(thing) == nil)
    }
  }

  /// After a rollback, another device has added the favourite again. Its time may be the one that
  /// it had before the deletion.
  @Test(arguments: [6, 20])
  func aFavoriteThatWasAddedAgainOutlivesTheDeletionOfItsOtherRecord(_ time: Int64) throws {
    let library = try Library.inMemory()
    let again = favorite("2:255", at: time)
    let names = [user, "_defaultOwner"].map { "favorite-\($0)-2:255" }
    try library.sync { transaction in
      for name in names {
        try transaction.store(
          DeletedRecord(name: name, thing: again.thing, tags: ["1"], deletedAt: 10))
      }
      let applier = RecordApplier(user: user, now: 30, listing: 1, isForked: true)
      var other = favorite("2:255", at: 5).record(tag: "1")
      other.recordName = names[1]
      try applier.apply(other, in: &transaction)
      #expect(try transaction.pending(again.thing)?.isDeletion == true)
      try applier.apply(again.record(tag: "2"), in: &transaction)
      #expect(try transaction.entry(again.thing) == again)
      #expect(try transaction.pending(again.thing)?.isDeletion != true)
    }
  }

  /// The favourite was added and removed on this device after the first deletion.
  @Test func aLaterDeletionAppliesToARecordThatWasCreatedAgain() throws {
    let library = try Library.inMemory()
    let again = favorite("2:255", at: 20)
    let name = "favorite-\(user)-2:255"
    try library.sync { transaction in
      try transaction.store(
        DeletedRecord(name: name, thing: again.thing, tags: ["1"], deletedAt: 10))
      try transaction.enqueue(again.thing, isDeletion: true, at: 25)
      let applier = RecordApplier(user: user, now: 30, listing: 1, isForked: true)
      try applier.apply(again.record(tag: "2"), in: &transaction)
      #expect(try transaction.entry(again.thing) == nil)
      #expect(try transaction.pending(again.thing)?.isDeletion == true)
    }
  }

  /// One of the deleted records had a version that this device did not fetch.
  @Test func theDeletedVersionOfEachRecordIsStored() throws {
    let library = try Library.inMemory()
    try library.sync { transaction in
      let applier = RecordApplier(user: user, now: 2, listing: 1)
      for record in records { try applier.apply(record, in: &transaction) }
      let deletions = records.map { RecordDeletion(name: $0.recordName, tag: "2") }
      #expect(try applier.apply(deletions, in: &transaction) == [entry.thing])
      for record in records {
        let deleted = try transaction.deletedRecord(named: record.recordName)
        #expect(deleted?.tags == ["2", "1"])
      }
    }
  }
}

/// Adds a record of the progress in a surah, with the owner name that older versions of the app
/// wrote.
func addOtherProgress(
  of surah: SurahNumber, _ ayah: Int, in world: World
) async throws {
  let entry = Entry.progress(SurahProgress(surah, lastReadAyah: ayah, lastUpdatedAt: 5))
  var record = entry.record(tag: nil)
  record.recordName = "progress-_defaultOwner-\(surah)"
  record["ownerRecordName"] = .string("_defaultOwner")
  try await world.modify(.create(record))
}

/// Adds favourites of 2:1 and the ayahs after it, each with two records, and syncs them.
///
/// - Parameter time: The time of the second records, in milliseconds since 1970.
func addFavoritesWithDuplicates(
  _ count: Int, at time: Int64 = 5, to device: Device, in world: World
) async throws -> (names: [String], duplicates: [String]) {
  let names = try await addFavorites(count, to: device)
  let duplicates = try await addDuplicates(count, at: time, in: world)
  try await world.sync(device)
  return (names, duplicates)
}

/// Adds second records of favourites, with the owner name that older versions of the app wrote.
///
/// - Returns: The names of the records.
func addDuplicates(_ count: Int, at time: Int64, in world: World) async throws -> [String] {
  var names: [String] = []
  for number in 1...count {
    var duplicate = favorite("2:\(number)", at: time).record(tag: nil)
    duplicate.recordName = "favorite-_defaultOwner-2:\(number)"
    duplicate["ownerRecordName"] = .string("_defaultOwner")
    try await world.modify(.create(duplicate))
    names.append(duplicate.recordName)
  }
  return names
}

func delete(_ names: some Sequence<String>, in world: World) async throws {
  for name in names {
    try await world.modify(.init(.forceDelete, RecordInput(name, type: "FavoriteAyah")))
  }
}
