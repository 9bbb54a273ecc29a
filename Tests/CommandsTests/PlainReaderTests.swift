import Editions
import Foundation
import Quran
import Testing
import Words

@testable import Commands

struct PlainReaderTests {
  private let home: TemporaryDirectory
  private let stateFile: StateFile
  private let words = Words(.english)

  init() throws {
    home = try TemporaryDirectory()
    stateFile = StateFile(path: home.path + "/state/state.json")
  }

  /// What is printed after the help, when these lines are typed and no more.
  private func read(_ lines: String..., opening: String? = nil) throws -> [String] {
    let output = Output()
    var rest = lines[...]
    var reader = PlainReader(
      edition: .bundled, words: words, console: output.console(isTerminal: true),
      stateFile: stateFile, opening: opening.flatMap(AyahID.init))
    try reader.run { rest.popFirst() }
    let printed = output.text.replacing("> ", with: "").split(separator: "\n").map { String($0) }
    #expect(printed[0] == words.plainOn)
    #expect(printed[1] == "Bundled rendering – not reviewed by scholars.")
    #expect(printed[2] == words.plainHelp)
    #expect(!output.text.contains("\u{1B}"))
    return Array(printed.dropFirst(3))
  }

  private func shown(_ ayah: String) throws -> String {
    "\(ayah)  \(Edition.bundled.text(of: try #require(AyahID(ayah))))"
  }

  private func heading(_ number: Int) throws -> String {
    let surah = try #require(SurahNumber(number)).surah
    return "\(number). \(surah.transliteration) – \(surah.vietnameseName)"
  }

  private var basmala: String { Edition.bundled.text(of: .first) }

  // MARK: Moving

  @Test func enterReadsOnFromTheFirstAyah() throws {
    #expect(try read("", "", "q") == [heading(1), shown("1:1"), shown("1:2")])
  }

  @Test func aSurahIsHeadedByItsNameAndTheBasmala() throws {
    #expect(try read("", opening: "1:7") == [shown("1:7"), heading(2), basmala, shown("2:1")])
    // At-Tawbah has none.
    #expect(try read("", opening: "8:75") == [shown("8:75"), heading(9), shown("9:1")])
  }

  @Test func bGoesBack() throws {
    #expect(
      try read("b", "b", opening: "1:2")
        == [shown("1:2"), heading(1), shown("1:1"), words.startOfBook])
  }

  @Test func theLastAyahIsTheEnd() throws {
    #expect(
      try read("", "", opening: "114:5") == [shown("114:5"), shown("114:6"), words.endOfBook])
  }

  @Test func aReferenceIsGoneTo() throws {
    let printed = try read("2:255", "  yasin ", "juz   30")
    #expect(
      try printed
        == [
          shown("2:255"), heading(36), basmala, shown("36:1"), heading(78), basmala, shown("78:1"),
        ])
  }

  @Test func ofARangeTheFirstAyahIsShown() throws {
    #expect(try read("2:255-257", "") == [shown("2:255"), shown("2:256")])
  }

  @Test func whatIsNoPlaceIsExplained() throws {
    #expect(
      try read("2:300", "what", "", opening: "2:255") == [
        shown("2:255"), "There is no ayah 2:300; surah 2 (Al-Baqarah) has 286 ayahs.",
        "“what” is no place in the Quran; for example: 2:255, 36, yasin, juz 30, page 604.",
        shown("2:256"),
      ])
  }

  @Test func controlCharactersOfTheInputAreNotPrinted() throws {
    #expect(try read("\u{1B}[Axyz").count == 1)
    #expect(try read("/\u{1B}[31mqqq\u{7}").count == 1)
  }

  // MARK: Lists

  @Test func theListOfSurahsIsNumbered() throws {
    let printed = try read("l", "36")
    #expect(printed.count == 114 + 3)
    #expect(printed[1] == "\(try heading(2)), 286 ayahs")
    #expect(printed.suffix(3) == [try heading(36), basmala, try shown("36:1")])
  }

  @Test func aNumberIsASurahWhereNoListIsOpen() throws {
    #expect(try read("112") == [heading(112), basmala, shown("112:1")])
    // Reading on closes the list.
    #expect(try read("/dang", "3:5", "112").suffix(3) == [heading(112), basmala, shown("112:1")])
  }

  @Test func hitsAreNumberedAndChosen() throws {
    let hits = SearchIndex(.bundled).search(SearchQuery("khoan dung"))
    #expect(hits.count > 10)
    let printed = try read("/khoan dung", "11", "0", "3")
    #expect(printed[0] == words.hits(hits.count))
    for row in 1...10 {
      #expect(printed[row] == "\(row). \(try shown(hits[row - 1].description))")
    }
    #expect(printed[11] == words.plainChoose(10))
    #expect(printed[12] == words.plainNoChoice(10))
    #expect(printed[13] == words.plainNoChoice(10))
    #expect(printed.last == (try shown(hits[2].description)))
  }

  @Test func aSearchThatFindsNothingSaysSo() throws {
    #expect(
      try read("/xyzzyq", "/", "/ ") == [
        words.noHits("xyzzyq"), words.emptySearch, words.emptySearch,
      ])
    // And closes the list before it.
    #expect(try read("/dang", "/xyzzyq", "112").suffix(3).first == heading(112))
  }

  @Test func helpIsPrintedAgain() throws {
    #expect(try read("?", "help") == [words.plainHelp, words.plainHelp])
  }

  // MARK: Place

  @Test func thePlaceIsKeptAndContinued() throws {
    #expect(try read("2:255", "", "q") == [shown("2:255"), shown("2:256")])
    #expect(stateFile.load().ayah == AyahID("2:256"))
    #expect(try read("") == [words.plainContinue("2:256"), shown("2:256")])
    #expect(try read("", "", "quit").last == shown("2:257"))
    #expect(stateFile.load().ayah == AyahID("2:257"))
  }

  @Test func beforeThePlaceIsTheAyahBeforeIt() throws {
    try stateFile.save(SavedState(position: "2:256"))
    #expect(try read("b") == [words.plainContinue("2:256"), shown("2:255")])
  }

  @Test func anAyahAskedForWinsOverThePlace() throws {
    try stateFile.save(SavedState(position: "2:256"))
    #expect(try read(opening: "112:2") == [shown("112:2")])
    #expect(stateFile.load().ayah == AyahID("112:2"))
  }

  @Test func whoReadsNothingKeepsTheirPlace() throws {
    _ = try read("l", "/dang", "q")
    #expect(!FileManager.default.fileExists(atPath: stateFile.path))
    try stateFile.save(SavedState(position: "2:256"))
    _ = try read("?")
    #expect(stateFile.load().ayah == AyahID("2:256"))
  }

  @Test func howTheScreenLooksIsKeptToo() throws {
    let state = SavedState(
      position: "2:1", theme: "sepia", layout: "flow", showsArabicNames: false)
    try stateFile.save(state)
    _ = try read("3:7")
    var expected = state
    expected.position = "3:7"
    #expect(stateFile.load() == expected)
  }

  @Test func aPlaceThatCannotBeKeptIsSaid() throws {
    try "x".write(toFile: home.path + "/state", atomically: false, encoding: .utf8)
    let failure = try #require(throws: CommandFailure.self) { try read("") }
    #expect(failure.status == .badData)
    #expect(failure.message == words.placeNotKept(stateFile.path))
  }
}
