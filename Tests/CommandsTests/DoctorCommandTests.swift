import Editions
import Foundation
import Library
import Messages
import TestSupport
import Testing
import Text

@testable import Commands

struct DoctorCommandTests {
  private struct Check: Decodable {
    let id: String
    let name: String
    let ok: Bool
    let found: String
  }

  private let xterm = TerminalFacts(
    name: "xterm-256color", canDraw: true, colors: 256, arabic: .shaped)

  private func doctor(
    _ environment: [String: String], terminal: TerminalFacts? = nil,
    editions: [Edition] = [.bundled], language: Language = .english, libraryPath: String? = nil,
    isLibrarySpecified: Bool = false, asJSON: Bool = false, isTerminal: Bool = false,
    columns: Int = 80, problems: [String] = [],
    in output: Output
  ) throws(CommandFailure) {
    try CommandContext(
      console: output.console(isTerminal: isTerminal, columns: columns),
      messages: Messages(language), asJSON: asJSON,
      libraryPath: libraryPath ?? Paths(environment: environment).libraryPath,
      isLibrarySpecified: isLibrarySpecified,
      environment: environment, now: { 1 }, warn: { _ in }
    ).checkInstallation(
      version: "1.2.3", terminal: terminal ?? xterm,
      configuration: ConfigurationFacts(path: "/etc/config.toml", problems: problems),
      texts: editions)
  }

  @Test func passedChecksHaveACheckMark() throws {
    let home = try TemporaryDirectory()
    let output = Output()
    try doctor(
      ["HOME": home.path, "LANG": "vi_VN.UTF-8"], isTerminal: true, columns: 120, in: output)
    #expect(
      output.lines == [
        "✓ Version: 1.2.3", "✓ Language: en", "✓ Configuration: /etc/config.toml",
        "✓ Text vi.quranvi: 6236 ayahs",
        "✓ Locale: vi_VN.UTF-8", "✓ Terminal: xterm-256color, 120 columns, 256 colours",
        "✓ Arabic: shaped – ordered and joined by this program (the default)",
        "✓ Clipboard: by the terminal (OSC 52)",
        "✓ Where your library is kept: \(home.path)/.local/share/quran-vi",
        "Which line reads from right to left, with joined letters? Choose it in the settings"
          + " of the reader, or write arabic =",
        "\"terminal\" or \"shaped\" to config.toml.",
        "  terminal  أب", "  shaped  ﺏﺃ",
      ])
    #expect(try home.contents == [], "the doctor changes nothing")
  }

  @Test func aSpecifiedLibraryThatDoesNotExistIsReported() throws {
    let home = try TemporaryDirectory()
    let (path, output) = ("\(home.path)/none.sqlite", Output())
    let failure = try failure {
      try doctor(["HOME": home.path], libraryPath: path, isLibrarySpecified: true, in: output)
    }
    #expect(failure.status == .badData && failure.message.contains(path))
    #expect(output.lines.contains { $0.hasPrefix("✗ Library: ") && $0.contains(path) })
  }

  @Test func aFileThatIsNotALibraryIsReported() throws {
    let home = try TemporaryDirectory()
    let file = home.path + "/text.txt"
    try "x".write(toFile: file, atomically: false, encoding: .utf8)
    let output = Output()
    let failure = try #require(throws: CommandFailure.self) {
      try doctor(["HOME": home.path], editions: [], libraryPath: file, in: output)
    }
    #expect(failure.status == .badData)
    #expect(failure.message.contains("\(file) is not a quran-vi library"))
  }

  @Test func jsonEqualsThePrintedChecks() throws {
    let home = try TemporaryDirectory()
    let (people, script) = (Output(), Output())
    try doctor(["HOME": home.path], in: people)
    try doctor(["HOME": home.path], asJSON: true, in: script)
    let checks = try script.decoded([Check].self)
    #expect(checks.map { "\($0.ok ? "✓" : "✗") \($0.name): \($0.found)" } == people.lines)
  }

  @Test(arguments: Language.allCases) func checkIDsAreNotTranslated(_ language: Language) throws {
    let home = try TemporaryDirectory()
    let output = Output()
    try doctor(["HOME": home.path], language: language, asJSON: true, in: output)
    let checks = try output.decoded([Check].self)
    #expect(
      checks.map(\.id) == [
        "version", "language", "configuration", "text", "locale", "terminal", "arabic",
        "clipboard", "data",
      ])
  }

  @Test func everyProblemOfTheConfigurationIsReported() throws {
    let home = try TemporaryDirectory()
    let output = Output()
    let failure = try #require(throws: CommandFailure.self) {
      try doctor(["HOME": home.path], problems: ["no key foo", "no key bar"], in: output)
    }
    #expect(failure.status == .badData)
    #expect(
      output.lines.contains("✗ Configuration: /etc/config.toml – no key foo – no key bar"))
  }

  @Test func plainModeIsUsedIfTheTerminalCannotDraw() throws {
    let home = try TemporaryDirectory()
    for (name, shown) in [("dumb", "dumb"), ("", "–"), ("x\u{1B}[31m", "x[31m")] {
      let output = Output()
      let unknown = TerminalFacts(name: name, canDraw: false, colors: 0, arabic: .shaped)
      try doctor(["HOME": home.path], terminal: unknown, in: output)
      #expect(
        output.lines.contains(
          "✓ Terminal: \(shown) – no screen can be drawn; plain mode is used"))
    }
  }

  @Test func arabicSamplesAreOnlyPrintedOnATerminal() throws {
    let home = try TemporaryDirectory()
    let output = Output()
    try doctor(["HOME": home.path], isTerminal: true, in: output)
    #expect(output.lines.contains { $0.hasPrefix("✓ Arabic: shaped – ") })
    #expect(output.lines.suffix(2) == ["  terminal  أب", "  shaped  ﺏﺃ"])
    let piped = Output()
    try doctor(["HOME": home.path], in: piped)
    #expect(!piped.text.contains("أب"))
  }

  @Test func theArabicModeIsReportedWithItsReason() throws {
    let home = try TemporaryDirectory()
    let path = home.path + "/library.sqlite"
    let library = try Library.open(path, at: 1, setsAside: false).library
    try library.setDeviceValues([DeviceKey.arabicDisplay(terminal: "vte"): "shaped"])
    library.close()
    for (kind, isKnownToReorder, configured, found) in [
      ("vte", true, nil, "shaped – ordered and joined by this program (chosen for this terminal)"),
      (
        "konsole", true, nil,
        "terminal – ordered and joined by the terminal (this terminal is known to do it)"
      ),
      ("vte", true, .off, "off – not shown (set in the configuration)"),
      ("xterm", false, nil, "shaped – ordered and joined by this program (the default)"),
    ] as [(String, Bool, ArabicMode?, String)] {
      let output = Output()
      let arabic = ArabicFacts(
        setting: ArabicSetting(
          terminal: kind, isKnownToReorder: isKnownToReorder, configured: configured), samples: [])
      try doctor(
        ["HOME": home.path],
        terminal: TerminalFacts(name: "xterm", canDraw: true, colors: 8, arabic: arabic),
        libraryPath: path, in: output)
      #expect(output.lines.contains("✓ Arabic: \(found)"), "\(output.text)")
    }
  }

  @Test func aLocaleWithoutUTF8IsReported() throws {
    let home = try TemporaryDirectory()
    let expected: [([String: String], String)] = [
      (["LC_ALL": "C"], "C – not UTF-8"), (["LANG": "en_US.utf8"], "en_US.utf8"), ([:], "–"),
      (["LC_ALL": "", "LC_CTYPE": "C.UTF-8", "LANG": "C"], "C.UTF-8"),
    ]
    for (environment, found) in expected {
      let output = Output()
      try doctor(environment.merging(["HOME": home.path]) { $1 }, in: output)
      #expect(output.lines.contains { $0.hasPrefix("✓ Locale: \(found)") }, "\(output.text)")
    }
  }

  @Test func aDamagedTextIsReportedAsBadData() throws {
    let home = try TemporaryDirectory()
    let output = Output()
    let failure = try #require(throws: CommandFailure.self) {
      try doctor(
        ["HOME": home.path], editions: [.bundled, try Edition(oddBytes: [0xFF])], in: output)
    }
    #expect(failure.status == .badData)
    #expect(failure.message == "Text vi.quranvi: damaged at 1:1; install again")
    #expect(output.lines.contains("✗ \(failure.message)"))
    #expect(output.lines.count == 10, "the other checks are printed as well")
  }

  @Test func anUnwritableDirectoryIsReportedAsBadData() throws {
    let home = try TemporaryDirectory()
    let file = home.path + "/file"
    try "x".write(toFile: file, atomically: false, encoding: .utf8)
    var directories = [file]
    // Permissions do not stop root.
    if geteuid() != 0 {
      directories.append(home.path + "/locked")
      mkdir(directories[1], 0o500)
    }
    for directory in directories {
      for asJSON in [true, false] {
        let output = Output()
        let failure = try #require(throws: CommandFailure.self) {
          try doctor(
            ["XDG_DATA_HOME": directory], language: .vietnamese, asJSON: asJSON, in: output)
        }
        #expect(failure.status == .badData)
        #expect(
          failure.message == "Nơi giữ thư viện: \(directory)/quran-vi – không ghi được")
        #expect(output.text.contains(directory))
      }
    }
  }

  /// `--library` can name a file in another directory than that of the data.
  @Test func theDirectoryOfTheLibraryIsChecked() throws {
    let home = try TemporaryDirectory()
    let path = home.path + "/elsewhere/library.sqlite"
    let output = Output()
    try doctor([:], libraryPath: path, in: output)
    #expect(output.lines.contains("✓ Where your library is kept: \(home.path)/elsewhere"))
    try "x".write(toFile: home.path + "/elsewhere", atomically: false, encoding: .utf8)
    let failure = try #require(throws: CommandFailure.self) {
      try doctor(["HOME": home.path], libraryPath: path, in: Output())
    }
    #expect(
      failure.message == "Where your library is kept: \(home.path)/elsewhere – not writable")
  }

  @Test func allChecksRunWithoutAHomeDirectory() throws {
    for environment in [[:], ["HOME": ""], ["HOME": "relative"], ["XDG_DATA_HOME": "//"]] {
      let output = Output()
      do {
        try doctor(environment, in: output)
      } catch {
        #expect(error.status == .badData)
      }
      // The home directory is then that of /etc/passwd, and a library may exist in it.
      #expect((9...10).contains(output.lines.count))
    }
  }

  @Test func theClipboardToolIsReported() throws {
    let home = try TemporaryDirectory()
    try home.program("xclip")
    let output = Output()
    try doctor(["HOME": home.path, "PATH": home.path, "DISPLAY": ":0"], in: output)
    #expect(output.lines.contains("✓ Clipboard: \(home.path)/xclip -selection clipboard"))
  }
}

extension ArabicFacts {
  static let shaped = ArabicFacts(
    setting: ArabicSetting(terminal: "test", isKnownToReorder: false),
    samples: [Sample(value: "terminal", text: "أب"), Sample(value: "shaped", text: "ﺏﺃ")])
}
