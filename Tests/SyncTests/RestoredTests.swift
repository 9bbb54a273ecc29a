import CloudRecords
import Foundation
import Library
import RecordClient
import Synchronization
import TestSupport
import Testing

@testable import Sync

/// Libraries that are restored to an earlier state, with a service that has later changes.
@Suite struct RestoredTests {
  private let directory: TemporaryDirectory
  private var path: String { directory.path + "/library.sqlite" }
  private var copy: String { directory.path + "/copy.sqlite" }

  init() throws {
    directory = try TemporaryDirectory()
  }

  private func replace(_ target: String, by source: String) throws {
    try? FileManager.default.removeItem(atPath: target)
    try FileManager.default.copyItem(atPath: source, toPath: target)
  }

  /// The IDs of the notes, by what happens to them.
  private struct NoteIDs {
    var edited = UUID()
    var editedElsewhere = UUID()
    var deleted = UUID()
    var deletedElsewhere = UUID()
    var unsent = UUID()
    var unsentDeletion = UUID()
    var same = UUID()
    var new = UUID()
  }

  /// A device whose library was restored, and another one. The service has later changes of both.
  private func restoredDevices(in world: World) async throws -> (Device, Device, NoteIDs) {
    var notes = NoteIDs()
    let (before, other) = (try world.device(at: path), try world.device())
    notes.edited = try before.note("bản một")
    notes.editedElsewhere = try before.note("bản hai")
    notes.deleted = try before.note("bản ba")
    notes.deletedElsewhere = try before.note("bản bốn")
    notes.unsentDeletion = try before.note("bản năm")
    notes.same = try before.note("bản sáu")
    try before.commit(
      .setFavorite(ayah("1:1"), true), .setProgress(surah(2), to: 50), .set("theme", "\"dark\""))
    try await world.sync(before, other)
    notes.unsent = try before.note("chưa gửi")
    try before.delete(notes.unsentDeletion)
    before.library.close()
    try replace(copy, by: path)

    let device = try world.device(isSignedIn: false, at: path)
    // This note never reaches the service.
    try device.delete(notes.unsent)
    try device.edit(notes.edited, "bản một sửa")
    try device.delete(notes.deleted)
    try device.commit(
      .setFavorite(ayah("1:1"), false), .setFavorite(ayah("114:6"), true),
      .setProgress(surah(2), to: 100), .set("theme", "\"light\""))
    try other.edit(notes.editedElsewhere, "bản hai sửa")
    try other.edit(notes.unsentDeletion, "bản năm sửa")
    try other.delete(notes.deletedElsewhere)
    notes.new = try other.note("mới")
    try await world.sync(device, other)
    device.library.close()
    try replace(path, by: copy)
    return (try world.device(isSignedIn: false, at: path), other, notes)
  }

  private func trash(_ device: Device) throws -> [String] {
    try device.library.trash().map(\.note.text.text).sorted()
  }

  private func expectSame(_ device: Device, _ other: Device, _ world: World) async throws {
    try await world.sync(other, device)
    #expect(try device.contents == other.contents)
    #expect(try device.library.outboxSummary().count == 0)
    #expect(try await world.records().count == device.contents.count)
  }

  @Test(arguments: [true, false])
  func syncFailsUntilARestorationIsChosen(_ hasFeed: Bool) async throws {
    let world = try await World(hasFeed: hasFeed)
    let (device, _, _) = try await restoredDevices(in: world)
    let before = try device.contents
    for answer in [nil, MassDeletion.Answer.keepEverything, .accept(nil)] {
      await #expect(throws: SyncFailure.restored) { try await device.sync(answer) }
    }
    #expect(device.link.asked.withLock { $0 } == [])
    #expect(try device.contents == before)
    #expect(try device.library.syncAccount()?.restoration == .undecided)
    // Signing in again does not answer the question.
    try device.signIn()
    await #expect(throws: SyncFailure.restored) { try await device.sync() }
  }

  @Test(arguments: [true, false])
  func keepRestoredReplacesTheStateOfTheService(_ hasFeed: Bool) async throws {
    let world = try await World(hasFeed: hasFeed)
    let (device, other, notes) = try await restoredDevices(in: world)
    try device.library.chooseRestoration(.keepRestored)
    try await device.sync()
    #expect(
      try device.texts == [
        "bản ba", "bản bốn", "bản hai", "bản một", "bản sáu", "chưa gửi", "mới",
      ])
    #expect(try trash(device) == ["bản hai sửa", "bản một sửa", "bản năm sửa"])
    let snapshot = try device.library.snapshot()
    #expect(snapshot.favorites.map { "\($0.ayah)" }.sorted() == ["114:6", "1:1"])
    #expect(snapshot.lastReadAyah(of: surah(2)) == 50)
    #expect(snapshot.settings.map(\.value) == ["\"dark\""])
    try await expectSame(device, other, world)
    #expect(try device.texts.count == 7)
    #expect(try device.library.note(notes.edited)?.text.text == "bản một")
    #expect(try device.library.syncAccount()?.restoration == nil)
    // The replaced texts can be restored from the trash, beside the notes.
    let replaced = try #require(device.library.trash().first)
    try device.library.restoreNote(replaced.note.id, at: device.now)
    try await expectSame(device, other, world)
    #expect(try other.texts.contains(replaced.note.text.text))
  }

  @Test(arguments: [true, false])
  func keepServiceReplacesTheLibrary(_ hasFeed: Bool) async throws {
    let world = try await World(hasFeed: hasFeed)
    let (device, other, _) = try await restoredDevices(in: world)
    let wanted = try other.contents
    try device.library.chooseRestoration(.keepService)
    try await device.sync()
    #expect(try device.contents == wanted)
    #expect(try trash(device) == ["bản ba", "bản bốn", "chưa gửi"])
    #expect(try device.texts == ["bản hai sửa", "bản một sửa", "bản năm sửa", "bản sáu", "mới"])
    try await expectSame(device, other, world)
    #expect(try other.contents == wanted)
  }

  /// The answer concerns only the state that was restored.
  @Test(arguments: [true, false])
  func changesAfterTheRestorationAreKept(_ choosesBeforeEditing: Bool) async throws {
    let world = try await World()
    let (device, other, notes) = try await restoredDevices(in: world)
    if choosesBeforeEditing { try device.library.chooseRestoration(.keepService) }
    let new = try device.note("viết sau đó")
    // If another device changed the same lines, both texts stay.
    try device.edit(notes.edited, "bản một\ndòng thêm")
    try device.edit(notes.same, "bản sáu\ndòng nữa")
    try device.commit(.setFavorite(ayah("5:6"), true), .setProgress(surah(5), to: 7))
    try device.library.chooseRestoration(.keepService)
    try await device.sync()
    try await expectSame(device, other, world)
    for each in [device, other] {
      #expect(try each.library.note(new)?.text.text == "viết sau đó")
      let lines = Set(try each.texts.flatMap { $0.split(separator: "\n") })
      #expect(lines.isSuperset(of: ["bản một sửa", "dòng thêm"]))
      #expect(try each.library.note(notes.same)?.text.text == "bản sáu\ndòng nữa")
      let snapshot = try each.library.snapshot()
      #expect(snapshot.isFavorite(ayah("5:6")))
      #expect(snapshot.lastReadAyah(of: surah(5)) == 7)
    }
    // The note that was unsent when the library was restored is in the trash.
    #expect(try trash(device).contains("chưa gửi"))
  }

  @Test func whatTheServiceDoesNotHaveIsReported() async throws {
    let world = try await World()
    let (device, _, _) = try await restoredDevices(in: world)
    try device.library.chooseRestoration(.keepService)
    let report = try await device.sync()
    // Three notes and a favorite.
    #expect(report.trashed == 3)
    #expect(report.deleted == 4)
    #expect(try await device.sync() == SyncReport())
  }

  @Test func laterEditsOfAnotherDeviceAreMerged() async throws {
    let world = try await World()
    let (device, other, notes) = try await restoredDevices(in: world)
    // This edit has not been sent yet.
    try other.edit(notes.edited, "bản một sửa\nthêm")
    try device.library.chooseRestoration(.keepRestored)
    try await device.sync()
    try await expectSame(device, other, world)
    #expect(try device.texts.joined(separator: "\n").contains("thêm"))
    #expect(try device.texts.joined(separator: "\n").contains("bản một"))
  }

  /// The result is the same wherever the round is interrupted.
  @Test(arguments: [SyncAccount.Restoration.keepRestored, .keepService], [true, false])
  func theResultIsTheSameAfterALostRequest(
    _ answer: SyncAccount.Restoration, _ isUnanswered: Bool
  ) async throws {
    for request in 0..<6 {
      let world = try await World()
      let (device, other, _) = try await restoredDevices(in: world)
      try device.library.chooseRestoration(answer)
      for _ in 0..<request { device.link.expect(.none) }
      device.link.expect(isUnanswered ? .unanswered : .lost)
      // A later round can have the fault, after the restoration was applied.
      for _ in 0..<8 {
        _ = try? await device.sync()
        world.wait(600_000)
      }
      try await expectSame(device, other, world)
      let (texts, trash) = (try device.texts, try trash(device))
      if answer == .keepRestored {
        #expect(texts.count == 7 && texts.contains("bản một"), "\(request): \(texts)")
        #expect(trash == ["bản hai sửa", "bản một sửa", "bản năm sửa"], "\(request)")
      } else {
        #expect(texts.count == 5 && texts.contains("bản một sửa"), "\(request): \(texts)")
        #expect(trash == ["bản ba", "bản bốn", "chưa gửi"], "\(request)")
      }
      device.library.close()
      try FileManager.default.removeItem(atPath: path)
    }
  }

  /// A backup from before the library was connected has no account.
  @Test func aBackupWithoutAnAccountRequiresAChoice() async throws {
    let world = try await World()
    let before = try world.device(isSignedIn: false, at: path)
    let id = try before.note("bản đầu")
    let name = try before.library.backUp(at: before.now)
    try before.signIn()
    try before.edit(id, "bản sau")
    let new = try before.note("mới")
    try await before.sync()
    before.library.close()
    for answer in [SyncAccount.Restoration.keepService, .keepRestored] {
      _ = try Backups(of: path).restore(name, at: world.now)
      let device = try world.device(isSignedIn: false, at: path)
      await #expect(throws: SyncFailure.restored) { try await device.sync() }
      try device.library.chooseRestoration(answer)
      try await device.sync()
      #expect(
        try device.library.note(id)?.text.text
          == (answer == .keepRestored ? "bản đầu" : "bản sau"))
      #expect(try device.library.note(new) != nil)
      // The second restoration does not remove the text that the first one moved to the trash.
      #expect(try trash(device) == (answer == .keepService ? ["bản đầu"] : ["bản sau", "bản đầu"]))
      device.library.close()
    }
  }

  /// The first restoration moves the text of the other device to the trash. The second backup
  /// contains that text already.
  @Test func theTrashIsKeptThroughASecondRestoration() async throws {
    let world = try await World()
    let (device, other) = (try world.device(at: path), try world.device())
    let id = try device.note("một")
    try await world.sync(device, other)
    let first = try device.library.backUp(at: 1_700_000_000_000)
    try other.edit(id, "một\nhai")
    try await world.sync(device, other, device)
    let second = try device.library.backUp(at: 1_700_000_100_000)
    device.library.close()

    _ = try Backups(of: path).restore(first, .keepRestored, at: world.now)
    let restored = try world.device(isSignedIn: false, at: path)
    try await world.sync(restored, other)
    #expect(try trash(restored) == ["một\nhai"])
    #expect(try other.texts == ["một"])
    restored.library.close()

    _ = try Backups(of: path).restore(second, .keepService, at: world.now)
    let again = try world.device(isSignedIn: false, at: path)
    try await world.sync(again, other)
    #expect(try again.texts == ["một"])
    #expect(try other.texts == ["một"])
    #expect(try trash(again).contains("một\nhai"))
  }

  /// A copy from before the library was connected is put back by hand: it has no account, and the
  /// file beside it says that the library was synced.
  @Test(arguments: [SyncAccount.Restoration.keepService, .keepRestored])
  func aCopyWithoutAnAccountRequiresAChoice(_ answer: SyncAccount.Restoration)
    async throws
  {
    let world = try await World()
    let before = try world.device(isSignedIn: false, at: path)
    let (id, deleted) = (try before.note("bản đầu"), try before.note("bị xóa"))
    before.library.close()
    try replace(copy, by: path)
    let device = try world.device(at: path)
    try device.edit(id, "bản sau")
    try await device.sync()
    let other = try world.device()
    try await other.sync()
    try other.delete(deleted)
    try await world.sync(other, device)
    device.library.close()
    try replace(path, by: copy)

    let back = try world.device(at: path)
    await #expect(throws: SyncFailure.restored) { try await back.sync() }
    try back.library.chooseRestoration(answer)
    try await world.sync(back, other)
    let keepsService = answer == .keepService
    #expect(try back.library.note(id)?.text.text == (keepsService ? "bản sau" : "bản đầu"))
    let isGone = try back.library.note(deleted) == nil
    #expect(isGone == keepsService)
    #expect(try other.texts.sorted() == back.texts.sorted())
    #expect(try trash(back).contains(keepsService ? "bị xóa" : "bản sau"))
  }

  @Test func adoptingAnotherAccountClearsTheRestoration() async throws {
    let world = try await World()
    let (device, _, _) = try await restoredDevices(in: world)
    try device.engine.adopt(
      SyncAccount(
        origin: "https://elsewhere.example.org", container: World.container.name,
        environment: "production", userRecordName: user, isConfirmed: true))
    #expect(try device.library.syncAccount()?.restoration == nil)
  }
}
