import CloudRecords
import Foundation
import Library
import Quran
import Testing

@testable import Sync

/// Records that were deleted and created again, possibly from an older version.
@Suite struct RecreatedRecordTests {
  /// Two devices, the second of which has synced changes that the first one has not fetched. The
  /// first one has then deleted the account and created its records again.
  private func recreated(
    _ hasFeed: Bool, text: String
  ) async throws -> (World, Device, Device, UUID) {
    let world = try await World(hasFeed: hasFeed)
    let (one, two) = (try world.device(), try world.device())
    for device in [one, two] { _ = try await device.engine.prepareAccount(named: nil) }
    let id = try one.note("một")
    try one.commit(.setFavorite(ayah("2:1"), true), .set("theme", "1"))
    try one.commit(.setProgress(SurahNumber(2)!, to: 50))
    try await world.sync(one, two)
    try two.edit(id, text)
    try two.commit(.set("theme", "2"), .setProgress(SurahNumber(2)!, to: 200))
    try await two.sync()
    _ = try await one.engine.deleteEverything()
    try one.signIn()
    _ = try await one.engine.prepareAccount(named: nil)
    try await one.sync()
    return (world, one, two, id)
  }

  @Test(arguments: [true, false])
  func aLaterVersionThatTheRecordDoesNotHaveIsKept(_ hasFeed: Bool) async throws {
    let (world, one, two, id) = try await recreated(hasFeed, text: "một\nhai")
    try await world.sync(two, one)
    #expect(try one.texts == ["một\nhai"])
    #expect(try one.library.note(id)?.text.text == "một\nhai")
    let snapshot = try one.library.snapshot()
    #expect(snapshot.settings.map(\.value) == ["2"])
    #expect(snapshot.progress.map(\.lastReadAyah) == [200])
    #expect(try one.contents == two.contents)
    #expect(try await two.sync() == SyncReport())
  }

  /// The version known here and the one of the record have no line in common.
  @Test(arguments: [true, false])
  func aReplacedTextBecomesACopy(_ hasFeed: Bool) async throws {
    let (world, one, two, _) = try await recreated(hasFeed, text: "hai")
    try await world.sync(two, one)
    #expect(try one.texts == ["hai", "một"])
    #expect(try one.contents == two.contents)
    #expect(try await two.sync() == SyncReport())
  }

  /// The device has also an edit that it has not sent.
  @Test(arguments: [true, false])
  func anUnsentEditOfALaterVersionIsKept(_ hasFeed: Bool) async throws {
    let (world, one, two, id) = try await recreated(hasFeed, text: "một\nhai")
    try two.edit(id, "một\nhai\nba")
    try await world.sync(two, one)
    #expect(try one.texts == ["một\nhai\nba"])
    #expect(try one.contents == two.contents)
  }

  /// Another device deletes a note and restores it: nothing is different for this one.
  @Test(arguments: [true, false])
  func theSameVersionCreatedAgainIsNoChange(_ hasFeed: Bool) async throws {
    let world = try await World(hasFeed: hasFeed)
    let (one, two) = (try world.device(), try world.device())
    let id = try one.note("một")
    try await world.sync(one, two)
    let record = try #require(try await world.records().first)
    try await world.modify(.init(.forceDelete, RecordInput(record.recordName)))
    try await world.modify(.create(record))
    #expect(try await one.sync().sent == 0)
    try two.edit(id, "hai")
    try await world.sync(two, one)
    #expect(try one.texts == ["hai"])
    #expect(try one.contents == two.contents)
  }

  /// One of three devices deletes a note, another one edits it without having seen that, and the
  /// third has the version from before.
  @Test(arguments: [true, false])
  func anEditThatOutlivesADeletionMakesNoCopy(_ hasFeed: Bool) async throws {
    let world = try await World(hasFeed: hasFeed)
    let (one, two, three) = (try world.device(), try world.device(), try world.device())
    let id = try one.note("một")
    try await world.sync(one, two, three)
    try one.delete(id)
    try await one.sync()
    try two.edit(id, "hai")
    try await world.sync(two, three, one)
    for device in [one, two, three] { #expect(try device.texts == ["hai"]) }
    #expect(try three.library.trash().map(\.note.text.text) == ["một"])
  }

  /// One of three devices deletes a note with the text of the third one. Another device edits the
  /// text from before without having seen that.
  @Test(arguments: [true, false])
  func aDeletedTextDoesNotComeBackWithAnEarlierEdit(_ hasFeed: Bool) async throws {
    let world = try await World(hasFeed: hasFeed)
    let (one, two, three) = (try world.device(), try world.device(), try world.device())
    for device in [one, two, three] { _ = try await device.engine.prepareAccount(named: nil) }
    let id = try one.note("một")
    try await world.sync(one, two, three)
    try two.edit(id, "một\nhai")
    try three.edit(id, "một\nba")
    try await three.sync()
    try await one.sync()
    try one.delete(id)
    try await one.sync()
    try await world.sync(two, three, one)
    for device in [one, two, three] { #expect(try device.texts == ["một\nhai"]) }
    #expect(try three.library.trash().map(\.note.text.text) == ["một\nba"])
  }

  /// The device that set the first value has a clock that is ahead. The device that removed it and
  /// set another one has seen it.
  @Test(arguments: [true, false])
  func aSettingThatWasSetAgainIsTaken(_ hasFeed: Bool) async throws {
    let world = try await World(hasFeed: hasFeed)
    let (one, two) = (try world.device(), try world.device(ahead: 1_000_000))
    for device in [one, two] { _ = try await device.engine.prepareAccount(named: nil) }
    try two.commit(.set("theme", "1"))
    try await world.sync(two, one)
    for value in [nil, "2"] {
      try one.commit(.set("theme", value))
      try await one.sync()
    }
    try await world.sync(two, one)
    for device in [one, two] {
      #expect(try device.library.snapshot().settings.map(\.value) == ["2"])
    }
  }

  /// A device has read on without having seen how far another one was, and the account was deleted
  /// in between. It creates the progress again without a question, as its change is later than the
  /// deletion.
  @Test(arguments: [true, false])
  func theFurtherProgressOutlivesADeletedAccount(_ hasFeed: Bool) async throws {
    let world = try await World(hasFeed: hasFeed)
    let (one, two, three) = (try world.device(), try world.device(), try world.device())
    for device in [one, two, three] { _ = try await device.engine.prepareAccount(named: nil) }
    let surah = try #require(SurahNumber(2))
    try one.commit(.setProgress(surah, to: 10))
    try await world.sync(one, two)
    try two.commit(.setProgress(surah, to: 40))
    try await two.sync()
    _ = try await three.engine.deleteEverything()
    try one.commit(.setProgress(surah, to: 12))
    try await one.sync()
    #expect(try one.library.syncAccount()?.hasProfile == true)
    try await world.sync(one, two)
    for device in [one, two] {
      #expect(try device.library.snapshot().progress.map(\.lastReadAyah) == [40])
    }
  }

  /// The same with an edit of the third device that is not sent yet.
  @Test(arguments: [true, false])
  func anUnsentEditIsMergedWithALaterVersion(_ hasFeed: Bool) async throws {
    let world = try await World(hasFeed: hasFeed)
    let (one, two, three) = (try world.device(), try world.device(), try world.device())
    let id = try one.note("một\nhai\nba")
    try await world.sync(one, two, three)
    try one.delete(id)
    try await one.sync()
    try two.edit(id, "một\nhai\n3")
    try await two.sync()
    try three.edit(id, "1\nhai\nba")
    try await world.sync(three, two, one)
    for device in [one, two, three] { #expect(try device.texts == ["1\nhai\n3"]) }
  }

  /// A device that knows the record and one that meets it for the first time make the same copy.
  @Test(arguments: [true, false])
  func twoDevicesMakeOneCopyOfAText(_ hasFeed: Bool) async throws {
    let (world, one, two, _) = try await recreated(hasFeed, text: "hai")
    let three = try world.device()
    try await world.sync(three)
    try await world.sync(two, one, three)
    for device in [one, two, three] { #expect(try device.texts == ["hai", "một"]) }
  }

  /// The library was made by a version of the program that did not store the times.
  @Test(arguments: [true, false])
  func missingTimesAreStoredByTheNextListing(_ hasFeed: Bool) async throws {
    let world = try await World(hasFeed: hasFeed)
    let one = try world.device()
    try one.note("một")
    try await one.sync()
    let name = try #require(try await world.records().first).recordName
    let state = try #require(try one.library.sync { try $0.state(named: name) }.value)
    #expect(state.createdAt != nil)
    try one.library.sync { transaction in
      var old = state
      old.createdAt = nil
      try transaction.store(old)
      var account = try #require(try transaction.account())
      account.syncToken = nil
      try transaction.setAccount(account)
    }
    try await one.sync()
    #expect(try one.library.sync { try $0.state(named: name) }.value?.createdAt == state.createdAt)
  }

  /// A favorite that was removed and added again has the time of the second addition.
  @Test(arguments: [true, false])
  func aFavoriteThatWasAddedAgainIsTaken(_ hasFeed: Bool) async throws {
    let world = try await World(hasFeed: hasFeed)
    let (one, two) = (try world.device(), try world.device())
    try one.commit(.setFavorite(ayah("2:1"), true))
    try await world.sync(one, two)
    for isFavorite in [false, true] {
      try one.commit(.setFavorite(ayah("2:1"), isFavorite))
      try await one.sync()
    }
    let contents = try one.contents
    #expect(try await two.sync().sent == 0)
    #expect(try two.contents == contents)
  }

  /// The user keeps the service's version after an older state of the library was restored, and the
  /// restored text exists nowhere else.
  @Test func aRestoredTextWhoseRecordWasCreatedAgainIsKeptInTheTrash() async throws {
    let (_, _, two, id) = try await recreated(true, text: "hai")
    try two.library.sync { transaction in
      var account = try #require(try transaction.account())
      account.restoration = .keepService
      try transaction.setAccount(account)
    }
    try await two.sync()
    #expect(try two.library.note(id)?.text.text == "một")
    #expect(try two.library.trash().map(\.note.text.text) == ["hai"])
  }
}
