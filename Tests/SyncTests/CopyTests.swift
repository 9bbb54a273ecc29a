import Foundation
import Library
import Quran
import Testing

@testable import Sync

/// Conflict copies: texts that do not prevail in a merge, and become separate notes.
@Suite struct CopyTests {
  /// Two devices with one note, which both edit.
  private func collision(
    _ mine: String, _ theirs: String, in world: World
  ) async throws -> (Device, Device, UUID) {
    let (one, two) = (try world.device(), try world.device())
    let id = try one.note("đầu")
    try await world.sync(one, two)
    try one.edit(id, mine)
    try two.edit(id, theirs)
    try await world.sync(one, two)
    return (one, two, id)
  }

  /// A user writes a short text often: "đã đọc".
  @Test(arguments: [true, false])
  func aSecondCopyIsMadeIfTheFirstWasEdited(_ hasFeed: Bool) async throws {
    let world = try await World(hasFeed: hasFeed)
    let (one, two, id) = try await collision("đã đọc", "hai", in: world)
    #expect(try one.texts == ["hai", "đã đọc"])
    let copy = try #require(try one.note(of: "đã đọc"))
    try one.edit(copy, "đã đọc hai lần")
    try await world.sync(one, two)

    try one.edit(id, "đã đọc")
    try two.edit(id, "ba")
    try await world.sync(one, two)
    #expect(try one.texts == ["ba", "đã đọc", "đã đọc hai lần"])
    #expect(try two.contents == one.contents)

    // A third time, after the first two copies were edited.
    try two.edit(try #require(try two.note(of: "đã đọc")), "đã đọc ba lần")
    try await world.sync(two, one)
    try one.edit(id, "đã đọc")
    try two.edit(id, "bốn")
    try await world.sync(one, two)
    #expect(try one.texts == ["bốn", "đã đọc", "đã đọc ba lần", "đã đọc hai lần"])
    #expect(try two.contents == one.contents)
  }

  /// Another device may delete the note that already has the text.
  @Test(arguments: [true, false])
  func aTextIsKeptThoughAnotherNoteHasIt(_ hasFeed: Bool) async throws {
    let world = try await World(hasFeed: hasFeed)
    let (one, two) = (try world.device(), try world.device())
    let other = try one.note("đã đọc")
    let id = try one.note("đầu")
    try await world.sync(one, two)
    try one.edit(id, "đã đọc")
    try two.edit(id, "hai")
    try two.delete(other)
    try await world.sync(one, two)
    #expect(try one.texts == ["hai", "đã đọc"])
    #expect(try two.contents == one.contents)
  }

  /// The device that merges does not know yet that the first copy was edited.
  @Test(arguments: [true, false], [true, false])
  func aSecondCopyIsMadeIfTheFirstIsEditedMeanwhile(
    _ hasFeed: Bool, isByAThirdDevice: Bool
  ) async throws {
    let world = try await World(hasFeed: hasFeed)
    let (one, two, id) = try await collision("đã đọc", "hai", in: world)
    let three = try world.device()
    _ = try await three.sync()
    let editor = isByAThirdDevice ? three : one
    try editor.edit(try #require(try editor.note(of: "đã đọc")), "đã đọc hai lần")
    try one.edit(id, "đã đọc")
    try two.edit(id, "ba")
    try await world.sync(one, two)
    try await world.sync(three, one, two)
    #expect(try one.texts == ["ba", "đã đọc", "đã đọc hai lần"])
    #expect(try two.contents == one.contents)
    #expect(try three.contents == one.contents)
  }

  /// Both devices merge the same two texts: one of them did not receive the response to its save.
  @Test(arguments: [true, false])
  func theSameEditIsNotKeptTwice(_ hasFeed: Bool) async throws {
    let world = try await World(hasFeed: hasFeed)
    let (one, two) = (try world.device(), try world.device())
    let id = try one.note("đầu")
    try await world.sync(one, two)
    try one.edit(id, "đã đọc")
    try two.edit(id, "hai")
    one.link.expect(
      contentsOf: Array(repeating: .none, count: hasFeed ? 1 : 5) + [.unanswered])
    await #expect(throws: SyncFailure.self) { try await one.sync() }
    _ = try await two.sync()
    world.wait(400_000)
    try await world.sync(one, two)
    #expect(try one.texts == ["hai", "đã đọc"])
    #expect(try two.contents == one.contents)
  }

  /// The longer text has every line that the shorter one added.
  @Test func noCopyIsMadeOfATextThatAddedNothingElse() async throws {
    let world = try await World()
    let (one, two) = (try world.device(), try world.device())
    let id = try one.note("a\nb\nc")
    try await world.sync(one, two)
    try one.edit(id, "a\nx\nc")
    try two.edit(id, "a\nx\ny\nc")
    try await world.sync(one, two)
    #expect(try one.texts == ["a\nx\ny\nc"])
    #expect(try two.contents == one.contents)
  }
}

extension Device {
  /// The ID of a note with this text; nil if there is none.
  fileprivate func note(of text: String) throws -> UUID? {
    var id: UUID?
    try library.eachNote { note in if note.text.text == text { id = note.id } }
    return id
  }
}
