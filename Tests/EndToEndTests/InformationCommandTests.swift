import Glibc
import TestSupport
import Testing

@Suite struct InformationCommandTests {
  @Test func theBundledEditionIsListed() throws {
    let home = try Home()
    let outcome = try home.quranVi("text", "list")
    #expect(outcome.ending == .exited(0), "\(outcome)")
    #expect(outcome.output.shows("vi.quranvi"))
    let editions = try home.quranVi("text", "list", "--json").jsonObjects()
    #expect(editions.contains { $0["id"] as? String == "vi.quranvi" })
  }

  @Test func doctorReportsTheTerminalAndTheText() throws {
    let outcome = try Home().quranVi("doctor")
    #expect(outcome.ending == .exited(0), "\(outcome)")
    #expect(outcome.output.shows("vi.quranvi") || outcome.output.shows("6236"), "\(outcome)")
    #expect(outcome.output.shows("xterm-256color"), "\(outcome)")
    #expect(!outcome.outputBytes.contains(0x1B), "\(outcome)")
  }

  @Test func doctorNamesEveryProblemOfTheConfiguration() throws {
    let home = try Home()
    mkdir("\(home.path)/config/quran-vi", 0o700)
    try home.write("colour = 1\n[keys]\nfly = [\"x\"]\n", to: "config/quran-vi/config.toml")
    let outcome = try home.quranVi("doctor")
    #expect(outcome.ending == .exited(3), "\(outcome)")
    #expect(outcome.output.shows("✗ Cấu hình") && outcome.output.shows("colour"), "\(outcome)")
    #expect(outcome.output.shows("fly"), "\(outcome)")
    try home.write("colour [", to: "config/quran-vi/config.toml")
    #expect(try home.quranVi("doctor").output.shows("✗ Cấu hình"))
  }

  @Test func pathsFollowTheEnvironment() throws {
    let home = try Home()
    let outcome = try home.quranVi("--paths")
    #expect(outcome.ending == .exited(0), "\(outcome)")
    #expect(outcome.output.shows("\(home.path)/data"), "\(outcome)")
  }

  @Test func relativePathsInTheEnvironmentAreIgnored() throws {
    let home = try Home()
    let outcome = try home.quranVi(
      "--paths", with: ["XDG_DATA_HOME": "relative/data", "XDG_CONFIG_HOME": "relative/config"])
    #expect(outcome.ending == .exited(0), "\(outcome)")
    #expect(!outcome.output.shows("relative/"), "\(outcome)")
    #expect(outcome.output.shows("\(home.path)/home/.local/share"), "\(outcome)")
  }

  @Test func pathsArePrintedWithoutControlCharacters() throws {
    let home = try Home()
    let outcome = try home.quranVi(
      "--paths", with: ["HOME": "/x\u{1B}[31m\ny", "XDG_DATA_HOME": nil])
    #expect(outcome.ending == .exited(0), "\(outcome)")
    #expect(outcome.outputLines.contains("data    /x[31m y/.local/share/quran-vi"), "\(outcome)")
  }

  @Test func aHomeThatIsNotAbsoluteIsIgnored() throws {
    let home = try Home()
    for value in [nil, "", "relative"] {
      let outcome = try home.quranVi("--paths", with: ["HOME": value, "XDG_DATA_HOME": nil])
      #expect(outcome.ending == .exited(0), "\(outcome)")
      #expect(!outcome.output.contains("relative"), "\(outcome)")
      #expect(!outcome.output.contains("data    /.local"), "\(outcome)")
    }
  }

  @Test func theVersionIsOneLine() throws {
    let outcome = try Home().quranVi("--version")
    #expect(outcome.ending == .exited(0), "\(outcome)")
    #expect(outcome.output.filter { $0 == "\n" }.count == 1, "\(outcome)")
    #expect(outcome.output.contains { $0.isNumber }, "\(outcome)")
  }

  @Test func helpNamesTheSubcommands() throws {
    let home = try Home()
    for arguments in [["--help"], ["-h"], ["help"], ["--lang", "vi", "--help"], ["2", "--help"]] {
      let outcome = try home.quranVi(arguments)
      #expect(outcome.ending == .exited(0), "\(outcome)")
      for word in [
        "read", "search", "favorite", "note", "progress", "settings", "import", "export", "backup",
        "text", "doctor", "2:255", "--plain", "--no-mouse", "--library", "--paths",
      ] {
        #expect(outcome.output.shows(word), "\(outcome)")
      }
    }
    for command in [
      "read", "search", "favorite", "note", "progress", "settings", "import", "export", "backup",
      "text", "doctor",
    ] {
      #expect(
        try home.quranVi("help", command).output == home.quranVi(command, "--help").output)
    }
    let outcome = try home.quranVi("read", "--help")
    #expect(outcome.ending == .exited(0), "\(outcome)")
    #expect(outcome.output.shows("--plain"), "\(outcome)")
  }

  @Test(arguments: [
    [], ["read"], ["search"], ["text"], ["text", "list"],
    ["text", "install"], ["text", "update"], ["text", "use"], ["text", "remove"], ["text", "show"],
    ["doctor"], ["favorite"],
    ["favorite", "add"], ["favorite", "list"], ["note"], ["note", "add"], ["note", "edit"],
    ["note", "remove"], ["progress"], ["progress", "set"], ["progress", "reset"], ["settings"],
    ["settings", "set"], ["import"], ["export"], ["backup"], ["backup", "restore"],
  ])
  func helpIsInTheLanguageOfTheInterface(command: [String]) throws {
    let home = try Home()
    let english = try home.quranVi(command + ["--help"], with: ["LANG": "en_US.UTF-8"]).output
    let asked = try home.quranVi(command + ["--lang", "en", "--help"]).output
    #expect(asked == english)
    #expect(english.contains("USAGE: quran-vi"), "\(english)")
    #expect(!english.contains { $0.isLetter && !$0.isASCII }, "\(english)")
    let vietnamese = try home.quranVi(command + ["--help"]).output
    #expect(!vietnamese.contains(/[A-Z]{5}|Show|See|default|subcommand/), "\(vietnamese)")
    #expect(vietnamese.contains { $0.isLetter && !$0.isASCII })
  }

  @Test func shellCompletionOffersTheOptions() throws {
    let home = try Home()
    let script = try home.quranVi("--generate-completion-script", "bash")
    #expect(script.ending == .exited(0), "\(script)")
    try home.write(script.output, to: "completion")
    for (typed, offered) in [("quran-vi", "--paths"), ("quran-vi read", "--json")] {
      let words = typed.split(separator: " ")
      let outcome = try Outcome.of(
        "/bin/bash",
        [
          "-c",
          """
          source completion
          COMP_WORDS=(\(typed) --) COMP_CWORD=\(words.count)
          COMP_LINE='\(typed) --' COMP_POINT=\(typed.count + 3)
          _quran-vi quran-vi -- \(words.last!)
          echo "${COMPREPLY[@]}"
          """,
        ], environment: home.environment, directory: home.path)
      #expect(
        outcome.output.split(whereSeparator: \.isWhitespace).contains("\(offered)"), "\(outcome)")
    }
  }
}
