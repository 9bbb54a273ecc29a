import TestSupport
import Testing

/// Invalid arguments end the program with status 2 and one line on standard
/// error, in the language of the interface, and never with a crash.
@Suite struct UsageErrorTests {
  static let arguments: [[String]] = [
    ["read", "2:300"], ["read", "115"], ["read", "abc"], ["quranvn://surah/200"],
    ["--no-such-option"], ["read", "112", "--no-such-option"], ["search", "--no-such-option", "a"],
    ["-x"], ["read"], ["search"], ["2:300"], ["quranvn://surah/2/ayah/x"], ["read", "2:255-2:250"],
    ["text", "no-such-subcommand"], ["text", "one", "two"], ["read", "-1"], ["serach", "x"],
    ["--plian"], ["--plain", "read", "112"], ["read", "112", "--json", "--plain"],
    ["read", "112", "--edition"], ["read", "112", "--json=x"], ["search", "a", "--limit", "0"],
    ["search", "a", "--limit", "x"], ["search", "a", "--limit", "-1"],
    ["search", "a", "--counts", "--limit", "3"],
    ["help", "nope"], ["help", "note", "nope"], ["help", "read", "nope"], ["note", "nope"],
    ["note", "nope", "2:2"], ["sync", "nope"], ["--lang", "xx"],
    ["--generate-completion-script", "x"],
    ["favorite", "add"], ["favorite", "add", "2:300"], ["favorite", "--library"],
    ["note", "add", "2", "-m", "x"], ["note", "add", "4:4", "5:5", "-m", "x"],
    ["note", "add", "1:1", "-m"], ["note", "remove"],
    ["note", "edit", "2:300", "-m", "x"], ["progress", "set"], ["progress", "set", "2"],
    ["progress", "reset", "2:45"], ["settings", "get", "colour"], ["settings", "set", "theme"],
    ["settings", "set", "theme", "pink"], ["settings", "set", "khatm", "0"],
    ["settings", "set", "width", "-5", "--json"], ["import"],
    ["export", "--format", "xml"], ["export", "-o"], ["backup", "restore", "a", "b"],
  ]

  /// Environment variables with which the interface is in Vietnamese.
  static let vietnamese: [[String: String?]] = [
    ["LANG": nil], ["LANG": "vi_VN.UTF-8"], ["LANG": "en_US.UTF-8", "LC_ALL": "vi_VN"],
  ]
  static let english: [[String: String?]] = [
    ["LANG": "en_US.UTF-8"], ["LC_ALL": "C"], ["LANG": nil, "LC_MESSAGES": "fr_FR.UTF-8"],
  ]

  @Test(arguments: arguments) func aUsageErrorIsOneLine(arguments: [String]) throws {
    let home = try Home()
    var lines: [[String: String?]: String] = [:]
    for language in Self.vietnamese + Self.english {
      let outcome = try home.quranVi(arguments, with: language)
      #expect(outcome.ending == .exited(2), "\(outcome)")
      #expect(outcome.outputBytes.isEmpty, "\(outcome)")
      #expect(outcome.errors.hasSuffix("\n") && outcome.errors.count > 10, "\(outcome)")
      #expect(outcome.errors.filter { $0 == "\n" }.count == 1, "\(outcome)")
      for trace in ["Fatal error", "Stack dump", "Thread 0", "Crash", "Usage:", "\u{1B}"] {
        #expect(!outcome.errors.contains(trace), "\(outcome)")
      }
      lines[language] = outcome.errors
    }
    let inVietnamese = Set(Self.vietnamese.map { lines[$0] })
    let inEnglish = Set(Self.english.map { lines[$0] })
    #expect(inVietnamese.count == 1, "\(inVietnamese)")
    #expect(inEnglish.count == 1, "\(inEnglish)")
    #expect(inVietnamese.isDisjoint(with: inEnglish), "\(inVietnamese)")
    let english = /Missing|Unknown|Unexpected|[Vv]alue|argument|invalid|[Pp]lease/
    #expect(!lines[Self.vietnamese[0]]!.contains(english), "\(inVietnamese)")
    // English messages have ASCII letters only; quotation marks and dashes may be others.
    let letters = lines[Self.english[0]]!.filter { $0.isLetter && !$0.isASCII }
    #expect(letters.isEmpty, "\(inEnglish)")
    #expect(lines[Self.vietnamese[0]]!.contains { $0.isLetter && !$0.isASCII }, "\(inVietnamese)")
  }

  @Test func theErrorNamesTheInvalidArgument() throws {
    let outcome = try Home().quranVi("read", "-1")
    #expect(outcome.errors.contains("-1"), "\(outcome)")
  }

  @Test(arguments: [
    (["search", "a", "--limit", "-1"], "1"), (["--lang", "fr"], "'vi' and 'en'"),
    (["help", "nope"], "read, daily"), (["help", "note", "nope"], "add, edit"),
    (["note", "nope"], "add, edit"), (["favorite", "addd", "2:2"], "add, remove"),
    (["note", "ad", "2:2", "-m", "x"], "add, edit"), (["note", "ad", "du"], "Ad-Dukhan"),
    (["settings", "nope"], "get, set"), (["sync", "nope", "--json"], "connect, login"),
    (["settings", "set", "width", "-5", "--json"], "40–200"),
    (["settings", "set", "khatm", "--", "-5"], "1–3650"),
  ])
  func theErrorNamesTheValidValues(_ arguments: [String], _ values: String) throws {
    let outcome = try Home().quranVi(arguments, with: ["LANG": "C"])
    #expect(outcome.errors.contains(values), "\(outcome)")
  }

  @Test(arguments: ["--\u{1B}[31mfoo", "\u{1B}[31mfoo", "--lang=\u{9B}31m\nx"])
  func errorsContainNoControlCharacters(argument: String) throws {
    for arguments in [[argument], ["read", argument], ["text", argument]] {
      let outcome = try Home().quranVi(arguments)
      #expect(outcome.ending == .exited(2), "\(outcome)")
      #expect(
        !outcome.errors.unicodeScalars.dropLast()
          .contains { $0.properties.generalCategory == .control }, "\(outcome)")
    }
  }

  @Test func theLanguageOptionOverridesTheEnvironment() throws {
    let home = try Home()
    let english = try home.quranVi("read", "115", with: ["LANG": "en_US.UTF-8"])
    let asked = try home.quranVi("read", "115", "--lang", "en")
    #expect(asked.ending == .exited(2))
    #expect(asked.errors == english.errors)
  }
}
