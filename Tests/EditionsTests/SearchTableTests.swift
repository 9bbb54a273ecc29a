import Foundation
import Quran
import TestSupport
import Testing
import Text

@testable import Editions

/// Tables of queries with what they find. Those in files were made by `oracle.py`, which knows nothing
/// of the search.
struct SearchTableTests {
  private struct Row {
    let query: String
    let first: String
    let count: Int
  }

  /// The rows `query<TAB>first ayah<TAB>ayahs` of a file.
  private static func rows(_ name: String) throws -> [Row] {
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(
      path: "Fixtures/\(name)")
    let text = try String(contentsOf: file, encoding: .utf8)
    return try text.split(separator: "\n").map { line in
      let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      return Row(
        query: fields[0], first: fields.count == 3 ? fields[1] : "",
        count: try #require(fields.last.flatMap { Int($0) }))
    }
  }

  private static let bundled = SearchIndex(.bundled)

  @Test func queriesFindWhatTheyMean() throws {
    let rows = try Self.rows("queries.tsv")
    #expect(rows.count >= 80)
    for row in rows {
      let found = Self.bundled.search(SearchQuery(row.query, isComplete: true)).ayahs
      #expect(found.count == row.count, "\(row.query)")
      #expect(found.first?.description ?? "" == row.first, "\(row.query)")
    }
  }

  @Test func frequentWordsAreCountedWithTheirMarks() throws {
    let rows = try Self.rows("word-counts.tsv")
    #expect(rows.count == 75)
    for row in rows {
      let found = Self.bundled.search(SearchQuery(row.query, isComplete: true))
      #expect((found.exactCount ?? found.ayahs.count) == row.count, "\(row.query)")
    }
  }

  @Test(
    .enabled(
      if: PublishedFiles.phoneApp != nil,
      "the phone app's file is neither in $QURAN_TEST_DATA nor beside the checkout"))
  func arabicIsFoundAsItIsWrittenToday() throws {
    let file = try #require(PublishedFiles.phoneApp)
    let parsed = try ParsedEdition.parse(Array(try Data(contentsOf: file)))
    let arabic = try #require(parsed.first { $0.info.kind == .original })
    let lines = (AyahID.first...AyahID.last).map {
      "\($0.surah)|\($0.ayah)|\(arabic.content.text(of: $0))"
    }
    let index = SearchIndex(try Edition(lines: lines))
    for row in try Self.rows("arabic-queries.tsv") {
      let found = index.search(SearchQuery(row.query, isComplete: true)).ayahs
      #expect(found.count == row.count, "\(row.query)")
      #expect(found.first?.description == row.first, "\(row.query)")
      let ayah = try #require(found.first)
      // Every hit is marked: the words of the text, not those of the query.
      #expect(!SearchQuery(row.query).matches(in: arabic.content.text(of: ayah)).isEmpty)
    }
  }

  @Test(arguments: [
    ("khoann dung", "khoan dung"), ("musaa", "musa"), ("alah", "allah"), ("Ibarhim", "ibrahim"),
    ("thieen", "thiên"), ("ngươif", "người"), ("mohammad", "muhammad"), ("quraan", "quran"),
    ("firaawn", "firawn"), ("kien nhaan", "kien nhẫn"),
  ])
  func nearWordsAreSuggested(_ typed: String, _ similar: String) {
    let query = SearchQuery(typed, isComplete: true)
    #expect(Self.bundled.search(query).ayahs.isEmpty)
    #expect(Self.bundled.suggestion(for: query)?.folded == similar.folded)
  }

  @Test(arguments: [
    ("2:255", "2:255"), ("2 255", "2:255"), ("2.255", "2:255"), ("baqarah 255", "2:255"),
    ("ya sin", "36:1"), ("juz 30", "78:1"), ("trang 50", "3:1"), ("con bò cái", "2:1"),
    ("ayat kursi", "2:255"), ("Câu Kursi", "2:255"), ("البقرة 255", "2:255"),
  ])
  func referencesAreAnswersToo(_ typed: String, _ ayah: String) throws {
    #expect(try QuranReference(parsing: typed).ayahs.lowerBound.description == ayah)
  }

  @Test(arguments: [
    ("thầy Minh", [0, 3]), ("thay minh", [0, 3]), ("\"thầy minh\"", [0]), ("tafsir", [1]),
    ("minh -thầy", []), ("đọc|chép", [1, 2]), ("الصبر", [4]), ("kiên nhẫn", [2]), ("zzz", []),
  ])
  func textsOfNotesAreFound(_ typed: String, _ positions: [Int]) {
    let index = TextIndex([
      "Thầy Minh giảng câu này rất hay.", "Đọc tafsir lần thứ hai", "chép lại: kiên nhẫn",
      "Minh hỏi thầy về câu sau", "الصَّبْر",
    ])
    #expect(index.search(SearchQuery(typed, isComplete: true)).positions == positions)
  }
}

struct EditionSearchTests {
  private func edition(_ id: String, _ texts: [Int: String]) throws -> Edition {
    let lines = (AyahID.first...AyahID.last).map { ayah in
      "\(ayah.surah)|\(ayah.ayah)|\(texts[ayah.index] ?? "-")"
    }
    return try Edition(lines: lines, id: id)
  }

  @Test func anAyahIsFoundInTheFirstEditionThatHasIt() throws {
    let search = EditionSearch([
      SearchIndex(try edition("one", [1: "trời", 2: "troi", 3: "đất"])),
      SearchIndex(try edition("two", [1: "trời", 4: "trời", 5: "troi"])),
      SearchIndex(try edition("three", [5: "trời", 6: "trời"])),
    ])
    let hits = search.search(SearchQuery("trời", isComplete: true))
    #expect(hits.ayahs.map(\.index) == [1, 2, 4, 5, 6])
    #expect(hits.firstCount == 2 && hits.exactCount == 1)
    let editions = hits.ayahs.indices.map { search.edition(ofHit: $0, in: hits)?.info.id }
    #expect(editions == ["one", "one", "two", "two", "three"])
    let some: Set<AyahID> = Set(hits.ayahs.suffix(2))
    #expect(search.search(SearchQuery("trời "), in: .ayahs(some)).ayahs.map(\.index) == [5, 6])
    #expect(search.search(SearchQuery("đất ")).firstCount == 1)
    #expect(EditionSearch([]).search(SearchQuery("trời")).ayahs.isEmpty)
  }

  @Test func everySpellingOfAnArabicWordIsFound() throws {
    // Words of grammar books, in the spelling of the printed Quran.
    let index = SearchIndex(
      try edition(
        "ar",
        [
          1: "كِتَٰبٌ", 2: "حَيَوٰةٌ", 3: "يَسۡـَٔلُ", 4: "ءَامِنٌ", 5: "مَآءٌ", 6: "مَا",
          7: "أَلَّيۡثُ", 8: "ٱلَّيۡثُ", 9: "رَءُوسٌ", 10: "كَرِيـۧمٌ", 11: "يَلۡوُۥنَ", 12: "صَفَوٰاْ", 13: "جَرَو",
          14: "يَٰٓوَلَدُ", 15: "أَبَٰٓؤُاْۗ", 16: "يَجۡدَؤُاْ", 17: "يَجۡدَؤُاْ",
        ]))
    for (query, ayahs) in [
      ("كتاب", [1]), ("كتب", [1]), ("كِتَٰب", [1]), ("حياة", [2]), ("حيوة", [2]), ("يسأل", [3]),
      ("يسل", [3]),
      ("آمن", [4]), ("امن", [4]), ("ءامن", [4]), ("ماء", [5]), ("ما", [6]), ("كاتب", []),
      ("الليث", [8]),
      ("اليث", [7, 8]), ("رؤوس", [9]), ("رءوس", [9]), ("كرييم", [10]), ("كريم", [10]),
      ("يلوون", [11]),
      ("صفا", [12]), ("جروا", [13]), ("يا ولد", [14]), ("ياولد", [14]),
      ("أباء", [15]), ("أبؤا", [15]), ("يجدأ", [16, 17]), ("يجدؤا", [16, 17]), ("يجدء", [16, 17]),
    ] {
      let found = index.search(SearchQuery(query, isComplete: true)).ayahs.map(\.index)
      #expect(found == ayahs, "\(query)")
    }
    // A word that was begun.
    #expect(index.search(SearchQuery("كتا")).ayahs.map(\.index) == [1])
  }

  @Test func theSameLettersComeFirst() throws {
    let index = SearchIndex(try edition("ar", [1: "فِيهِ", 2: "فِئَةٌ", 3: "فِيهِ فِئَةٌ"]))
    let hits = index.search(SearchQuery("فئة", isComplete: true))
    #expect(hits.ayahs.map(\.index) == [2, 3, 1])
    // There are no hits with other marks.
    #expect(hits.exactCount == nil)
  }

  @Test func noSuggestionChangesWhatAQueryMeans() {
    let index = SearchIndex(.bundled)
    for query in ["\"khoan dugn\"", "kohan -dung", "255", "khoan 77"] {
      #expect(index.suggestion(for: SearchQuery(query, isComplete: true)) == nil, "\(query)")
    }
    #expect(index.suggestion(for: SearchQuery("khoann dung", isComplete: true)) == "khoan dung")
  }

  @Test func arabicMatchesAreWholeLettersWithTheirMarks() {
    let text = "هَٰذَا كِتَٰبٌ جَدِيدٌ"
    let query = SearchQuery("كتاب جدي")
    #expect(query.matches(in: text).map { String(text[$0]) } == ["كِتَٰبٌ", "جَدِي"])
  }

  @Test func otherEditionsComeInTheOrderOfTheirWorth() throws {
    let folder = try TemporaryDirectory()
    let installed = InstalledEditions(directory: folder.path)
    let rows = try EditionFixture.short.bytes(.quranEncJSON)
    for id in ["zz.own", "ar.hafs", "vi.rwwad"] {
      var parsed = try #require(try ParsedEdition.parse(rows).first)
      parsed.info.id = id
      parsed.info.isRecognised = id == "vi.rwwad"
      parsed.info.kind = id == "ar.hafs" ? .original : .translation
      try installed.install(parsed, at: 1)
    }
    #expect(
      installed.others(than: "none").map(\.info.id) == [
        "vi.rwwad", "zz.own", "ar.hafs", "vi.quranvi",
      ])
    #expect(
      installed.others(than: "vi.quranvi").map(\.info.id) == ["vi.rwwad", "zz.own", "ar.hafs"])
    #expect(installed.others(than: "vi.rwwad").first?.info.id == "zz.own")
  }
}
