import LegacyImport
import Library
import Quran
import Testing

/// Invalid entries are reported one by one, and the others are imported.
struct WrongEntryTests {
  private func problems(_ name: String) throws -> [String] {
    try LegacyDump(try Fixtures.bytes("wrong/\(name)")).problems.map {
      "\($0.place) \($0.reason.code)"
    }
  }

  @Test func everyWrongEntryIsReported() throws {
    let dump = try LegacyDump(try Fixtures.bytes("wrong/wrong.json"))
    #expect(
      dump.favorites.map(\.description) == ["2:255", "2:255", "2:255", "2:255", "2:7", "1:1"])
    #expect(
      dump.notes == [
        note("1:1", "tốt"), note("1:1", "hay"), note("1:1", "ab"), note("1:2", "một chuỗi"),
        note("2:1", "giữ"), note("2:2", "giữ"),
      ])
    #expect(
      dump.progress.map { [$0.surah.rawValue, $0.lastReadAyah] } == [
        [2, 45], [3, 0], [4, 176], [5, 12], [6, 3], [20, 0], [22, 78],
      ])
    #expect(dump.unknownKeys == ["AppleLocale", "zzz"])
    // Each element, text and surah is counted, and each ayah that has no texts.
    #expect(LegacyKey.allCases.map(dump.entryCount) == [35, 13 + 5 + 2 + 4 + 2, 28])
    let expected = """
      favoriteAyahs[2] malformed-ayah
      favoriteAyahs[3] malformed-ayah
      favoriteAyahs[4] malformed-ayah
      favoriteAyahs[5] malformed-ayah
      favoriteAyahs[6] malformed-ayah
      favoriteAyahs[7] malformed-ayah
      favoriteAyahs[8] malformed-ayah
      favoriteAyahs[9] no-such-ayah
      favoriteAyahs[10] no-such-ayah
      favoriteAyahs[11] no-such-ayah
      favoriteAyahs[12] no-such-ayah
      favoriteAyahs[13] malformed-ayah
      favoriteAyahs[14] malformed-ayah
      favoriteAyahs[15] malformed-ayah
      favoriteAyahs[16] no-such-ayah
      favoriteAyahs[17] no-such-ayah
      favoriteAyahs[18] malformed-ayah
      favoriteAyahs[19] malformed-ayah
      favoriteAyahs[20] malformed-ayah
      favoriteAyahs[21] malformed-ayah
      favoriteAyahs[22] malformed-ayah
      favoriteAyahs[23] wrong-type
      favoriteAyahs[24] wrong-type
      favoriteAyahs[25] wrong-type
      favoriteAyahs[26] wrong-type
      favoriteAyahs[27] wrong-type
      favoriteAyahs[28] wrong-type
      favoriteAyahs[29] not-text
      favoriteAyahs[34] malformed-ayah
      ayahNotes[1:1][2] empty-note
      ayahNotes[1:1][3] empty-note
      ayahNotes[1:1][4] empty-note
      ayahNotes[1:1][5] wrong-type
      ayahNotes[1:1][6] wrong-type
      ayahNotes[1:1][7] wrong-type
      ayahNotes[1:1][8] wrong-type
      ayahNotes[1:1][9] wrong-type
      ayahNotes[1:1][10] not-text
      ayahNotes[1:1][11] not-text
      ayahNotes[1:3] wrong-type
      ayahNotes[1:4] wrong-type
      ayahNotes[1:5] wrong-type
      ayahNotes[1:6] empty-note
      ayahNotes[1:8][1] no-such-ayah
      ayahNotes[1:8][2] no-such-ayah
      ayahNotes[abc][1] malformed-ayah
      ayahNotes[][1] malformed-ayah
      ayahNotes[2-255] malformed-ayah
      ayahNotes[115:1] no-such-ayah
      ReadingProgressStore.progress[7] not-a-number
      ReadingProgressStore.progress[8] not-a-number
      ReadingProgressStore.progress[9] not-a-number
      ReadingProgressStore.progress[10] not-a-number
      ReadingProgressStore.progress[11] not-a-number
      ReadingProgressStore.progress[12] missing-field
      ReadingProgressStore.progress[13] missing-field
      ReadingProgressStore.progress[14] wrong-type
      ReadingProgressStore.progress[15] wrong-type
      ReadingProgressStore.progress[16] wrong-type
      ReadingProgressStore.progress[17] wrong-type
      ReadingProgressStore.progress[18] not-a-number
      ReadingProgressStore.progress[19] not-a-number
      ReadingProgressStore.progress[21] not-a-number
      ReadingProgressStore.progress[0] no-such-surah
      ReadingProgressStore.progress[115] no-such-surah
      ReadingProgressStore.progress[-1] malformed-surah
      ReadingProgressStore.progress[x] malformed-surah
      ReadingProgressStore.progress[] malformed-surah
      ReadingProgressStore.progress[2:255] malformed-surah
      ReadingProgressStore.progress[99999999999999999999] no-such-surah
      """
    #expect(try problems("wrong.json") == expected.split(separator: "\n").map(String.init))
  }

  @Test func everyEntryIsFound() throws {
    let counts = try Fixtures.counts()
    #expect(counts.keys.sorted().map { "wrong/\($0)" } == Fixtures.names("wrong"))
    for (name, count) in counts {
      let dump = try LegacyDump(try Fixtures.bytes("wrong/\(name)"))
      #expect(LegacyKey.allCases.map(dump.entryCount) == count, "\(name)")
    }
  }

  @Test func wrongTypesOfPropertyListsAreReported() throws {
    let dump = try LegacyDump(try Fixtures.bytes("wrong/wrong.plist"))
    #expect(dump.favorites.map(\.description) == ["1:1"])
    #expect(dump.notes == [note("1:1", "tốt"), note("1:2", "tốt")])
    #expect(dump.progress.map(\.lastReadAyah) == [2])
    let kinds = dump.problems.map(\.reason.code)
    let each = ["not-text", "wrong-type", "wrong-type", "wrong-type", "not-text", "wrong-type"]
    #expect(kinds == each + ["wrong-type"] + each + each + ["not-text", "no-such-surah"])
    #expect(dump.problems[19].place == "ayahNotes[a]")
    #expect(
      dump.problems.prefix(5).map(\.reason) == [
        .invalidUnicode, .wrongType(found: .data), .wrongType(found: .date),
        .wrongType(found: .reference), .invalidUnicode,
      ])
  }

  @Test func bytesThatAreNotTextAffectOnlyTheirEntry() throws {
    #expect(
      try problems("wrong-bytes.plist") == [
        "favoriteAyahs[2] not-text", "ayahNotes[1:1][2] not-text",
      ])
  }

  @Test func problemsOfFlatArraysAreReportedByKey() throws {
    #expect(
      try problems("wrong-flat.json") == [
        "ayahNotes[5][1] wrong-type", "ayahNotes[5] missing-value",
        "ReadingProgressStore.progress[115] no-such-surah",
        "ReadingProgressStore.progress[7] missing-value",
      ])
  }

  @Test func anUnreadableKeyDoesNotAffectTheOthers() throws {
    #expect(
      try problems("wrong-keys.json") == [
        "favoriteAyahs wrong-type", "ayahNotes unreadable-not-recognised",
      ])
    #expect(
      try problems("wrong-data.plist") == [
        "favoriteAyahs unreadable-damaged", "ayahNotes unreadable-not-recognised",
      ])
    let dump = try LegacyDump(try Fixtures.bytes("wrong/wrong-data.plist"))
    #expect(dump.problems[0].reason == .unreadable(.damaged(.json, offset: 7)))
    #expect(dump.shapes.keys.map(\.self) == [.progress])
  }

  @Test func duplicateKeysAreBothRead() throws {
    let dump = try LegacyDump(try Fixtures.bytes("wrong/doubled-keys.json"))
    #expect(dump.favorites.map(\.ayah) == [1, 2])
    #expect(dump.notes.map(\.text.text) == ["a", "b"])
    #expect(dump.progress.map(\.lastReadAyah) == [3, 2])
  }

  @Test func aNoteThatIsTooLongIsReported() throws {
    let long = String(repeating: "a", count: NoteText.limit + 1)
    let dump = try LegacyDump(#"{"ayahNotes":{"1:1":["\#(long)","b"]}}"#)
    #expect(dump.problems.map(\.reason) == [.note(.tooLong(excess: 1))])
    #expect(dump.notes == [note("1:1", "b")])
  }

  @Test func textsWithTooManyMarksAreReported() throws {
    for (count, isFine) in [(100, true), (101, false), (200_000, false)] {
      let marks = String(repeating: "\u{301}", count: count)
      let dump = try LegacyDump(#"{"ayahNotes":{"1:1":["q\#(marks)q","b"]}}"#)
      #expect(dump.problems.map(\.reason) == (isFine ? [] : [.tooManyMarks(limit: 100)]))
      #expect(dump.notes.count == (isFine ? 2 : 1))
    }
  }

  @Test func longTextsAreTruncatedInProblems() throws {
    for text in ["x", "ệ", "\u{301}", "👨‍👩‍👧‍👦"] {
      let long = String(repeating: text, count: 100_000)
      let dump = try LegacyDump(
        #"{"ayahNotes":{"\#(long)":["a"]},"favoriteAyahs":["\#(long)"],"\#(long)":1}"#)
      #expect(dump.problems.count == 2 && dump.unknownKeys.count == 1)
      for problem in dump.problems {
        #expect(problem.place.unicodeScalars.count < 150)
        guard case .malformedAyah(let shown) = problem.reason else {
          Issue.record("\(problem.reason)")
          continue
        }
        #expect(shown.unicodeScalars.count == 101 && shown.unicodeScalars.last == "…")
      }
      #expect(dump.unknownKeys[0].unicodeScalars.count == 101)
    }
  }
}
