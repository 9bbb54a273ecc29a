import Foundation
import Quran
import TestSupport
import Testing
import Text

@testable import Editions

struct SearchTests {
  private static let bundled = SearchIndex(.bundled)

  private func search(_ query: String) -> [String] {
    Self.bundled.search(SearchQuery(query)).ayahs.map(\.description)
  }

  @Test func wordsAreFoundWithoutTheirDiacritics() {
    #expect(search("dang rat muc nhan tu").first == "1:1")
    #expect(search("nhan danh").first == "1:1")
    #expect(search("NHAN DANH") == search("nhan danh"))
    #expect(search("khoan dung").contains("1:1"))
  }

  @Test func exactWordsComeBeforeWordsWithOtherDiacritics() {
    let exact = (AyahID.first...AyahID.last).filter { ayah in
      Edition.bundled.text(of: ayah).lowercased().split { !$0.isLetter }.contains("dâng")
    }.map(\.description)
    #expect(exact.first == "2:196")
    let hits = search("dâng")
    #expect(hits.starts(with: exact))
    #expect(hits.count > exact.count)
    #expect(hits[exact.count] == "1:1")
    #expect(Set(hits) == Set(search("dang")))
  }

  @Test func normalizationAndTonePlacementDoNotMatter() {
    #expect(search("hòa").count > 100)
    #expect(search("hoà") == search("hòa"))
    #expect(search("thuỷ") == search("thủy"))
    for query in ["dâng", "hòa", "Đấng Rất Mực", "ngươi"] {
      #expect(search(query.decomposedStringWithCanonicalMapping) == search(query))
    }
  }

  @Test func separatorsAreNotPartOfWords() {
    let plain = search("nhan danh allah")
    for query in [
      "  nhan danh allah", "nhan danh\tallah", "nhan-danh, allah", "nhan danh allah |||",
      "(nhan) «danh» – allah!", "- nhan danh allah", "nhan 👍 danh allah", "nhan danh - allah",
    ] {
      #expect(search(query) == plain)
    }
  }

  @Test func onlyTheLastWordMayBeAPrefix() {
    for query in ["nha", "nhan dan", "đức ti"] {
      let (begun, whole) = (search(query), search(query + " "))
      #expect(whole.count < begun.count)
      #expect(Set(whole).isSubset(of: begun))
      #expect(
        Self.bundled.search(SearchQuery(query, isComplete: true)).ayahs.map(\.description) == whole)
    }
    #expect(search("nh danh") == [])
    #expect(search("nhan danh ") == search("nhan danh."))
  }

  // MARK: Phrases, exclusion and alternatives

  private func words(_ ayah: String) throws -> [String] {
    guard case .ayahs(let ayahs) = try QuranReference(parsing: ayah) else { return [] }
    return PlainSearch.words(Edition.bundled.text(of: ayahs.lowerBound)).map(\.folded)
  }

  @Test func quotedWordsAreAPhrase() throws {
    let phrase = search("\"khoan dung\"")
    let both = search("khoan dung ")
    #expect(phrase.count > 50)
    #expect(phrase.count < both.count)
    #expect(Set(phrase).isSubset(of: both))
    for ayah in both {
      let words = try words(ayah)
      let isPhrase = zip(words, words.dropFirst()).contains { $0 == ("khoan", "dung") }
      #expect(phrase.contains(ayah) == isPhrase, "\(ayah)")
    }
    // Until the quote is closed, the last word may be a prefix.
    #expect(search("\"khoan du").count >= phrase.count)
    #expect(search("\"khoan du\"").count < phrase.count)
    #expect(search("\"dung khoan\"").count < phrase.count)
  }

  @Test func aWordAfterAMinusIsExcluded() throws {
    let (all, excluded) = (search("khoan dung "), search("khoan dung -nhân "))
    #expect(!excluded.isEmpty)
    for ayah in all {
      let text = try words(ayah)
      #expect(excluded.contains(ayah) == !Edition.bundled.has("nhân", in: ayah), "\(ayah) \(text)")
    }
    #expect(search("-nhân") == [])
    #expect(SearchQuery("-nhân").isEmpty)
    #expect(
      search("khoan -\"khoan dung\" ")
        == search("khoan ").filter {
          !search("\"khoan dung\"").contains($0)
        })
  }

  /// An excluded phrase with diacritics only excludes ayahs in which its words have the same ones,
  /// even if the word to find has none.
  @Test(arguments: ["allah", "đấng"], ["đức tin", "không tin", "duc tin"])
  func aPhraseAfterAMinusIsExcluded(_ word: String, _ phrase: String) throws {
    let wanted = phrase.split(separator: " ").map(String.init)
    let hasDiacritics = phrase.folded != phrase
    let without = try search(word + " ").filter { ayah in
      let text = Edition.bundled.text(of: try #require(AyahID(ayah)))
      let words = PlainSearch.words(text).map { hasDiacritics ? $0.lowercased() : $0.folded }
      return !words.indices.contains { words[$0...].starts(with: wanted) }
    }
    #expect(without.count < search(word + " ").count)
    #expect(search("\(word) -\"\(phrase)\" ") == without)
  }

  @Test func anyOfTheAlternativesIsEnough() {
    let (one, other) = (search("trăng "), search("\"mặt trời\""))
    let either = search("trăng|\"mặt trời\" ")
    #expect(Set(either).isSuperset(of: one))
    #expect(Set(either).isSuperset(of: other))
    // `|` has a higher precedence than a space.
    let also = search("đêm trăng|\"mặt trời\" ")
    #expect(Set(also) == Set(search("đêm ")).intersection(either))
    #expect(search("trăng|zzzz ") == one)
  }

  @Test func otherFormsOfNamesAreFound() {
    let isa = search("isa ")
    #expect(isa.count > 20)
    for name in ["Giê-su", "giê su", "gie-su", "Giêsu", "Jesus", "jesus "] {
      #expect(Set(search(name + " ")) == Set(isa), "\(name)")
    }
    #expect(Set(search("Môi-sê ")) == Set(search("musa ")))
    #expect(Set(search("moses và pharaoh ")) == Set(search("musa và firawn ")))
    // Without its marks, the word is not a name.
    #expect(Set(search("giop ")) != Set(search("ayyub ")))
  }

  @Test func similarWordsAreSuggested() {
    for (query, similar) in [
      ("khoann dung", "khoan dung"), ("musaa", "musa"), ("alah", "allah"),
      ("Ibarhim", "ibrahim"),
    ] {
      let query = SearchQuery(query, isComplete: true)
      #expect(Self.bundled.search(query).ayahs.isEmpty)
      let found = Self.bundled.suggestion(for: query)?.folded
      #expect(found == similar)
    }
    #expect(Self.bundled.suggestion(for: SearchQuery("khoan dung")) == nil)
    #expect(Self.bundled.suggestion(for: SearchQuery("xyzxyzxyz")) == nil)
  }

  /// The expected counts come from a comparison of whole words with their marks, without an index.
  @Test func exactCountsAreOfWholeWordsWithTheirMarks() {
    for query in ["nhân từ", "mặt trời", "thiên thần", "đức tin", "kiên nhẫn"] {
      let words = query.split(separator: " ").map(String.init)
      let count = (AyahID.first...AyahID.last).count { ayah in
        let text = PlainSearch.words(Edition.bundled.text(of: ayah)).map { $0.lowercased() }
        return words.allSatisfy(text.contains)
      }
      let hits = Self.bundled.search(SearchQuery(query, isComplete: true))
      #expect(hits.exactCount == count, "\(query)")
      #expect(hits.ayahs.count >= count)
    }
    #expect(Self.bundled.search(SearchQuery("khoan dung")).exactCount == nil)
  }

  @Test func aQueryWithoutWordsFindsNothing() {
    for query in ["", " ", "-", "\"|\"", "’", "👍", "\u{301}", "\u{0}"] {
      #expect(SearchQuery(query).isEmpty)
      #expect(search(query) == [])
    }
    #expect(!SearchQuery("a").isEmpty)
  }

  @Test func everyWordMustBeFound() {
    #expect(search("nhan danh zzzz") == [])
    #expect(search("zzzz") == [])
    #expect(search("nhan danh allah").count < search("nhan danh").count)
  }

  @Test func hitsAreLimitedToTheScope() throws {
    let all = Self.bundled.search(SearchQuery("dâng")).ayahs
    let surah = try #require(SurahNumber(5))
    let scoped = Self.bundled.search(SearchQuery("dâng"), in: .range(surah.ayahs)).ayahs
    #expect(scoped == all.filter { surah.ayahs.contains($0) })
    #expect(!scoped.isEmpty)
    let one = scoped[0]
    #expect(Self.bundled.search(SearchQuery("dâng"), in: .range(one...one)).ayahs == [one])
  }

  @Test func theTextOfAnAyahFindsTheAyah() throws {
    for index in stride(from: 1, through: AyahID.count, by: 97) + [289] {
      let ayah = try #require(AyahID(index: index))
      let text = Edition.bundled.text(of: ayah)
      let hits = Self.bundled.search(SearchQuery(text)).ayahs
      #expect(hits.contains(ayah))
      // An ayah with the same phrase can only come first if it comes before this one in the Quran.
      let first = try #require(hits.first)
      #expect(SearchQuery(text).isEmpty || first <= ayah)
    }
  }

  @Test func arabicIsFoundWithoutItsVowelSigns() throws {
    var texts = [String](repeating: "لَا", count: AyahID.count)
    // Words of no ayah: "the rows, the guest", "books that I read to them".
    texts[2] = "ٱلصَّفَّٰتُ ٱلضَّيۡفُ"
    texts[6] = "كِتَابَٰتٌ أَسۡمَعۡتُهَا إِيَّاهُمۡ"
    let index = SearchIndex(try Edition(texts: texts))
    #expect(index.search(SearchQuery("الصفت")).ayahs.map(\.description) == ["1:3"])
    #expect(index.search(SearchQuery("أسمعتها")).ayahs.map(\.description) == ["1:7"])
    #expect(index.search(SearchQuery("اياهم اسمعتها")).ayahs.map(\.description) == ["1:7"])
    #expect(index.search(SearchQuery("ٱلضَّيْفِ")).ayahs.map(\.description) == ["1:3"])
  }

  @Test func footnoteMarksAreNotWords() throws {
    var texts = [String](repeating: "x", count: AyahID.count)
    texts[0] = "Allah[1] Đấng [12]nhân 1"
    texts[1] = "Allah[1] nhân [x1] [12345"
    let index = SearchIndex(try Edition(texts: texts))
    func found(_ query: String) -> [String] {
      index.search(SearchQuery(query)).ayahs.map(\.description)
    }
    #expect(found("\"allah đấng\"") == ["1:1"])
    #expect(found("1") == ["1:1", "1:2"])
    #expect(found("12 ") == [])
    #expect(found("x1") == ["1:2"])
    // A text that is pasted with its marks.
    #expect(found("\"Allah[1] Đấng [12]nhân") == ["1:1"])
    // In a note, a number in brackets is a word, unless it directly follows another one.
    let notes = TextIndex(["năm [2024] nhé", "Allah[1] Đấng"])
    for (query, positions) in [
      ("2024", [0]), ("[2024]", [0]), ("\"năm [2024] nhé\"", [0]), ("\"Allah[1] Đấng\"", [1]),
      ("\"allah đấng\"", [1]),
    ] {
      #expect(notes.search(SearchQuery(query)).positions == positions, "\(query)")
    }
  }

  @Test func theValidPartsOfMalformedTextAreFound() throws {
    var texts = [String](repeating: "x", count: AyahID.count)
    texts[0] = String(repeating: "-", count: 18)
    let edition = try Edition(texts: texts)
    // The file is changed after it was validated. A lead byte alone, an invalid byte, a surrogate,
    // overlong forms (the second and the third one encode z) and a truncated sequence.
    UnsafeMutableRawBufferPointer(mutating: edition.bytes(of: .first)).copyBytes(from: [
      0xC4, 0x61, 0xFF, 0xED, 0xA0, 0x80, 0xC0, 0x80, 0x62, 0xE0, 0x81, 0xBA, 0xF0, 0x80, 0x81,
      0xBA, 0xF0, 0x9F,
    ])
    let index = SearchIndex(edition)
    #expect(index.search(SearchQuery("a b")).ayahs.map(\.description) == ["1:1"])
    #expect(index.search(SearchQuery("x")).ayahs.count == AyahID.count - 1)
    #expect(index.search(SearchQuery("z")).ayahs.isEmpty)
  }

  // MARK: Against a plain implementation

  @Test func randomQueriesOfTheBundledTextEqualPlainSearch() {
    let plain = PlainSearch(.bundled)
    var random = SeededGenerator(seed: 3)
    for _ in 0..<60 {
      let text = Edition.bundled.text(of: AyahID(index: .random(in: 1...6236, using: &random))!)
      let query = Self.query(from: PlainSearch.words(text), using: &random)
      guard !PlainSearch.hasName(query) else { continue }
      #expect(Self.bundled.search(SearchQuery(query)).ayahs == plain.search(query), "\(query)")
    }
  }

  @Test func randomQueriesOfARandomTextEqualPlainSearch() throws {
    // Words that fold alike, begin alike, or differ in the place of a tone only.
    let words = [
      "hòa", "hoà", "Hoa", "hoàn", "hoan", "hò", "ho", "họa", "dâng", "Đấng", "dang", "đ", "d",
      "thủy", "thuỷ", "thu", "quý", "Ma’idah", "maidah", "khỏe", "khoẻ", "2", "255", "của", "hóa",
    ]
    var random = SeededGenerator(seed: 4)
    var texts = (AyahID.first...AyahID.last).map { _ in
      let text = (0..<Int.random(in: 0...5, using: &random)).map { _ in
        let word = words.randomElement(using: &random)!
        return Bool.random(using: &random) ? word : word.decomposedStringWithCanonicalMapping
      }.joined(separator: [" ", ", ", "-", "” “", "[2] "].randomElement(using: &random)!)
      return text.isEmpty ? "-" : text
    }
    // No other ayah begins with these words, which would be a basmala there.
    texts[0] = "1 1"
    let edition = try Edition(texts: texts)
    let index = SearchIndex(edition)
    let plain = PlainSearch(edition)
    var hits = 0
    for _ in 0..<150 {
      let query = Self.query(from: words, using: &random)
      let last = AyahID(index: .random(in: 1...6236, using: &random))!
      let found = index.search(SearchQuery(query), in: .range(.first...last)).ayahs
      #expect(found == plain.search(query, in: .first...last), "\(query)")
      hits += found.count
    }
    #expect(hits > 1000)
  }

  @Test func allWordsOfAVeryLongQueryAreRequired() throws {
    let letters = "abcdefghijklmnopqrstuvwxyz".map(String.init)
    let words = letters.flatMap { a in ["x", "y"].map { a + $0 } }
    var texts = [String](repeating: "-", count: AyahID.count)
    for (missing, _) in words.enumerated() {
      var some = words
      some[missing] = "-"
      texts[missing] = some.joined(separator: " ")
    }
    texts[100] = words.reversed().joined(separator: " ")
    texts[200] = words.joined(separator: " ")
    let index = SearchIndex(try Edition(texts: texts))
    let query = words.joined(separator: " ")
    let expected = [AyahID(index: 201)!, AyahID(index: 101)!]
    #expect(index.search(SearchQuery(query)).ayahs == expected)
    #expect(index.search(SearchQuery(query + " " + query)).ayahs == expected.reversed())
    // Without one of the words, the line that lacks it is found as well.
    for missing in [0, 15, 16, 31, 32, 51] {
      var some = words
      some.remove(at: missing)
      let found = index.search(SearchQuery(some.joined(separator: " "))).ayahs
      #expect(Set(found) == Set(expected + [AyahID(index: missing + 1)!]))
    }
  }

  /// One to four words, in a row or not, with marks or without. The last one may be a prefix.
  static func query(from words: [String], using random: inout SeededGenerator) -> String {
    var count = Int.random(in: 1...4, using: &random)
    var query: [String] = []
    if Bool.random(using: &random) {
      count = min(count, words.count)
      let start = Int.random(in: 0...words.count - count, using: &random)
      query = Array(words[start..<start + count])
    } else {
      query = (0..<count).map { _ in words.randomElement(using: &random)! }
    }
    let bare = Int.random(in: 0...2, using: &random) == 0
    return query.enumerated().map { number, word in
      var word = word
      if number == query.count - 1, Bool.random(using: &random) {
        word = String(word.prefix(.random(in: 1...word.count, using: &random)))
      }
      if bare {
        word = word.folding(options: .diacriticInsensitive, locale: nil)
          .replacingOccurrences(of: "đ", with: "d").replacingOccurrences(of: "Đ", with: "D")
      }
      switch Int.random(in: 0...3, using: &random) {
      case 0: return word.uppercased()
      case 1: return word.decomposedStringWithCanonicalMapping
      default: return word
      }
    }.joined(separator: " ")
  }
}

extension Edition {
  /// Whether an ayah has a word, with its marks.
  fileprivate func has(_ word: String, in ayah: String) -> Bool {
    (AyahID.first...AyahID.last).first { $0.description == ayah }.map {
      PlainSearch.words(text(of: $0)).contains { $0.lowercased() == word }
    } ?? false
  }
}
