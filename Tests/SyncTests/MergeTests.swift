import Foundation
import Library
import TestSupport
import Testing

@testable import Sync

/// The rules of the merge, one by one.
@Suite struct MergeTests {
  static let now: Int64 = 1_800_000_000_000
  private static let day: Int64 = 86_400_000

  private func merge(
    _ base: Entry?, _ local: Merge.Local, _ remote: Entry?
  ) -> Merge {
    Merge("name", base: base, local: local, remote: remote)
  }

  private func expect(
    _ merge: Merge, _ entry: Entry?, isSent: Bool, _ location: SourceLocation = #_sourceLocation
  ) {
    #expect(merge.entry == entry, sourceLocation: location)
    #expect(merge.needsSending == isSent, sourceLocation: location)
    #expect(merge.copy == nil, sourceLocation: location)
  }

  /// Three versions of an entry of each kind.
  private static let kinds: [(Entry, Entry, Entry)] = [
    (favorite(at: 1), favorite(at: 5), favorite(at: 6)),
    (.note(note("a", at: 1)), .note(note("b", at: 5)), .note(note("c", at: 6))),
    (progress(10), progress(20), progress(30)),
    (setting("1", at: 1), setting("2", at: 5), setting("3", at: 6)),
  ]

  @Test(arguments: kinds)
  func takesWhatOnlyOneSideChanged(_ before: Entry, _ after: Entry, _ other: Entry) {
    expect(merge(before, .unchanged, after), after, isSent: false)
    expect(merge(before, .unchanged, nil), nil, isSent: false)
    expect(merge(nil, .unchanged, after), after, isSent: false)
    expect(merge(before, .saved(after), before), after, isSent: true)
    expect(merge(nil, .saved(after), nil), after, isSent: true)
    expect(merge(before, .deleted(at: 9), before), nil, isSent: true)
    // A change that was reverted.
    expect(merge(before, .saved(before), other), other, isSent: false)
    expect(merge(before, .saved(before), nil), nil, isSent: false)
    // Both sides deleted the thing, or made the same change.
    expect(merge(before, .deleted(at: 9), nil), nil, isSent: false)
    expect(merge(before, .saved(after), after), after, isSent: false)
  }

  @Test(arguments: kinds)
  func anEditWinsOverADeletionThatHadNotSeenIt(_ before: Entry, _ after: Entry, _ other: Entry) {
    expect(merge(before, .saved(after), nil), after, isSent: true)
    if case .favorite = before { return }
    expect(merge(before, .deleted(at: 9), after), after, isSent: false)
  }

  @Test func favoritesAreMergedByTime() {
    let (before, after) = (favorite(at: 1), favorite(at: 5))
    expect(merge(before, .deleted(at: 4), after), after, isSent: false)
    expect(merge(before, .deleted(at: 5), after), after, isSent: false)
    expect(merge(before, .deleted(at: 6), after), nil, isSent: true)
    expect(merge(nil, .saved(before), after), before, isSent: true)
    expect(merge(nil, .saved(after), before), before, isSent: false)
  }

  /// Two devices with different clocks decide alike.
  @Test func timesInTheFutureAreComparedLikeOthers() {
    let years = 10 * 365 * Self.day
    let ahead = favorite(at: Self.now + years)
    expect(merge(favorite(at: 1), .deleted(at: Self.now + 1), ahead), ahead, isSent: false)
    expect(merge(favorite(at: 1), .deleted(at: Self.now + years + 1), ahead), nil, isSent: true)
    let (mine, theirs) = (setting("2", at: Self.now), setting("1", at: Self.now + years))
    expect(merge(nil, .saved(mine), theirs), theirs, isSent: false)
    expect(merge(nil, .saved(theirs), mine), theirs, isSent: true)
    let (late, later) = (note("x", at: Self.now + years), note("a", at: Self.now + years + 1))
    #expect(merge(.note(note("o", at: 1)), .saved(.note(late)), .note(later)).entry == .note(later))
    #expect(merge(.note(note("o", at: 1)), .saved(.note(later)), .note(late)).entry == .note(later))
  }

  @Test func theFurtherProgressIsKept() {
    expect(merge(progress(10), .saved(progress(20)), progress(30)), progress(30), isSent: false)
    expect(merge(progress(10), .saved(progress(30)), progress(20)), progress(30), isSent: true)
    expect(merge(nil, .saved(progress(5, at: 9)), progress(5)), progress(5), isSent: false)
    // A reset is kept, although its progress is lower.
    expect(merge(progress(20), .saved(progress(0)), progress(20)), progress(0), isSent: true)
    expect(merge(progress(20), .unchanged, progress(0)), progress(0), isSent: false)
  }

  @Test func theLaterSettingIsKept() {
    let (low, high) = (setting("1", at: 5), setting("2", at: 5))
    expect(merge(nil, .saved(low), high), high, isSent: false)
    expect(merge(nil, .saved(high), low), high, isSent: true)
    expect(merge(nil, .saved(setting("1", at: 6)), high), setting("1", at: 6), isSent: true)
    // The same value needs no request.
    expect(merge(nil, .saved(setting("2", at: 6)), high), high, isSent: false)
  }

  @Test func editsOfDifferentLinesAreMerged() {
    let base = note("a\nb\nc", from: 3, at: 3)
    let (mine, theirs) = (note("x\nb\nc", from: 2, at: 5), note("a\nb\ny", from: 3, at: 4))
    expect(
      merge(.note(base), .saved(.note(mine)), .note(theirs)),
      .note(note("x\nb\ny", from: 2, at: 5)), isSent: true)
    // The merged text is the one that the service already has.
    let both = note("x\nb\ny", from: 3, at: 9)
    expect(merge(.note(base), .saved(.note(mine)), .note(both)), .note(both), isSent: false)
  }

  @Test func editsOfTheSameLinesAreBothKept() throws {
    let base = note("a", at: 1)
    let (early, late) = (note("x", at: 5), note("y", at: 6))
    let here = merge(.note(base), .saved(.note(late)), .note(early))
    let there = merge(.note(base), .saved(.note(early)), .note(late))
    #expect(here.entry == .note(late) && here.needsSending)
    #expect(there.entry == .note(late) && !there.needsSending)
    let copy = try #require(here.copy)
    #expect(copy == there.copy)
    #expect(copy.id != early.id && copy.text == early.text && copy.ayah == early.ayah)
    #expect(copy.createdAt == early.createdAt && copy.modifiedAt == early.modifiedAt)
    // RFC 9562: version 5, variant 10. The value is that of Python's uuid.uuid5.
    #expect(copy.id.uuidString == "63012504-9AF8-52AD-B1B5-583701D7EFE2")
    // The same text at another time has another copy if it is known to be an edit. Without a base
    // that is unknown.
    let again = note("x", at: 4)
    let other = try #require(merge(.note(base), .saved(.note(late)), .note(again)).copy)
    #expect(other.id != copy.id)
    let unknown = [early, again].map { merge(nil, .saved(.note(late)), .note($0)).copy?.id }
    #expect(unknown[0]?.uuidString == "FB27FF04-D5C8-5194-B60B-CD6A5F70971D")
    #expect(unknown[1] == unknown[0])
    // After a rollback of the service the base is unknown, but both are edits of a known record.
    let known = Merge(
      "name", base: nil, local: .saved(.note(late)), remote: .note(early), isKnown: true)
    #expect(known.copy?.id == copy.id)
    // Another record has another copy.
    #expect(late.conflictCopy(fromRecord: "other").id != late.conflictCopy(fromRecord: "name").id)
  }

  /// The local note is on another ayah if a document with a changed ayah was imported. The record's
  /// name contains the ayah, so a record with another one could not be read.
  @Test(arguments: ["y", "x\nb"])
  func aNoteThatWinsTakesTheAyahOfTheRecord(_ text: String) {
    let theirs = note("x", at: 5)
    let mine = note(text, of: "1:2", at: 6)
    let merge = merge(nil, .saved(.note(mine)), .note(theirs))
    #expect(merge.entry == .note(mine.with(ayah: theirs.ayah)) && merge.needsSending)
  }

  @Test func aTextWithAllLinesOfTheOtherNeedsNoCopy() {
    let base = note("a", at: 1)
    let (short, long) = (note("x", at: 9), note("y\nx", at: 5))
    expect(merge(.note(base), .saved(.note(short)), .note(long)), .note(long), isSent: false)
    expect(merge(.note(base), .saved(.note(long)), .note(short)), .note(long), isSent: true)
    expect(merge(nil, .saved(.note(short)), .note(long)), .note(long), isSent: false)
  }

  @Test func mergesThatAreNotValidNotesAreNotMade() {
    // Each side deleted lines that the other has, and neither added any.
    let base = note("a\n\nb", at: 1)
    let merge = merge(.note(base), .saved(.note(note("a\n", at: 5))), .note(note("\nb", at: 6)))
    #expect(merge.entry == .note(note("\nb", at: 6)))
    #expect(merge.copy == nil)
    let half = String(repeating: "a", count: NoteText.limit / 2)
    let long = self.merge(
      .note(note("a\n\nb", at: 1)), .saved(.note(note("\(half)\n\nb", at: 5))),
      .note(note("a\n\n\(half)b", at: 6)))
    #expect(long.copy != nil)
  }

  /// Both sides get the same texts, and no line is lost that neither side deleted.
  @Test func bothSidesDecideAlike() {
    var random = SeededGenerator(seed: 4)
    var copies = 0
    for _ in 0..<5_000 {
      let base = (0..<Int.random(in: 1...5, using: &random)).map { "base \($0)" }
      func edited(_ name: String) -> [String] {
        var lines = base.filter { _ in Int.random(in: 0..<5, using: &random) > 0 }
        for number in 0..<Int.random(in: 0...2, using: &random) {
          let place = Int.random(in: 0...lines.count, using: &random)
          lines.insert("\(name) \(number)", at: place)
        }
        return lines.isEmpty ? ["\(name)"] : lines
      }
      let (one, other) = (edited("one"), edited("other"))
      func noted(_ lines: [String]) -> Note {
        note(lines.joined(separator: "\n"), at: .random(in: 1...4, using: &random))
      }
      let before = Bool.random(using: &random) ? noted(base) : nil
      let (mine, theirs) = (noted(one), noted(other))
      let here = merge(before.map(Entry.note), .saved(.note(mine)), .note(theirs))
      let there = merge(before.map(Entry.note), .saved(.note(theirs)), .note(mine))
      #expect(Self.texts(here) == Self.texts(there))
      let kept = Self.texts(here).flatMap { $0.split(separator: "\n").map(String.init) }
      copies += here.copy == nil ? 0 : 1
      for line in one + other
      where !base.contains(line) || (one + other).count(where: { $0 == line }) == 2 {
        #expect(kept.contains(line), "\(base) \(one) \(other) \(kept)")
      }
      if before != nil, here.copy == nil, Set(one) != Set(other) {
        for line in base where !one.contains(line) && !other.contains(line) {
          #expect(!kept.contains(line))
        }
      }
    }
    #expect(copies > 100)
  }

  private static func texts(_ merge: Merge) -> Set<String> {
    var texts: Set<String> = []
    if case .note(let note) = merge.entry { texts.insert(note.text.text) }
    if let copy = merge.copy { texts.insert(copy.text.text) }
    return texts
  }
}
