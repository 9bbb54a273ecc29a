import CloudRecords
import Foundation
import Library
import Quran
import RecordClient
import Synchronization
import Testing

@testable import Sync

/// Cases in which texts were once lost, found by adversarial tests of the whole program.
@Suite struct LostTextTests {
  /// Imports an export that has only one note.
  private func load(
    _ id: UUID, at name: String, _ text: String, createdAt: Int64, into device: Device
  ) throws {
    let json = """
      {"format":"quran-vi","version":1,"notes":[{"id":"\(id)","ayah":"\(name)","text":"\(text)",
      "createdAt":\(createdAt),"modifiedAt":\(createdAt)}]}
      """
    var rest = Array(json.utf8)[...]
    _ = try device.library.importJSON(at: device.now) { buffer in
      let part = rest.prefix(buffer.count)
      buffer.copyBytes(from: part)
      rest = rest.dropFirst(part.count)
      return part.count
    }
  }

  // MARK: The trash

  /// A second deletion of a note must not replace the text of the first one.
  @Test(arguments: [true, false])
  func aNoteThatIsDeletedTwiceIsInTheTrashWithBothTexts(_ hasFeed: Bool) async throws {
    let world = try await World(hasFeed: hasFeed)
    let (one, two, three) = (try world.device(), try world.device(), try world.device())
    let id = try one.note("một")
    try await world.sync(one, two, three)
    try three.edit(id, "hai")
    try two.delete(id)
    try await world.sync(two, one)
    #expect(try one.library.trash().map(\.note.text.text) == ["một"])
    // The edit outlives the deletion.
    try await world.sync(three, two, one)
    #expect(try one.texts == ["hai"] && two.texts == ["hai"])
    try two.delete(id)
    try await world.sync(two, one)
    #expect(try one.library.trash().map(\.note.text.text).sorted() == ["hai", "một"])
    // Both can be restored.
    for note in try one.library.trash() {
      try one.library.restoreNote(note.note.id, at: one.now)
    }
    try await world.sync(one, two)
    #expect(try two.texts == ["hai", "một"])
  }

  // MARK: Imports

  /// Two devices with different, unsent first versions of one note.
  private func twoFirstVersions(_ hasFeed: Bool) async throws -> (World, Device, Device, UUID) {
    let world = try await World(hasFeed: hasFeed)
    let (one, two) = (try world.device(), try world.device())
    try await world.sync(one, two)
    let id = try one.note("một")
    let created = try #require(try one.library.note(id)).createdAt
    try load(id, at: "2:255", "hai", createdAt: created, into: two)
    return (world, one, two, id)
  }

  /// An export that somebody edited by hand has the times of the note's first version.
  @Test(arguments: [true, false])
  func twoFirstVersionsAreBothKept(_ hasFeed: Bool) async throws {
    let (world, one, two, _) = try await twoFirstVersions(hasFeed)
    // The save is lost. Before it, the feed is read, or each of the four kinds is queried.
    two.link.expect(Array(repeating: .none, count: hasFeed ? 1 : 5) + [.lost])
    await #expect(throws: SyncFailure.call(.unreachable(.connectionClosed))) {
      try await two.sync()
    }
    #expect(try two.library.pendingChanges(isParked: false).map(\.attempts) == [1])
    world.wait(3_600_000)
    try await world.sync(one, two)
    #expect(try two.texts == ["hai", "một"])
    #expect(try one.contents == two.contents)
  }

  /// The service refuses the first version of device two, because it has an edit of the other first
  /// version. The user may edit the refused version during the request.
  @Test(arguments: [true, false], [true, false])
  func aRefusedFirstVersionIsKept(_ hasFeed: Bool, _ isEdited: Bool) async throws {
    let (world, one, two, id) = try await twoFirstVersions(hasFeed)
    two.link.expect(
      Array(repeating: .none, count: hasFeed ? 1 : 5) + [
        .before {
          try one.edit(id, "một\nba")
          try await one.sync()
          if isEdited {
            try two.edit(id, "hai\nbốn")
            try two.edit(id, "hai")
          }
        }
      ])
    world.wait(3_600_000)
    try await world.sync(two, one)
    #expect(try two.texts == ["hai", "một\nba"])
    #expect(try one.contents == two.contents)
  }

  /// The name of a record contains the ayah.
  @Test(arguments: [true, false])
  func aNoteWithAnotherAyahIsAnotherNote(_ isDeleted: Bool) async throws {
    let world = try await World()
    let (one, two) = (try world.device(), try world.device())
    let id = try one.note("một")
    try await world.sync(one, two)
    if isDeleted { try one.delete(id) }
    try load(id, at: "2:256", "một", createdAt: 5, into: one)
    try await world.sync(one, two)
    #expect(try one.texts == (isDeleted ? ["một"] : ["một", "một"]))
    #expect(try one.contents == two.contents)
    #expect(try await two.sync() == SyncReport())
  }

  /// The copy of a note that an import made was edited before the same document is imported again.
  @Test func anEditOfAnImportedCopyIsKept() async throws {
    let world = try await World()
    let one = try world.device()
    let id = try one.note("một")
    _ = try await one.sync()
    try one.delete(id)
    try load(id, at: "2:256", "một", createdAt: 5, into: one)
    let copy = try #require(try one.library.allNotes().first)
    try one.edit(copy.id, "một sửa")
    for _ in 0..<2 {
      try load(id, at: "2:256", "một", createdAt: 5, into: one)
      #expect(try one.texts == ["một", "một sửa"])
    }
  }

  // MARK: Answers to other requests

  /// A proxy answers a request with the response to an earlier one.
  @Test func theResponseToAnotherRequestIsRefused() async throws {
    let world = try await World()
    let one = try world.device()
    let former = Mutex<RecordsModify.Response?>(nil)
    let isLying = Atomic(false)
    let service = LyingService(world) { request throws(ServiceError) in
      guard request is RecordsModify.Request, isLying.load(ordering: .relaxed) else { return nil }
      return former.withLock { $0 }
    }
    let engine = one.engine(service)
    let first = try one.note("một")
    _ = try await engine.round()
    let record = try #require(try await world.records().first)
    former.withLock { $0 = RecordsModify.Response(records: [.record(record)]) }
    isLying.store(true, ordering: .relaxed)
    try one.note("hai", at: "2:256")
    await #expect(
      throws: SyncFailure.call(.unexpectedResponse(UnexpectedResponse(status: 200, .wrongRecords)))
    ) { try await engine.round() }
    isLying.store(false, ordering: .relaxed)
    world.wait(3_600_000)
    _ = try await engine.round()
    try one.edit(first, "một sửa")
    _ = try await engine.round()
    #expect(try one.library.outboxSummary() == OutboxSummary())
    let two = try world.device()
    _ = try await two.sync()
    #expect(try two.texts == ["hai", "một sửa"])
  }

  /// A service answers a save with a tombstone, or a deletion with the record.
  @Test(arguments: [true, false])
  func theResultOfAnotherOperationIsRefused(_ isDeletion: Bool) async throws {
    let world = try await World()
    let one = try world.device()
    let id = try one.note("một")
    _ = try await one.sync()
    let record = try #require(try await world.records().first)
    let service = LyingService(world) { request throws(ServiceError) in
      guard request is RecordsModify.Request else { return nil }
      let result: RecordResult =
        isDeletion ? .record(record) : .tombstone(Tombstone(record.recordName))
      return RecordsModify.Response(records: [result])
    }
    if isDeletion { try one.delete(id) } else { try one.edit(id, "một sửa") }
    await #expect(
      throws: SyncFailure.call(.unexpectedResponse(UnexpectedResponse(status: 200, .wrongRecords)))
    ) { try await one.engine(service).round() }
    world.wait(3_600_000)
    _ = try await one.sync()
    let two = try world.device()
    _ = try await two.sync()
    #expect(try two.texts == (isDeletion ? [] : ["một sửa"]))
  }
}
