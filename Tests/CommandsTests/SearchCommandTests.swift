import Editions
import Foundation
import Messages
import Quran
import Testing
import Text

@testable import Commands

struct SearchCommandTests {
  private struct Hit: Decodable, Equatable {
    let ayah: String
    let edition: String
    let text: String
    let matches: [String]
  }

  private func search(
    _ text: String, limit: Int? = nil, asJSON: Bool = false, isTerminal: Bool = false,
    hasStyles: Bool = false, edition: Edition = .bundled, in output: Output = Output()
  ) throws -> Output {
    try CommandContext(
      console: output.console(isTerminal: isTerminal, hasStyles: hasStyles),
      messages: Messages(.english), asJSON: asJSON, libraryPath: nil, now: { 1 }, warn: { _ in }
    ).search(SearchRequest(text, in: [edition], limit: limit))
    return output
  }

  private func hits(_ text: String, limit: Int? = nil) throws -> [Hit] {
    try search(text, limit: limit, asJSON: true).decoded([Hit].self)
  }

  /// The ayahs that the search index finds, in its order.
  private func indexHits(_ text: String) -> [String] {
    SearchIndex(.bundled).search(SearchQuery(text, isComplete: true)).ayahs.map(\.description)
  }

  @Test func hitsArePrintedOnePerLineInIndexOrder() throws {
    let lines = try search("dang rat muc").lines
    #expect(lines.map { $0.prefix { $0 != " " } } == indexHits("dang rat muc").map { $0[...] })
    #expect(lines.count > 20)
    #expect(lines[0].hasPrefix("1:1  Nhân danh"))
  }

  @Test func jsonContainsTheMatches() throws {
    let decoded = try hits("dang rat muc nhan tu")
    #expect(decoded.map(\.ayah) == indexHits("dang rat muc nhan tu"))
    let first = try #require(decoded.first)
    #expect(first.ayah == "1:1")
    #expect(first.edition == "vi.quranvi")
    #expect(first.text == Edition.bundled.text(of: .first))
    #expect(Set(first.matches) == ["Đấng", "Rất", "Mực", "Nhân", "Từ"])
  }

  @Test func theLimitCutsTheList() throws {
    #expect(try hits("dang", limit: 3).map(\.ayah) == Array(indexHits("dang").prefix(3)))
    #expect(try search("dang", limit: 3).lines.count == 3)
  }

  @Test func aTerminalShows20HitsAndTheNumberOfTheRest() throws {
    let count = indexHits("dang").count
    let lines = try search("dang", isTerminal: true).lines
    #expect(lines.count == 21)
    #expect(lines.last == "… and \(count - 20) more (--limit shows more)")
    #expect(try search("dang", limit: count, isTerminal: true).lines.count == count)
    #expect(
      try hits("dang").count == count
        && search("dang", asJSON: true, isTerminal: true).text
          == search("dang", asJSON: true).text
    )
  }

  @Test func matchesAreBoldIfStylesAreSupported() throws {
    let line = try search("nhan danh", limit: 1, isTerminal: true, hasStyles: true).lines[0]
    #expect(line.hasPrefix("1:1  \u{1B}[1mNhân\u{1B}[22m \u{1B}[1mdanh\u{1B}[22m Allah"))
    #expect(try !search("nhan danh", limit: 1, isTerminal: true).text.contains("\u{1B}"))
  }

  @Test func aReferenceIsPrintedBeforeTheHitsOnATerminal() throws {
    let lines = try search("yasin", isTerminal: true).lines
    #expect(lines.first == "→ 36:1  Ya-Sin · \(try #require(SurahNumber(36)).surah.vietnameseName)")
    #expect(try search("2:255", isTerminal: true).lines.first?.hasPrefix("→ 2:255  ") == true)
  }

  @Test func aSearchWithoutHitsExitsWithStatus1() throws {
    for asJSON in [false, true] {
      let output = Output()
      let failure = try #require(throws: CommandFailure.self) {
        try search("xyzzyq", asJSON: asJSON, in: output)
      }
      #expect(failure.status == .notFound)
      #expect(failure.message.contains("xyzzyq"))
      #expect(output.text == (asJSON ? "[]\n" : ""))
    }
  }

  /// Scripts get only hits, so a reference without hits fails like a search without hits.
  @Test func aReferenceWithoutHitsIsOnlyPrintedOnATerminal() throws {
    #expect(indexHits("999 yasin").isEmpty)
    #expect(indexHits("yasin").isEmpty)
    #expect(try search("yasin", isTerminal: true).lines.count == 1)
    for (asJSON, isTerminal) in [(false, false), (true, false), (true, true)] {
      let failure = try #require(throws: CommandFailure.self) {
        try search("yasin", asJSON: asJSON, isTerminal: isTerminal)
      }
      #expect(failure.status == .notFound)
    }
  }

  @Test func aQueryWithoutWordsIsAUsageError() throws {
    for text in ["", " ", "…", "'"] {
      let failure = try #require(throws: CommandFailure.self) { try search(text) }
      #expect(failure.status == .usage)
    }
  }

  @Test func theReasonIsGivenWhyNothingCanBeFound() throws {
    let passage = try #require(throws: CommandFailure.self) { try search("2:300") }
    #expect(passage.status == .notFound)
    #expect(
      passage.message
        == Messages(.english).explain(.noSuchAyah(try #require(SurahNumber(2)), 300)))
    let exclusion = try #require(throws: CommandFailure.self) { try search("-khoan") }
    #expect(exclusion.status == .usage)
    #expect(exclusion.message == Messages(.english).nothingToSearchFor)
  }

  @Test func theQueryAndTheTextAreSanitized() throws {
    let failure = try #require(throws: CommandFailure.self) { try search("xyz\u{1B}]0;zyq\u{7}") }
    #expect(!failure.message.contains("\u{1B}"))
    let edition = try Edition(oddText: "xyz\u{1B}[31mphách\u{7} xyz")
    let output = try search("xyz", isTerminal: true, hasStyles: true, edition: edition)
    #expect(
      output.lines == ["1:1  \u{1B}[1mxyz\u{1B}[22m[31mphách \u{1B}[1mxyz\u{1B}[22m"])
  }
}
