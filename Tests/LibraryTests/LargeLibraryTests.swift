import Foundation
import Quran
import TestSupport
import Testing

@testable import Library

struct LargeLibraryTests {
  @Test func twentyThousandNotesAndAllAyahsAreCounted() throws {
    let place = try TemporaryLibrary()
    let library = try place.open()
    defer { library.close() }
    try library.commit(
      try (1...AyahID.count).map { .setFavorite(try #require(AyahID(index: $0)), true) }, at: 5)
    var expected: [Int: Int] = [:]
    for start in stride(from: 0, to: 20_000, by: 2000) {
      let changes = try (start..<start + 2000).map { number in
        let index = number * 7919 % 5000 + 1
        expected[index, default: 0] += 1
        return Change.addNote(
          .numbered(number), try #require(AyahID(index: index)),
          try NoteText("\nGhi chú \(number)\ncòn nữa"))
      }
      try library.commit(changes, at: Int64(start))
    }
    try library.commit(SurahNumber.all.map { .advance($0, to: $0.ayahCount) }, at: 7)
    let snapshot = try library.snapshot()
    #expect(snapshot.favoriteCount == 6236)
    #expect(snapshot.favorites.map(\.ayah.index) == Array(1...6236))
    #expect(snapshot.favoritedAt(.last) == 5)
    #expect(snapshot.noteCount == 20_000)
    #expect(snapshot.readCount == 6236)
    #expect(snapshot.progress.count { $0.isComplete } == 114)
    for index in 1...AyahID.count {
      let ayah = try #require(AyahID(index: index))
      guard snapshot.noteCount(of: ayah) == expected[index] ?? 0 else {
        Issue.record("\(ayah) has \(snapshot.noteCount(of: ayah)) notes")
        break
      }
    }
    let list = try library.noteList()
    #expect(list.count == 20_000)
    #expect(zip(list, list.dropFirst()).allSatisfy { $0.ayah <= $1.ayah })
    #expect(Set(list.map(\.id)).count == 20_000)
    #expect(list.allSatisfy { $0.firstLine.hasPrefix("Ghi chú ") && !$0.firstLine.contains("\n") })
    #expect(try library.number("SELECT count(*) FROM outbox") == 26_236 + 114)
    #expect(try library.number("SELECT max(generation) FROM outbox") == 1)
    // The queries of the snapshot read an index, and do not sort.
    for query in [
      "SELECT surah, ayah, count(*) FROM note GROUP BY surah, ayah",
      "SELECT * FROM note WHERE surah = 1 AND ayah = 1",
    ] {
      let plan = try library.rows("EXPLAIN QUERY PLAN " + query)
      #expect(plan.allSatisfy { $0.contains("noteByAyah") && !$0.contains("TEMP B-TREE") })
    }
  }

  @Test func theLongestNotesAreKeptWhole() throws {
    let place = try TemporaryLibrary()
    let texts = [
      String(repeating: "ậ", count: 300_000), String(repeating: "x\n", count: 450_000),
      String(repeating: "👨‍👩‍👧‍👦", count: 36_000), String(repeating: "ۖ", count: 450_000),
    ]
    try place.using { library in
      for (number, text) in texts.enumerated() {
        try library.commit(
          [.addNote(.numbered(number), .first, try NoteText(text)), .setFavorite(.last, true)],
          at: Int64(number))
      }
    }
    try place.using { library in
      let notes = try library.notes(of: .first)
      #expect(notes.map { $0.text.text.utf8.count } == texts.map(\.utf8.count))
      #expect(zip(notes, texts).allSatisfy { $0.text.text.utf8.elementsEqual($1.utf8) })
      let list = try library.noteList()
      #expect(list.map(\.firstLine.unicodeScalars.count) == [200, 1, 200, 200])
      try #expect(library.isSound)
      // Undoing an edit restores the complete text.
      let edit = try library.commit(
        [.editNote(.numbered(0), .first, try NoteText("a"), basedOn: NoteText(texts[0]))], at: 10)
      _ = try library.reverse(edit, at: 20)
      try #expect(library.note(.numbered(0))?.text.text == texts[0])
    }
  }
}
