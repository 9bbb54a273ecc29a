import TestSupport
import Testing

@Suite struct SearchCommandTests {
  @Test func wordsAreFoundWithoutDiacritics() throws {
    let outcome = try Home().quranVi("search", "dang rat muc nhan tu", "--json")
    #expect(outcome.ending == .exited(0), "\(outcome)")
    #expect(try outcome.jsonObjects().first?["ayah"] as? String == "1:1")
  }

  /// `dâng` itself occurs in few ayahs; folded it is `dang`, as is Đấng.
  @Test func exactMatchesComeBeforeFoldedOnes() throws {
    let outcome = try Home().quranVi("search", "dâng", "--json")
    let found = try outcome.jsonObjects().compactMap { $0["ayah"] as? String }
    #expect(found.first == "2:196")
    let firstFolded = try #require(found.firstIndex(of: "1:1"))
    let hasWord = found.map { reference in
      Book.text(of: reference).lowercased().split { !$0.isLetter }
        .contains { $0.utf8.elementsEqual("dâng".utf8) }
    }
    #expect(hasWord[0])
    #expect(!hasWord[firstFolded...].contains(true), "exact matches stand before folded ones")
  }

  @Test func aResultIsALineThatStartsWithItsReference() throws {
    let home = try Home()
    let outcome = try home.quranVi("search", "dâng")
    #expect(outcome.ending == .exited(0), "\(outcome)")
    #expect(!outcome.outputBytes.contains(0x1B), "no highlights on a pipe")
    let json = try home.quranVi("search", "dâng", "--json").jsonObjects()
    let references = outcome.output.split(separator: "\n").compactMap { line -> String? in
      let head = line.prefix { $0.isNumber || $0 == ":" }
      return head.contains(":") ? String(head) : nil
    }
    #expect(!references.isEmpty)
    #expect(references.first == "2:196")
    #expect(references == Array(json.compactMap { $0["ayah"] as? String }.prefix(references.count)))
  }

  @Test(arguments: [("xterm-256color", true), ("vt100", true), ("vt52", false), ("dumb", false)])
  func aTerminalWithBoldTextShowsMatchesInBold(term: String, isBold: Bool) throws {
    let terminal = try PseudoTerminal(
      reader: ["search", "dâng", "--limit", "1"], in: Home(), with: ["TERM": term])
    #expect(try terminal.end() == .exited(0))
    let bold = Array("\u{1B}[1mdâng\u{1B}".utf8)
    #expect(terminal.output[...].contains(bold) == isBold, "\(terminal.output.readable)")
    #expect(terminal.output.contains(0x1B) == isBold)
  }

  @Test func composedAndDecomposedQueriesFindTheSame() throws {
    let home = try Home()
    let composed = try home.quranVi("search", "đức tin", "--json")
    let decomposed = try home.quranVi("search", "đu\u{31B}\u{301}c tin", "--json")
    #expect(try !composed.jsonObjects().isEmpty)
    #expect(composed.outputBytes == decomposed.outputBytes)
  }

  @Test func aWordWithALeadingHyphenIsNotAnOption() throws {
    let home = try Home()
    let expected = try home.quranVi("search", "--json", "--", "khoan -dung -hồng")
    #expect(expected.ending == .exited(0), "\(expected)")
    for arguments in [
      ["khoan", "-dung", "-hồng", "--json"], ["-dung", "--json", "khoan", "-hồng"],
      ["-dung", "--json", "--", "khoan", "-hồng"],
    ] {
      #expect(try home.quranVi(["search"] + arguments).output == expected.output, "\(arguments)")
    }
    #expect(try home.quranVi("search", "-h").output.contains("--favorites"))
    #expect(try home.quranVi("search", "khoan", "--jsno").ending == .exited(2))
  }

  @Test func noResultsExitWithStatus1() throws {
    let outcome = try Home().quranVi("search", "xyzzyq")
    #expect(outcome.ending == .exited(1), "\(outcome)")
    #expect(outcome.outputBytes.isEmpty, "\(outcome)")
    let json = try Home().quranVi("search", "xyzzyq", "--json")
    #expect(json.ending == .exited(1), "\(json)")
    #expect(json.output == "[]\n", "\(json)")
  }
}
