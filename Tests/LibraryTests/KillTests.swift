import Foundation
import Quran
import TestSupport
import Testing

@testable import Library

/// The expected contents of a library, from the output of `library-writer`.
private struct Model: Equatable {
  var favorites: [String: Int64] = [:]
  /// The ayah, the number of the text, `createdAt` and `modifiedAt` of each note, by its id.
  var notes: [String: [String]] = [:]
  var generations: [String: Int] = [:]
  private(set) var changeCount = 0

  struct Unknown: Error { let line: String }

  /// The text with a number, as in `library-writer` (Script.swift).
  static func text(_ number: Int) -> String {
    String(repeating: "Ghi chú \(number).\n", count: number % 20 == 0 ? 4000 : number % 7 + 1)
  }

  /// Applies the changes of one transaction: `? 1700 mark 2:255 | delete 8C2A…`.
  mutating func apply(_ line: String) throws {
    let words = line.split(separator: " ").map(String.init)
    guard words.count > 2, words[0] == "?", let now = Int64(words[1]) else {
      throw Unknown(line: line)
    }
    for change in words[2...].split(separator: "|").map(Array.init) {
      changeCount += 1
      var thing = "note \(change[1])"
      switch (change[0], change.count) {
      case ("mark", 2):
        favorites[change[1]] = now
        thing = "favorite \(change[1])"
      case ("unmark", 2):
        favorites[change[1]] = nil
        thing = "favorite \(change[1])"
      case ("note", 4): notes[change[1]] = [change[2], change[3], "\(now)", "\(now)"]
      case ("edit", 3):
        guard let note = notes[change[1]] else { throw Unknown(line: line) }
        notes[change[1]] = [note[0], change[2], note[2], "\(now)"]
      case ("delete", 2): notes[change[1]] = nil
      default: throw Unknown(line: line)
      }
      generations[thing, default: 0] += 1
    }
  }

  /// Whether a library has exactly these contents.
  func isHeld(by library: Library) throws -> Bool {
    var found = Model()
    for favorite in try library.snapshot().favorites {
      found.favorites["\(favorite.ayah)"] = favorite.favoritedAt
    }
    try library.eachNote { note in
      // "Ghi chú 123.\n…"
      let number = Int(note.text.text.dropFirst(8).prefix { $0 != "." }) ?? -1
      found.notes[note.id.uuidString] =
        note.text.text == Self.text(number)
        ? ["\(note.ayah)", "\(number)", "\(note.createdAt)", "\(note.modifiedAt)"] : []
    }
    for row in try library.rows("SELECT kind || ' ' || key || '=' || generation, op FROM outbox") {
      let parts = row.split(whereSeparator: { "= ".contains($0) })
      found.generations["\(parts[0]) \(parts[1])"] = Int(parts[2])
      let isThere =
        parts[0] == "note"
        ? found.notes[String(parts[1])] != nil : found.favorites[String(parts[1])] != nil
      if isThere != (parts[3] == "save") { return false }
    }
    return found.favorites == favorites && found.notes == notes && found.generations == generations
  }
}

struct KillTests {
  /// Kills a process at a random time.
  private func kill(
    _ writer: WriterProcess, within microseconds: ClosedRange<UInt32>,
    _ random: inout SeededGenerator
  ) {
    usleep(.random(in: microseconds, using: &random))
    writer.kill()
  }

  @Test func confirmedCommitsSurviveAKilledWriter() throws {
    let rounds = 300
    let place = try TemporaryLibrary()
    var random = SeededGenerator(seed: 7)
    var model = Model()
    var (confirmed, unconfirmed, atOpening, recovered) = (0, 0, 0, 0)
    for round in 1...rounds {
      let writer = try WriterProcess([place.path, "\(round)"])
      var lines: [String] = []
      if round % 10 == 0 {
        // Some processes are killed while they open or create the library.
        kill(writer, within: 0...20_000, &random)
      } else {
        if let first = writer.nextLine() { lines.append(first) }
        kill(writer, within: 0...30_000, &random)
      }
      lines += writer.remainingLines()
      if lines.isEmpty { atOpening += 1 }
      if try !place.bytesOfWAL().isEmpty { recovered += 1 }

      let last = lines.popLast()
      for line in lines where line != "!" { try model.apply(line) }
      confirmed += lines.count { $0 == "!" } + (last == "!" ? 1 : 0)
      let opening = try Library.open(place.path, at: 1)
      defer { opening.library.close() }
      try #require(opening.notices.isEmpty)
      try #require(try opening.library.isSound)
      if let last, last != "!" {
        // The last change was announced, but not confirmed.
        unconfirmed += 1
        var next = model
        try next.apply(last)
        if try next.isHeld(by: opening.library) { model = next }
      }
      try #require(try model.isHeld(by: opening.library), "round \(round): \(lines.suffix(4))")
    }
    print(
      "kill -9 of a writer: \(rounds) times, \(atOpening) before its first change,",
      "\(unconfirmed) inside a change, \(recovered) with a WAL to recover;",
      "\(confirmed) commits confirmed and there, \(model.changeCount) changes,",
      "\(model.generations.count) rows of outbox right")
    #expect(confirmed > 0)
    #expect(unconfirmed > 0)
    #expect(try place.contents == ["library.sqlite", "library.sqlite.lock"])
  }

  @Test func aKilledCreationLeavesNoLibraryOrACompleteOne() throws {
    var random = SeededGenerator(seed: 8)
    var (made, rounds) = (0, 60)
    var duration = Duration.zero
    for round in 0...rounds {
      let place = try TemporaryLibrary("a/library.sqlite")
      let start = ContinuousClock.now
      let writer = try WriterProcess(["--hold", place.path])
      if round == 0 {
        // Measures the time that the process needs if it is not killed.
        #expect(writer.nextLine() == "open")
        duration = ContinuousClock.now - start
      }
      kill(writer, within: 0...UInt32(duration / .microseconds(1)), &random)
      if access(place.path, F_OK) == 0 { made += 1 }
      let opening = try Library.open(place.path, at: 1)
      #expect(opening.notices.isEmpty)
      #expect(try opening.library.isSound)
      opening.library.close()
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: place.directory.path + "/a").sorted()
          == ["library.sqlite", "library.sqlite.lock"])
    }
    print("kill -9 during creation: \(rounds) times, \(made) after the library existed")
  }

  @Test func aKilledSalvageLosesNothingReadable() throws {
    var random = SeededGenerator(seed: 9)
    var (aside, rounds) = (0, 60)
    let original = try LibraryFixture.make()
    let temporary = try TemporaryDirectory()
    var duration = Duration.zero
    for round in 0...rounds {
      let place = try TemporaryLibrary()
      try original.write(to: place)
      try place.write(Data(), ".damaged")
      let start = ContinuousClock.now
      let writer = try WriterProcess(
        ["--hold", place.path], environment: ["TMPDIR": temporary.path])
      if round == 0 {
        // Measures the time that the process needs if it is not killed.
        #expect(writer.nextLine()?.hasPrefix("notice setAside") == true)
        duration = ContinuousClock.now - start
      }
      kill(writer, within: 0...UInt32(duration / .microseconds(1)), &random)
      if try !place.setAside.isEmpty { aside += 1 }
      try place.using(at: Int64(round) * 1_000_000) { library in
        try #expect(library.everything() == original.everything)
        try #expect(library.isSound)
      }
      let names = try place.setAside
      #expect(names.count == 1)
      let found = place.directory.path + "/" + (names.first ?? "")
      #expect(try Data(contentsOf: URL(filePath: found)) == original.bytes)
      #expect(try Data(contentsOf: URL(filePath: found + "-wal")) == original.wal)
      #expect(
        try place.contents.sorted()
          == names + names.map { $0 + "-wal" } + ["library.sqlite", "library.sqlite.lock"])
    }
    print("kill -9 during a salvage: \(rounds) times, \(aside) with the old library set aside")
  }

  @Test func aKilledImportChangesNothing() throws {
    func library() throws -> TemporaryLibrary {
      let place = try TemporaryLibrary()
      try place.using { library in
        _ = try library.commit(
          [.setFavorite(.last, true), .addNote(.numbered(1), .first, NoteText("mine"))], at: 1)
      }
      return place
    }
    var place = try library()
    let before = try place.using { try $0.everything() }
    var random = SeededGenerator(seed: 11)
    var (inTheMiddle, recovered, late) = (0, 0, 0)
    for _ in 1...40 {
      let writer = try WriterProcess(["--import", place.path])
      // 12,000 rows, reported in steps of 250. Some processes are killed before the first report.
      for _ in 0..<Int.random(in: 0...45, using: &random) { _ = writer.nextLine() }
      kill(writer, within: 0...2000, &random)
      if try !place.bytesOfWAL().isEmpty { recovered += 1 }
      let (after, imported) = try place.using { library in
        try #require(try library.isSound)
        return (
          try library.everything(), try library.number("SELECT count(*) FROM imported")
        )
      }
      if imported == 0 {
        inTheMiddle += 1
        try #require(after == before)
      } else {
        // The import had finished before the process was killed.
        late += 1
        try #require(imported == 10_000)
        place = try library()
      }
    }
    print(
      "kill -9 during an import: \(inTheMiddle) times in the middle, \(late) too late,",
      "\(recovered) with a WAL to recover")
    #expect(inTheMiddle > 10 && recovered > 10)

    #expect(try WriterProcess.run(["--import", place.path]).last == "imported 1999 10000")
    #expect(try WriterProcess.run(["--import", place.path]).last == "imported 0 0")
    try place.using { library in
      try #expect(library.snapshot().noteCount == 10_001)
      try #expect(library.snapshot().favoriteCount == 2000)
      try #expect(library.isSound)
    }
  }

  @Test func theDraftOfAKilledEditorCanBeResumed() throws {
    let place = try TemporaryLibrary()
    let note = UUID.numbered(1)
    try place.using { library in
      _ = try library.commit([.addNote(note, .first, NoteText("a"))], at: 1)
    }
    let other = try WriterProcess(["--draft", place.path, note.uuidString, "viết ở kia"])
    #expect(other.nextLine() == "saved")
    try place.using(at: 2) { library in
      // The draft of the other process cannot be resumed while that process runs.
      try #expect(library.snapshot().drafts == [])
      let mine = Draft(
        id: .numbered(2), noteID: note, ayah: .first, base: try NoteText("a"), text: "viết ở đây",
        changedAt: 2)
      try library.save(mine)
      try #expect(library.snapshot().drafts == [mine])
      try library.commit(
        [
          .editNote(note, .first, NoteText("viết ở đây"), basedOn: NoteText("a")),
          .deleteDraft(mine.id),
        ],
        at: 3)
    }
    other.kill()
    #expect(other.remainingLines() == [])
    try place.using(at: 4) { library in
      let left = try #require(try library.snapshot().drafts.first)
      #expect(left.text == "viết ở kia" && left.noteID == note && left.ayah == .first)
      let base = try #require(left.base)
      try library.commit(
        [.editNote(note, .first, NoteText(left.text), basedOn: base), .deleteDraft(left.id)], at: 5)
      try #expect(
        library.notes(of: .first).map(\.text.text) == ["viết ở đây", "viết ở kia"])
      try #expect(library.snapshot().drafts == [])
    }
  }

  @Test func killedBackupProcessesLeaveCompleteBackups() throws {
    let place = try TemporaryLibrary()
    var random = SeededGenerator(seed: 10)
    try place.using { library in
      for number in 1...300 {
        try library.commit(
          [.addNote(.numbered(number), .first, try NoteText(Model.text(number)))], at: 1)
      }
    }
    var (unfinished, rounds) = (0, 40)
    for _ in 0..<rounds {
      let writer = try WriterProcess(["--back-up", place.path])
      guard writer.nextLine() != nil else { break }
      kill(writer, within: 0...30_000, &random)
      let backups = Backups(of: place.path)
      let names = try FileManager.default.contentsOfDirectory(atPath: backups.directory)
      unfinished += names.count { $0.hasSuffix(".new") } > 0 ? 1 : 0
      #expect((1...7).contains(backups.all.count))
      // The newest backups are complete.
      for name in backups.all.prefix(2) {
        let copy = try Library.open(backups.path(name), at: 1)
        #expect(copy.snapshot.noteCount == 300)
        #expect(try copy.library.isSound)
        copy.library.close()
        try FileManager.default.removeItem(atPath: backups.path(name) + ".lock")
      }
    }
    print("kill -9 during backups: \(rounds) times, \(unfinished) in the middle of one")
    #expect(unfinished > 0)
    // Files that the killed processes left are deleted a day later.
    try place.using { library in
      let name = try library.backUp(at: 1_800_000_000_000 + 100 * 86_400_000)
      let names = try FileManager.default.contentsOfDirectory(
        atPath: Backups(of: place.path).directory)
      try #require(names.filter { !$0.hasSuffix(".sqlite") } == [])
      #expect(Backups(of: place.path).all.first == name)
    }
  }
}

extension TemporaryLibrary {
  fileprivate func bytesOfWAL() throws -> Data { (try? bytes("-wal")) ?? Data() }
}
