import Editions
import Messages
import Quran
import Testing
import Text

struct ReferenceFactsTests {
  private static let surah2 = SurahNumber(2)!
  private static let ambiguous = [3, 4, 5, 6, 7, 8].compactMap { SurahNumber($0) }

  /// A failure and the facts that its explanation names.
  private static let failures: [(QuranReference.Failure, [String])] = [
    (.empty, ["2:255"]),
    (.noSuchSurah(115), ["115", "1", "114"]),
    (.noSuchSurah(.max), ["\(Int.max)", "114"]),
    (.noSuchAyah(surah2, 287), ["2:287", "Al-Baqarah", "286"]),
    (.backwards(AyahID("2:5")!, AyahID("2:2")!), ["2:5-2:2", "2:2-2:5"]),
    (.ambiguous("al", Array(ambiguous.prefix(2))), ["“al”", "3 ", "4 "]),
    (.ambiguous("al", ambiguous), ["“al”", "3 ", "8 "]),
    (.ambiguous("al", ambiguous + ambiguous), ["“al”", "3 ", "8 ", " 6 "]),
    (.unknown("xyz"), ["“xyz”", "2:255"]),
    (.link(.malformed("quranvn:/")), ["“quranvn:/”", "quranvn://surah/2/ayah/255"]),
    (.link(.noSuchSurah(0)), ["0", "114"]),
  ]

  @Test(arguments: Language.allCases)
  func everyFailureIsOneLineThatNamesTheFacts(_ language: Language) {
    let messages = Messages(language)
    let parts = Division.allCases.map { division in
      (
        QuranReference.Failure.noSuchPart(division, 999),
        [messages.name(of: division), "999", "\(division.count)"]
      )
    }
    for (failure, facts) in Self.failures + parts {
      let line = messages.explain(failure)
      #expect(!line.contains { $0.isNewline })
      #expect(line.hasSuffix("."), "\(line)")
      for fact in facts { #expect(line.contains(fact), "\(line) without \(fact)") }
    }
  }

  @Test func theLanguagesDiffer() {
    for (failure, _) in Self.failures {
      #expect(Messages(.vietnamese).explain(failure) != Messages(.english).explain(failure))
    }
  }

  @Test func typedTextIsQuotedWithoutControlCharacters() {
    let typed = "x\u{1B}]0;y\u{7}\nz\u{9B}31m\u{202E}"
    let failures: [QuranReference.Failure] = [
      .unknown(typed), .ambiguous(typed, Self.ambiguous), .link(.malformed(typed)),
    ]
    for failure in failures {
      for language in Language.allCases {
        let line = Messages(language).explain(failure)
        #expect(line.contains("“x]0;y z31m”"), "\(failure)")
      }
    }
  }

  @Test func longTextIsShortened() {
    let text = String(repeating: "x", count: 1000)
    for failure: QuranReference.Failure in [.unknown(text), .link(.malformed(text))] {
      #expect(Messages(.english).explain(failure).contains("“\(text.prefix(39))…”"))
    }
  }

  /// The failures above, as the parser throws them for typed text.
  @Test(arguments: [
    ("", "No place was given"), ("115", "no surah 115"), ("2:287", "no ayah 2:287"),
    ("juz 31", "no juz 31"), ("hizb 61", "no hizb 61"), ("rub 241", "no hizb quarter 241"),
    ("manzil 8", "no manzil 8"), ("ruku 557", "no ruku 557"), ("trang 605", "no page 605"),
    ("2:5-2:2", "backwards"), ("an", "“an” could be: "), ("xyz", "“xyz” is not a place"),
    ("quranvn://surah/115", "no surah 115"), ("quranvn://x", "is not a link"),
  ])
  func failuresOfTypedReferencesAreExplained(_ text: String, explanation: String) throws {
    let failure = try #require(throws: QuranReference.Failure.self) {
      try QuranReference(parsing: text)
    }
    #expect(Messages(.english).explain(failure).contains(explanation))
  }
}
