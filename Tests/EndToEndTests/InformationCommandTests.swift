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

  @Test func doctorTellsOfTheTerminalAndTheText() throws {
    let outcome = try Home().quranVi("doctor")
    #expect(outcome.ending == .exited(0), "\(outcome)")
    #expect(outcome.output.shows("vi.quranvi") || outcome.output.shows("6236"), "\(outcome)")
    #expect(outcome.output.shows("xterm-256color"), "\(outcome)")
    #expect(!outcome.outputBytes.contains(0x1B), "\(outcome)")
  }

  @Test func pathsLieWhereTheEnvironmentPutsThem() throws {
    let home = try Home()
    let outcome = try home.quranVi("--paths")
    #expect(outcome.ending == .exited(0), "\(outcome)")
    #expect(outcome.output.shows("\(home.path)/state"), "\(outcome)")
  }

  @Test func relativePathsInTheEnvironmentAreIgnored() throws {
    let home = try Home()
    let outcome = try home.quranVi(
      "--paths", with: ["XDG_STATE_HOME": "relative/state", "XDG_CONFIG_HOME": "relative/config"])
    #expect(outcome.ending == .exited(0), "\(outcome)")
    #expect(!outcome.output.shows("relative/"), "\(outcome)")
    #expect(outcome.output.shows("\(home.path)/home/.local/state"), "\(outcome)")
  }

  @Test func theVersionIsOneLine() throws {
    let outcome = try Home().quranVi("--version")
    #expect(outcome.ending == .exited(0), "\(outcome)")
    #expect(outcome.output.filter { $0 == "\n" }.count == 1, "\(outcome)")
    #expect(outcome.output.contains { $0.isNumber }, "\(outcome)")
  }

  @Test func helpNamesTheSubcommands() throws {
    let home = try Home()
    for arguments in [["--help"], ["-h"]] {
      let outcome = try home.quranVi(arguments)
      #expect(outcome.ending == .exited(0), "\(outcome)")
      for word in ["read", "search", "text", "doctor"] {
        #expect(outcome.output.shows(word), "\(outcome)")
      }
    }
    let outcome = try home.quranVi("read", "--help")
    #expect(outcome.ending == .exited(0), "\(outcome)")
    #expect(outcome.output.shows("--plain"), "\(outcome)")
  }
}
