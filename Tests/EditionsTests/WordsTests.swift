import Editions
import Quran
import Testing
import Words

struct ExplainTests {
  private static let surah2 = SurahNumber(2)!
  private static let ambiguous = [3, 4, 5, 6, 7, 8].compactMap { SurahNumber($0) }

  /// A failure and the facts that its explanation names.
  private static let failures: [(Reference.Failure, [String])] = [
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
    let words = Words(language)
    let parts = Division.allCases.map { division in
      (
        Reference.Failure.noSuchPart(division, 999),
        [words.name(of: division), "999", "\(division.count)"]
      )
    }
    for (failure, facts) in Self.failures + parts {
      let line = words.explain(failure)
      #expect(!line.contains { $0.isNewline })
      #expect(line.hasSuffix("."), "\(line)")
      for fact in facts { #expect(line.contains(fact), "\(line) without \(fact)") }
    }
  }

  @Test func theLanguagesDiffer() {
    for (failure, _) in Self.failures {
      #expect(Words(.vietnamese).explain(failure) != Words(.english).explain(failure))
    }
  }

  @Test func whatWasTypedIsRepeatedWithoutControls() {
    let typed = "x\u{1B}]0;y\u{7}\nz\u{9B}31m\u{202E}"
    let failures: [Reference.Failure] = [
      .unknown(typed), .ambiguous(typed, Self.ambiguous), .link(.malformed(typed)),
    ]
    for failure in failures {
      for language in Language.allCases {
        let line = Words(language).explain(failure)
        #expect(line.contains("“x]0;y z31m”"), "\(failure)")
      }
    }
  }

  /// The failures above, as they come from what people type.
  @Test(arguments: [
    ("", "Nowhere to go"), ("115", "no surah 115"), ("2:287", "no ayah 2:287"),
    ("juz 31", "no juz 31"), ("hizb 61", "no hizb 61"), ("rub 241", "no hizb quarter 241"),
    ("manzil 8", "no manzil 8"), ("ruku 557", "no ruku 557"), ("trang 605", "no page 605"),
    ("2:5-2:2", "backwards"), ("an", "“an” could be: "), ("xyz", "“xyz” is not a place"),
    ("quranvn://surah/115", "no surah 115"), ("quranvn://x", "is not a link"),
  ])
  func whatPeopleTypeIsExplained(_ text: String, explanation: String) throws {
    let failure = try #require(throws: Reference.Failure.self) { try Reference(parsing: text) }
    #expect(Words(.english).explain(failure).contains(explanation))
  }
}

/// What the argument parser says, in Vietnamese.
struct ParserTests {
  private let words = Words(.vietnamese)

  @Test(arguments: [
    ("Unknown option '--plian'", "Không có tùy chọn “--plian”"),
    (
      "Unknown option '--plian'. Did you mean '--plain'?",
      "Không có tùy chọn “--plian”; ý bạn là “--plain”?"
    ),
    ("Unknown option '--it's'", "Không có tùy chọn “--it's”"),
    ("Missing value for '--limit <n>'", "Thiếu giá trị cho “--limit <n>”"),
    ("Unexpected argument 'foo'", "Thừa tham số “foo”"),
    ("The value '0' is invalid for '--limit <n>'", "Giá trị “0” không hợp lệ cho “--limit <n>”"),
    (
      "The option '--json' does not take any value, but '3' was specified",
      "Tùy chọn “--json” không nhận giá trị, mà có “3”"
    ),
    ("2 unexpected arguments: 'foo', 'bar'", "Không hiểu “foo”"),
    ("Internal error", "Không hiểu các tham số này"),
    ("", "Không hiểu các tham số này"),
  ])
  func anErrorNamesTheArgument(_ reason: String, _ expected: String) {
    #expect(words.usageError(reason) == "\(expected) – xem: quran-vi --help")
    #expect(Words(.english).usageError(reason) == "\(reason) – see: quran-vi --help")
  }

  @Test func helpHasItsHeadingsInVietnamese() {
    let help = "OVERVIEW: a\n\nUSAGE: b\n       c\n\nOPTIONS:\n  -h  Show help information.\n"
    #expect(words.help(help) == "a\n\nDÙNG:  b\n       c\n\nTÙY CHỌN:\n  -h  In trợ giúp.\n")
    #expect(Words(.english).help(help) == help)
  }
}

struct LanguageTests {
  @Test(arguments: [
    ([:], Language.vietnamese),
    (["LANG": ""], .vietnamese),
    (["LC_ALL": "", "LC_MESSAGES": "", "LANG": ""], .vietnamese),
    (["LANG": "vi_VN.UTF-8"], .vietnamese),
    (["LANG": "vi"], .vietnamese),
    (["LANG": "VI_vn"], .vietnamese),
    (["LANG": "C"], .english),
    (["LANG": "C.UTF-8"], .english),
    (["LANG": "POSIX"], .english),
    (["LANG": "en_US.UTF-8"], .english),
    (["LANG": "fr_FR.UTF-8"], .english),
    (["LC_MESSAGES": "vi_VN", "LANG": "en_US"], .vietnamese),
    (["LC_MESSAGES": "en_US", "LANG": "vi_VN"], .english),
    (["LC_ALL": "en_US", "LC_MESSAGES": "vi_VN", "LANG": "vi_VN"], .english),
    (["LC_ALL": "vi_VN", "LC_MESSAGES": "C", "LANG": "C"], .vietnamese),
    (["LC_ALL": "", "LC_MESSAGES": "en_US", "LANG": "vi_VN"], .english),
    (["LC_ALL": "", "LC_MESSAGES": "", "LANG": "en_US"], .english),
    (["LC_CTYPE": "en_US", "LANGUAGE": "en"], .vietnamese),
  ])
  func theFirstVariableThatIsSetDecides(_ environment: [String: String], language: Language) {
    #expect(Language(environment: environment) == language)
  }
}
