import CloudRecords
import Foundation
import Library
import Synchronization
import Testing

@testable import Sync

/// Saves whose result a device does not know. A line that the device removes afterwards must not
/// return as if another device had written it.
@Suite struct UnconfirmedSaveTests {
  /// Runs a round in which the requests after the fetch have faults, and waits until the next round
  /// may send the change again.
  private func fail(_ device: Device, _ hasFeed: Bool, _ faults: Link.Fault...) async throws {
    try await fail(device, hasFeed, faults)
  }

  private func fail(_ device: Device, _ hasFeed: Bool, _ faults: [Link.Fault]) async throws {
    device.link.expect(Array(repeating: .none, count: hasFeed ? 1 : 5) + faults)
    await #expect(throws: SyncFailure.self) { try await device.sync() }
    device.world.wait(3_600_000)
  }

  /// Runs a round in which the save that creates a deleted note again has a fault.
  private func failToCreateAgain(
    _ device: Device, _ hasFeed: Bool, _ fault: Link.Fault
  ) async throws {
    // Without a feed, the absent record is looked up first.
    try await fail(device, hasFeed, (hasFeed ? [] : [.none]) + [fault])
  }

  /// Returns a note with a text that was not sent: a new one, or one with a new line.
  private func unsentNote(_ isNew: Bool, _ one: Device, _ two: Device) async throws -> UUID {
    try await one.world.sync(one, two)
    let id = try one.note("a\nb")
    if !isNew {
      try await one.world.sync(one, two)
      try one.edit(id, "a\nb\nc")
    }
    return id
  }

  /// The network delivers a save twice, the device receives the second response, which is a
  /// conflict, and the lookup fails.
  @Test(arguments: [true, false], [true, false])
  func aConflictWithItsOwnSaveIsRecognized(_ hasFeed: Bool, _ isNew: Bool) async throws {
    let world = try await World(hasFeed: hasFeed)
    let (one, two) = (try world.device(), try world.device())
    let id = try await unsentNote(isNew, one, two)
    try await fail(one, hasFeed, .twice, .lost)
    #expect(try await world.records().first?["noteText"] == .string(isNew ? "a\nb" : "a\nb\nc"))
    try one.edit(id, isNew ? "a" : "a\nb")
    try await world.sync(one, two)
    #expect(try one.texts == [isNew ? "a" : "a\nb"])
    #expect(try two.contents == one.contents)
  }

  /// A save arrives only after the record was looked up and the next save was sent, whose response
  /// is lost as well.
  @Test(arguments: [true, false], [true, false])
  func aSaveThatArrivesLateIsRecognized(_ hasFeed: Bool, _ isNew: Bool) async throws {
    let world = try await World(hasFeed: hasFeed)
    let (one, two) = (try world.device(), try world.device())
    let id = try await unsentNote(isNew, one, two)
    try await fail(one, hasFeed, .late)
    try one.edit(id, "a\nx")
    try await fail(one, hasFeed, .none, .lost)
    try await one.link.deliverLate()
    #expect(try await world.records().first?["noteText"] == .string(isNew ? "a\nb" : "a\nb\nc"))
    try one.edit(id, "a\ny")
    try await world.sync(one, two)
    #expect(try one.texts == ["a\ny"])
    #expect(try two.contents == one.contents)
  }

  /// A late save arrives just before the deletion of its note.
  @Test(arguments: [true, false])
  func aDeletionAfterASaveThatArrivesLateStands(_ hasFeed: Bool) async throws {
    let world = try await World(hasFeed: hasFeed)
    let (one, two) = (try world.device(), try world.device())
    let id = try one.note("a")
    try await world.sync(one, two)
    try one.edit(id, "a\nb")
    try await fail(one, hasFeed, .late)
    try one.delete(id)
    let fetches = Array(repeating: Link.Fault.none, count: hasFeed ? 1 : 5)
    one.link.expect(fetches + [.none, .before { try await one.link.deliverLate() }])
    let before = one.link.asked.withLock { $0.count { $0 == .recordsModify } }
    try await one.sync()
    // The first deletion conflicts with the save.
    #expect(one.link.asked.withLock { $0.count { $0 == .recordsModify } } == before + 2)
    try await world.sync(one, two)
    #expect(try one.texts == [] && two.texts == [])
    #expect(try await world.records() == [])
  }

  /// Two saves have no response, and the first or the second one is carried out. Another device
  /// edits that version.
  @Test(arguments: [true, false], [true, false])
  func anEditOfASaveThatArrivedLateIsMerged(_ hasFeed: Bool, _ isFirst: Bool) async throws {
    let world = try await World(hasFeed: hasFeed)
    let (one, two) = (try world.device(), try world.device())
    let id = try one.note("a\nb\nc")
    try await world.sync(one, two)
    try one.edit(id, "a\nx\nb\nc")
    try await fail(one, hasFeed, isFirst ? .late : .lost)
    try one.edit(id, "a\ny\nb\nc")
    try await fail(one, hasFeed, .none, isFirst ? .lost : .late)
    try await one.link.deliverLate()
    try await two.sync()
    try two.edit(id, isFirst ? "a\nx\nb\nd" : "a\ny\nb\nd")
    try await two.sync()
    try one.edit(id, "a\nb\nc")
    try await world.sync(one, two)
    #expect(try one.texts == ["a\nb\nd"])
    #expect(try two.contents == one.contents)
  }

  /// The response to the first save of a note is lost, and another device edits that version.
  @Test(arguments: [true, false], [true, false])
  func anEditOfTheFirstSaveIsMerged(_ hasFeed: Bool, _ isEdited: Bool) async throws {
    let world = try await World(hasFeed: hasFeed)
    let (one, two) = (try world.device(), try world.device())
    try await world.sync(one, two)
    let id = try one.note("a\nb\nc")
    if isEdited { try one.edit(id, "x\na\nb\nc") }
    try await fail(one, hasFeed, .unanswered)
    try await two.sync()
    let first = try #require(try two.library.note(id))
    #expect(first.text.text == (isEdited ? "x\na\nb\nc" : "a\nb\nc"))
    try two.edit(id, first.text.text + "\nd")
    try await two.sync()
    try one.edit(id, isEdited ? "a\nb\nc" : "b\nc")
    try await world.sync(one, two)
    #expect(try one.texts == [isEdited ? "a\nb\nc\nd" : "b\nc\nd"])
    #expect(try two.contents == one.contents)
  }

  /// An edit outlives the deletion by another device. The response to the save that creates the
  /// record again is lost, and the other device edits that version. Then the first line is removed.
  @Test(arguments: [true, false], ["x\na\nb\nc", "x\nb\nc", "a\nb"])
  func anEditOfASaveAfterADeletionIsMerged(_ hasFeed: Bool, _ text: String) async throws {
    let world = try await World(hasFeed: hasFeed)
    let (one, two) = (try world.device(), try world.device())
    let id = try one.note("a\nb\nc")
    try await world.sync(one, two)
    try two.delete(id)
    try await two.sync()
    try one.edit(id, text)
    try await failToCreateAgain(one, hasFeed, .unanswered)
    try await two.sync()
    #expect(try two.texts == [text])
    try two.edit(id, text + "\nd")
    try await two.sync()
    let rest = String(text.dropFirst(2))
    try one.edit(id, rest)
    try await world.sync(one, two)
    #expect(try one.texts == [rest + "\nd"])
    #expect(try two.contents == one.contents)
  }

  /// Returns three devices and a note that the first one edited and the second one then deleted.
  /// The third one has received neither change.
  private func deletedNote(
    _ hasFeed: Bool, _ text: String, editedTo edited: String
  ) async throws -> (World, Device, Device, Device, UUID) {
    let world = try await World(hasFeed: hasFeed)
    let (one, two, three) = (try world.device(), try world.device(), try world.device())
    let id = try one.note(text)
    try await world.sync(one, two, three)
    try one.edit(id, edited)
    try await world.sync(one, two)
    try two.delete(id)
    try await two.sync()
    return (world, one, two, three, id)
  }

  /// Expects the same contents on all devices, with at least these lines.
  private func expectLines(_ lines: Set<String>, on devices: Device...) throws {
    for device in devices {
      let found = Set(try device.texts.flatMap { $0.split(separator: "\n").map(String.init) })
      #expect(found.isSuperset(of: lines))
      #expect(try device.contents == devices[0].contents)
    }
  }

  /// A save that creates a note again is lost. A third device creates it again from a version
  /// without the last line, and its edit removes the same line as the save.
  @Test(arguments: [true, false])
  func aVersionThatIsNotMadeFromASaveKeepsItsLines(_ hasFeed: Bool) async throws {
    let (world, one, two, three, id) = try await deletedNote(
      hasFeed, "a\nb", editedTo: "a\nb\nc")
    try one.edit(id, "a\nc")
    try await failToCreateAgain(one, hasFeed, .lost)
    try three.edit(id, "a\nd")
    try await world.sync(three, one, two)
    try expectLines(["c", "d"], on: one, two, three)
  }

  /// Two saves that create a note again are lost. The second one has again a line of the deleted
  /// version, which a third device never had.
  @Test(arguments: [true, false])
  func aLineThatIsWrittenAgainIsKept(_ hasFeed: Bool) async throws {
    let (world, one, two, three, id) = try await deletedNote(hasFeed, "k\ny", editedTo: "l\nk")
    try one.edit(id, "k\nw")
    try await failToCreateAgain(one, hasFeed, .lost)
    try one.edit(id, "l\nk\ny")
    try await fail(one, hasFeed, .none, .lost)
    try three.edit(id, "z\nk\ny")
    try await world.sync(three, one, two)
    try expectLines(["l", "z"], on: one, two, three)
  }

  /// Two devices write the same line, and the later save is lost.
  @Test(arguments: [true, false])
  func aLineOfTwoDevicesIsOnlyRemovedWhereItWasKnown(_ hasFeed: Bool) async throws {
    let world = try await World(hasFeed: hasFeed)
    let (one, two) = (try world.device(), try world.device())
    let id = try one.note("k\nq")
    try await world.sync(one, two)
    try two.edit(id, "k\nq\nx")
    world.wait(1000)
    try one.edit(id, "k\nq\nx")
    try await fail(one, hasFeed, .lost)
    try await two.sync()
    try one.edit(id, "m\nk\nq")
    try await world.sync(one, two)
    #expect(try one.texts == ["m\nk\nq\nx"])
    #expect(try two.contents == one.contents)
  }

  /// Another program has created a record with the note's name that cannot be decoded.
  @Test func aConflictWithAnUnreadableRecordIsStored() async throws {
    let world = try await World()
    let one = try world.device()
    try await one.sync()
    let id = try one.note("a")
    var record = Entry.note(try #require(try one.library.note(id))).record(tag: nil)
    record["ayahID"] = .string("2:254")
    one.link.expect(.none, .before { [record] in try await world.modify(.create(record)) })
    #expect(try await one.sync().parked == 1)
    let change = try #require(try one.library.pendingChanges(isParked: true).first)
    #expect(change.parked == .recordUnreadable)
    #expect(change.lastError != nil)
    #expect(change.unconfirmedSaves.map(\.wasRefused) == [true])
  }

  /// While the service refuses saves, the first text and the last seven are stored.
  @Test func notAllSavesAreStored() async throws {
    let world = try await World()
    let one = try world.device()
    let id = try one.note("0")
    try await one.sync()
    for number in 1...10 {
      try one.edit(id, "\(number)")
      // From the second save on, the record is looked up before.
      let refusal = Link.Fault.refused(ServiceError(.tryAgainLater))
      if number == 1 {
        try await fail(one, true, refusal)
      } else {
        try await fail(one, true, .none, refusal)
      }
    }
    let change = try #require(try one.library.pendingChanges(isParked: false).first)
    let texts = try change.unconfirmedSaves.map {
      try CanonicalJSON.decode($0.fields)["noteText"]?.value
    }
    #expect(texts == ([1] + (4...10)).map { .string("\($0)") })
    try await one.sync()
    #expect(try one.library.outboxSummary() == OutboxSummary())
  }
}
