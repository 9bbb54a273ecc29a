import Editions
import Foundation
import Quran
import TestSupport
import Testing
import Text

struct MatchesTests {
  private func matches(_ query: String, in text: String) -> [String] {
    SearchQuery(query).matches(in: text).map { String(text[$0]) }
  }

  @Test(arguments: [
    ("dang rat muc", "Đấng Rất Mực Nhân Từ", ["Đấng", "Rất", "Mực"]),
    ("muc dang", "Đấng Rất Mực Nhân Từ", ["Đấng", "Mực"]),
    ("da", "Đấng dang đây", ["Đấ", "da", "đâ"]),
    ("ang", "Đấng ăng", ["ăng"]),
    ("nhan nh", "Nhân danh", ["Nhân"]),
    ("nhan nhan", "Nhân danh nhân", ["Nhân", "nhân"]),
    ("dấng", "Đấng dâng", ["Đấng", "dâng"]),
    ("dâng", "Đấng dâng dang", ["dâng"]), ("dâng", "Đấng dang", ["Đấng", "dang"]),
    ("dâ", "Đấng dâng dang", ["dâ"]), ("hoà", "hòa hoàn hoa", ["hòa", "hoà"]),
    ("hò", "hòa hoa", ["hò"]),
    // Marks are compared word by word: one word is found with its marks, the other without them.
    ("dâng vật", "dâng vất dang", ["dâng", "vất"]),
    ("maidah", "Al-Ma’idah.", ["Ma’idah"]), ("ma’i", "Maidah", ["Mai"]),
    ("al-ma", "Al-Ma’idah", ["Al", "Ma"]), ("dang", "“‘Đấng’”", ["Đấng"]),
    ("الرحمن", "كِتَابُ ٱلرَّحۡمَٰنِ", ["ٱلرَّحۡمَٰنِ"]), ("الر", "ٱلرَّحِيمِ", ["ٱلرَّ"]),
    ("يس", "يـــسٓ", ["يـــسٓ"]),
    ("dang", "👨‍👩‍👧đấng❤️đấng", ["đấng", "đấng"]), ("1", "1️⃣ 12", ["1️⃣", "1"]),
    ("dang", "x\u{301}dang \u{301}dang", ["dang"]),
    ("한", "한국", ["한"]), ("하", "한국", ["한"]),
    ("x", "dang", []), ("", "dang", []), ("dang", "", []),
    ("da muc", "Đấng đa mục", ["đa", "mục"]), ("muc ", "mục mục-đích mụcx", ["mục", "mục"]),
    ("\"rat muc\"", "Mực Rất Mực nhân", ["Rất Mực"]), ("\"rat mu", "Rất Mực", ["Rất Mự"]),
    ("nhan|muc dang ", "Đấng Mực", ["Đấng", "Mực"]), ("dang -nhan", "Đấng Mực", ["Đấng"]),
    ("nhan | muc dang ", "Đấng Mực", ["Đấng", "Mực"]), ("dang | -muc", "Đấng Mực", []),
    ("dang|-muc", "Đấng Mực", []), ("|dang - | muc ", "Đấng Mực", ["Đấng", "Mực"]),
    ("muc| -nhan |dang ", "Đấng Mực", []), ("dang |", "Đấng", ["Đấng"]),
    // Nothing is marked in a text that the query as a whole does not match.
    ("dang muc", "Đấng đây", []), ("nhan|muc dang ", "Đấng đây", []),
    ("dang \"rat muc\"", "Đấng Mực Rất", []), ("dang -muc", "Đấng Mực", []),
    ("dang -\"rat muc\"", "Đấng Mực Rất", ["Đấng"]), ("dang -mức", "Đấng Mực", ["Đấng"]),
    ("Giê-su ", "Isa con của Maryam", ["Isa"]),
    // Footnote marks are not words.
    ("allah dang", "Allah[1] Đấng", ["Allah", "Đấng"]),
    ("\"allah dang\"", "Allah[1] Đấng", ["Allah[1] Đấng"]), ("1", "Đấng[1] 12", ["1"]),
  ])
  func matchesOfAQueryInAText(_ query: String, text: String, expected: [String]) {
    #expect(matches(query, in: text) == expected)
    let decomposed = text.decomposedStringWithCanonicalMapping
    #expect(matches(query, in: decomposed) == expected)
    #expect(matches(query.decomposedStringWithCanonicalMapping, in: text) == expected)
  }

  @Test func aNumberInBracketsIsAWordOfANote() {
    let text = "năm [2024]"
    let matches = SearchQuery("2024").matches(in: text, isEdition: false)
    #expect(matches.map { String(text[$0]) } == ["2024"])
    #expect(SearchQuery("2024").matches(in: text).isEmpty)
  }

  @Test func matchesAreWholeGraphemeClusters() {
    // A mark on a space belongs to its cluster, not to the word after it.
    let text = "\u{6DD}đấng a\u{301}\u{302}\u{323}b"
    #expect(SearchQuery("a").matches(in: text).map { Array(text[$0].unicodeScalars).count } == [4])
    #expect(SearchQuery("dang").matches(in: text).first?.lowerBound == text.startIndex)
  }

  @Test func everyHitHasMatchesForAllWordsOfTheQuery() throws {
    let index = SearchIndex(.bundled)
    var random = SeededGenerator(seed: 5)
    for _ in 0..<60 {
      let source = Edition.bundled.text(of: AyahID(index: .random(in: 1...6236, using: &random))!)
      let query = SearchTests.query(from: PlainSearch.words(source), using: &random)
      guard !PlainSearch.hasName(query) else { continue }
      let hits = index.search(SearchQuery(query)).ayahs
      #expect(!hits.isEmpty, "\(query)")
      for ayah in [hits.first, hits.last, hits.randomElement(using: &random)].compactMap({ $0 }) {
        let text = Edition.bundled.text(of: ayah)
        let ranges = SearchQuery(query).matches(in: text)
        let found = ranges.map { String(text[$0]).folded }
        for word in PlainSearch.words(query).map(\.folded) {
          #expect(found.contains { $0.hasPrefix(word) }, "\(query) in \(ayah)")
        }
        for (range, next) in zip(ranges, ranges.dropFirst()) {
          #expect(range.upperBound <= next.lowerBound)
        }
        for range in ranges {
          #expect(!range.isEmpty)
          #expect(String.Index(range.lowerBound, within: text) != nil)
          #expect(String.Index(range.upperBound, within: text) != nil)
        }
        let decomposed = text.decomposedStringWithCanonicalMapping
        let again = SearchQuery(query).matches(in: decomposed).map { String(decomposed[$0]) }
        #expect(again == ranges.map { String(text[$0]) })
      }
    }
  }

  @Test func randomMatchesBeginAndEndAtClusterBoundaries() {
    var random = SeededGenerator(seed: 6)
    let alphabet = Array(
      "aAđấ ’-\u{301}\u{323}\u{200D}\u{FE0F}\u{6DD}ب\u{64E}ـ👩🇻🇳\r\n한\u{11AB}".unicodeScalars)
    func text(_ count: Int) -> String {
      var text = String.UnicodeScalarView()
      for _ in 0..<count { text.append(alphabet.randomElement(using: &random)!) }
      return String(text)
    }
    var found = 0
    for _ in 0..<3000 {
      let (query, text) = (text(.random(in: 1...3, using: &random)), text(12))
      var end = text.startIndex
      for range in SearchQuery(query).matches(in: text) {
        #expect(range.lowerBound >= end)
        #expect(range.lowerBound < range.upperBound)
        #expect(text.indices.contains(range.lowerBound))
        #expect(range.upperBound == text.endIndex || text.indices.contains(range.upperBound))
        end = range.upperBound
        found += 1
      }
    }
    #expect(found > 500)
  }
}
