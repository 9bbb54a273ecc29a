import Editions
import Foundation
import Library
import Messages
import Quran
import TestSupport
import Testing
import Text

@testable import Commands

struct PlainReaderTests {
  private let home: TemporaryDirectory
  private let path: String
  private let messages = Messages(.english)

  init() throws {
    home = try TemporaryDirectory()
    path = home.path + "/data/library.sqlite"
  }

  /// Returns what is printed after the help if exactly these lines are typed.
  private func read(_ lines: String..., opening: String? = nil) throws -> [String] {
    try read(lines, opening: opening)
  }

  private func read(
    _ lines: [String], opening: String? = nil, others: [Edition] = [], dump: String? = nil
  ) throws -> [String] {
    let output = Output()
    var rest = lines[...]
    var reader = PlainReader(
      edition: .bundled, messages: messages, console: output.console(isTerminal: true),
      library: PlainLibrary(path: path, now: { 1 }), opening: opening.flatMap(AyahID.init),
      otherEditions: { others }, files: FileTransfer(home: home.path, now: { 1 }),
      findDump: { dump }, now: { 1 })
    try reader.run { rest.popFirst().map(InputLine.text) }
    let printed = output.text.replacing("> ", with: "").split(separator: "\n").map { String($0) }
    #expect(printed[0] == messages.plainOn)
    #expect(printed[1] == "Bundled rendering – not reviewed by scholars.")
    #expect(printed[2] == messages.plainStart)
    #expect(!output.text.contains("\u{1B}"))
    return Array(printed.dropFirst(3))
  }

  private func open() -> Result<OpenedLibrary, LibraryFailure> {
    Result { () throws(LibraryFailure) in try Library.open(path, at: 1) }
  }

  /// The current content of the library.
  private func snapshot() throws -> Snapshot { try open().get().snapshot }

  private func shown(_ ayah: String) throws -> String {
    "\(ayah)  \(Edition.bundled.text(of: try #require(AyahID(ayah))))"
  }

  private func heading(_ number: Int) throws -> String {
    "\(number). \(try #require(SurahNumber(number)).surah.names)"
  }

  private var basmala: String { Edition.bundled.text(of: .first) }

  // MARK: Importing

  @Test func theOlderAppsDataIsOfferedOnceAndImported() throws {
    let file = "~/x  y.json"
    try "{\"favoriteAyahs\": [\"2:255\", \"2:300\"]}".write(
      toFile: home.path + "/x  y.json", atomically: true, encoding: .utf8)
    let lines = try read(["import \(file)", "fl", "u", "fl"], dump: file)
    #expect(
      lines[0] == "Here is data of the older app. Type this to import it: import \(file)")
    #expect(lines.contains("  left out favoriteAyahs[2]: there is no ayah “2:300”"))
    #expect(lines.contains("Imported 1 favourite; left out 1 – u undoes"))
    #expect(lines.contains { $0.hasPrefix("1. 2:255") || $0.hasPrefix("1  2:255") })
    #expect(lines.last == messages.noFavorites("f"))
    #expect(try !read([], dump: file).contains { $0.contains("older app") })
    #expect(try read(["import nothing"]) == ["There is no file “nothing”."])
  }

  // MARK: Moving

  @Test func enterShowsTheFirstAyahAndThenTheNext() throws {
    #expect(try read("", "", "q") == [heading(1), shown("1:1"), shown("1:2")])
  }

  @Test func aSurahIsHeadedByItsNameAndTheBasmala() throws {
    #expect(
      try read("", opening: "1:7")
        == [heading(1), shown("1:7"), heading(2), basmala, shown("2:1")])
    // At-Tawbah has no basmala.
    #expect(
      try read("", opening: "8:75")
        == [
          heading(8), shown("8:75"), messages.plainElsewhere("2:1"), heading(9), shown("9:1"),
        ])
  }

  @Test func theBCommandShowsThePreviousAyah() throws {
    #expect(
      try read("b", "b", opening: "1:2")
        == [heading(1), shown("1:2"), heading(1), shown("1:1"), messages.startOfBook])
  }

  @Test func enterAfterTheLastAyahReportsTheEnd() throws {
    #expect(
      try read("", "", opening: "114:5")
        == [heading(114), shown("114:5"), shown("114:6"), messages.endOfBook])
  }

  @Test func aReferenceOpensItsAyah() throws {
    let printed = try read("2:255", "  yasin ", "juz   30")
    #expect(
      try printed
        == [
          heading(2), shown("2:255"), heading(36), basmala, shown("36:1"),
          messages.plainElsewhere("2:255"),
          heading(78), basmala, shown("78:1"),
        ])
  }

  @Test func aRangeOpensItsFirstAyah() throws {
    #expect(try read("2:255-257", "") == [heading(2), shown("2:255"), shown("2:256")])
  }

  @Test func invalidReferencesAreExplained() throws {
    #expect(
      try read("2:300", "what", "", opening: "2:255") == [
        heading(2), shown("2:255"), "There is no ayah 2:300; surah 2 (Al-Baqarah) has 286 ayahs.",
        "“what” is not a place in the Quran; for example: 2:255, 36, yasin, juz 30, page 604.",
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

  @Test func aNumberIsASurahIfNoListIsOpen() throws {
    #expect(try read("112") == [heading(112), basmala, shown("112:1")])
    // Opening an ayah closes the list.
    #expect(try read("/dang", "3:5", "112").suffix(3) == [heading(112), basmala, shown("112:1")])
  }

  @Test func hitsAreChosenByTheirNumbers() throws {
    let hits = SearchIndex(.bundled).search(SearchQuery("khoan dung", isComplete: true)).ayahs
    #expect(hits.count > 10)
    let printed = try read("/khoan dung", "11", "0", "3")
    #expect(printed[0] == messages.hits(hits.count))
    for row in 1...10 {
      #expect(printed[row] == "\(row). \(try shown(hits[row - 1].description))")
    }
    #expect(printed[11] == messages.plainChoose(10, hasMore: true))
    #expect(printed[12] == messages.plainNoChoice(10))
    #expect(printed[13] == messages.plainNoChoice(10))
    #expect(printed.last == (try shown(hits[2].description)))
  }

  @Test func plusShowsMoreHits() throws {
    let hits = SearchIndex(.bundled).search(SearchQuery("dâng", isComplete: true)).ayahs
    let pages = (hits.count + 9) / 10
    #expect(pages > 1)
    var reading = ["/dâng"] + Array(repeating: "+", count: pages)
    reading.append("\(hits.count)")
    let printed = try read(reading)
    let rows = printed.filter { $0.first?.isNumber == true && $0.contains(".") }
    for (row, ayah) in hits.enumerated() {
      #expect(rows.contains("\(row + 1). \(try shown(ayah.description))"))
    }
    #expect(printed.contains(messages.plainChoose(20, hasMore: hits.count > 20)))
    #expect(printed.contains(messages.plainChoose(hits.count, hasMore: false)))
    #expect(printed.contains(messages.plainNoMore))
    #expect(printed.last == (try shown(hits[hits.count - 1].description)))
  }

  @Test func plusAfterTheEndOfAListReportsNoMore() throws {
    #expect(
      try read("+", "l", "+", "/xyzzyq", "+").filter { $0 == messages.plainNoMore }.count == 3)
  }

  @Test func searchingForAReferenceOpensIt() throws {
    #expect(
      try read("/2:255", "/ yasin").prefix(3)
        == [heading(2), shown("2:255"), heading(36)])
  }

  @Test func aSearchWithoutHitsIsReported() throws {
    #expect(
      try read("/xyzzyq", "/", "/ ") == [
        messages.noHits("xyzzyq", similar: nil), messages.plainEmptySearch("/"),
        messages.plainEmptySearch("/"),
      ])
    #expect(
      try read("/2:300", "/-khoan") == [
        messages.explain(.noSuchAyah(try #require(SurahNumber(2)), 300)),
        messages.nothingToSearchFor,
      ])
    // A search without hits also closes the previous list.
    #expect(try read("/dang", "/xyzzyq", "112").suffix(3).first == heading(112))
  }

  /// A list after a search is not shown as the hits of that search, even with as many rows.
  @Test func aListAfterASearchQuotesTheCurrentEdition() throws {
    let other = try Edition(oddText: "xyzzyq")
    let printed = try read(["2:255", "f", "/xyzzyq", "fl"], others: [other])
    #expect(printed.contains("1. 1:1  [\(other.info.id)] xyzzyq"))
    #expect(
      try printed.suffix(2) == ["1. \(shown("2:255"))", messages.plainChoose(1, hasMore: false)])
  }

  @Test func helpIsPrintedOnRequest() throws {
    #expect(try read("?", "help") == messages.plainHelp + messages.plainHelp)
  }

  // MARK: Reading place

  @Test func theReadingPlaceIsSavedAndContinued() throws {
    #expect(try read("2:255", "", "q") == [heading(2), shown("2:255"), shown("2:256")])
    #expect(try snapshot().continueReading == AyahID("2:256"))
    #expect(try read("") == [messages.plainContinue("2:256"), heading(2), shown("2:256")])
    #expect(try read("", "", "quit").last == shown("2:257"))
    #expect(try snapshot().continueReading == AyahID("2:257"))
  }

  /// Ctrl-C can end the reader at any time.
  @Test func theReadingPlaceIsSavedBeforeTheAyahIsShown() throws {
    let ayahs = ["2:255", "2:256", "2:255"].compactMap(AyahID.init)
    var shown: [AyahID] = []
    var lines = ["2:255", "", "b"][...]
    let console = Console(isTerminal: true) { text in
      if let ayah = AyahID(String(text.prefix { $0 != " " })) {
        shown.append(ayah)
        #expect((try? snapshot())?.continueReading == ayah)
      }
    }
    var reader = PlainReader(
      edition: .bundled, messages: messages, console: console,
      library: PlainLibrary(path: path, now: { 1 }), opening: nil,
      files: FileTransfer(now: { 1 }), now: { 1 })
    try reader.run { lines.popFirst().map(InputLine.text) }
    #expect(shown == ayahs)
  }

  @Test func bShowsTheAyahBeforeTheSavedPlace() throws {
    try savePlace("2:256")
    #expect(try read("b") == [messages.plainContinue("2:256"), heading(2), shown("2:255")])
  }

  @Test func aRequestedAyahOverridesTheSavedPlace() throws {
    try savePlace("2:256")
    #expect(
      try read(opening: "112:2")
        == [heading(112), shown("112:2"), messages.plainElsewhere("2:256")])
  }

  @Test func aBriefLookElsewhereKeepsTheReadingPlace() throws {
    try savePlace("2:256")
    _ = try read("112:2", "", "", "/con bo cai vang", "1", "", "q")
    #expect(try snapshot().continueReading == AyahID("2:256"))
    _ = try read("36:1", "", "", "", "q")
    #expect(try snapshot().continueReading == AyahID("36:4"))
  }

  @Test func readingNoAyahKeepsTheReadingPlace() throws {
    try savePlace("2:256")
    _ = try read("?", "l", "/dang", "q")
    #expect(try snapshot().continueReading == AyahID("2:256"))
  }

  private func savePlace(_ position: String) throws {
    try open().get().library.setDeviceValues([DeviceKey.position: position])
  }

  // MARK: Favorites, notes and progress

  @Test func onlyTheAyahAfterTheLastReadOneCountsAsRead() throws {
    _ = try read("", "", "", "2:255", "", "q")
    #expect(try snapshot().progress.map { [$0.surah.rawValue, $0.lastReadAyah] } == [[1, 2]])
    #expect(try snapshot().readingDays.values.reduce(0, +) == 2)
  }

  @Test func favoritesAreSetListedAndUndone() throws {
    let favorite = try shown("2:255") + "  (favourite)"
    #expect(
      try read("g 2:255", "f", "fl", "1", "u", "fl")
        == [
          heading(2), shown("2:255"), messages.favoriteAdded("u"), "1. \(shown("2:255"))",
          messages.plainChoose(1, hasMore: false), favorite,
          messages.undone(messages.name(of: .favorite(try ayah("2:255")))),
          messages.noFavorites("f"),
        ])
    #expect(try snapshot().favoriteCount == 0)
  }

  @Test func notesAreWrittenAndRead() throws {
    let lines = try read("112", "n Đọc\u{1B}[2J mỗi tối", "n", "b", "n", "n   ")
    #expect(lines.contains(messages.noteSaved("u")))
    #expect(lines.contains(messages.noteTitle("112:1", 1, of: 1)))
    #expect(lines.contains { $0.hasPrefix("Đọc") && $0.hasSuffix("mỗi tối") })
    #expect(lines.suffix(2) == [messages.noNotes, messages.noNotes])
  }

  @Test func enteringAnotherSurahPrintsItsHeading() throws {
    #expect(
      try read("b", opening: "3:1").suffix(2) == [heading(2), shown("2:286")])
    #expect(try read("18:10", "18:12").filter { $0 == (try? heading(18)) }.count == 1)
  }

  @Test func aNoteIsEditedAndDeleted() throws {
    let lines = try read("112", "n một", "e hai  ba", "n", "d", "n", "u", "n")
    #expect(lines.filter { $0 == messages.noteSaved("u") }.count == 2)
    #expect(lines.contains("hai  ba") && !lines.contains("một"))
    #expect(lines.contains(messages.plainNoteDeleted("112:1", "hai  ba", "u")))
    #expect(lines.contains(messages.noNotes))
    #expect(lines.last == "hai  ba", "undo brings it back")
  }

  @Test func severalNotesRequireANumber() throws {
    let lines = try read("112", "n một", "n hai", "e ba", "e 3 ba", "e 2 ba bốn", "e 1", "d 1", "n")
    #expect(lines.filter { $0 == messages.plainWhichNote("e", 2) }.count == 2)
    #expect(lines.contains(messages.plainNewText("e 1")))
    #expect(lines.suffix(2) == [messages.noteTitle("112:1", 1, of: 1), "ba bốn"])
    #expect(try read("112", "n", "d x").last == messages.plainWhichNote("d", 1))
    #expect(try read("112", "n", "d 1 x").last == messages.plainWhichNote("d", 1))
    #expect(try read("112", "n", "e 1").last == messages.plainNewText("e"))
    #expect(try read("113", "e x", "d").suffix(2) == [messages.noNotes, messages.noNotes])
  }

  /// Types lines. Before the last one, another device makes a change.
  private func read(
    _ lines: [String], beforeLast change: (Library) throws -> Void
  ) throws -> String {
    let output = Output()
    var rest = lines[...]
    var reader = PlainReader(
      edition: .bundled, messages: messages, console: output.console(isTerminal: true),
      library: PlainLibrary(path: path, now: { 5 }), opening: nil,
      files: FileTransfer(now: { 5 }), now: { 5 })
    var failure: (any Error)?
    try reader.run {
      if rest.count == 1 {
        do {
          let library = try Library.open(path, at: 1).library
          defer { library.close() }
          try change(library)
        } catch { failure = error }
      }
      return rest.popFirst().map(InputLine.text)
    }
    if let failure { throw failure }
    return output.text
  }

  private func texts(of ayah: String) throws -> [String] {
    let library = try Library.open(path, at: 1).library
    defer { library.close() }
    return try library.allNotes().filter { "\($0.ayah)" == ayah }.map(\.text.text)
  }

  /// Another device has added an older note, so the notes now have other numbers.
  @Test(arguments: ["d 2", "e 2 ba"])
  func outdatedNoteNumbersAreRefused(command: String) throws {
    let printed = try read(["112", "n một", "n hai", command]) { library in
      try library.commit([.addNote(UUID(), try ayah("112:1"), try NoteText("cũ"))], at: 1)
    }
    #expect(try texts(of: "112:1").sorted() == ["cũ", "hai", "một"])
    #expect(printed.contains(messages.plainReadFirst(String(command.prefix(1)))))
  }

  /// Another device has added a line that was not printed.
  @Test(arguments: ["d", "e ba", "d 1", "e 1 ba"], [[], ["n/mot"]])
  func aNoteChangedElsewhereIsNotOverwritten(command: String, search: [String]) throws {
    _ = try read(["112", "n một"] + search + [command]) { library in
      let note = try #require(try library.allNotes().first)
      try library.commit(
        [.editNote(note.id, note.ayah, try NoteText("một\nthêm"), basedOn: note.text)], at: 6)
    }
    #expect(try texts(of: "112:1") == ["một\nthêm"])
  }

  @Test func foundNotesAreChangedByTheirNumbers() throws {
    _ = try read("112", "n một", "2:255", "n một hai")
    let lines = try read("n/mot", "d 1", "e 2 ba", "e 1 bốn", "d 9")
    #expect(lines.contains(messages.plainNoteDeleted("2:255", "một hai", "u")))
    #expect(lines.contains(messages.plainNoteChanged("2:255")))
    #expect(lines.last == messages.plainWhichFoundNote("d", 2))
    // After a search without hits the list is no longer used.
    _ = try read("n/ba", "n/zzzz", "d 1")
    #expect(try texts(of: "112:1") == ["ba"] && texts(of: "2:255").isEmpty)
    // A note of the list needs its number even if it is the only one.
    #expect(try read("n/ba", "e 1").last == messages.plainNewText("e 1"))
    // A number is that of a surah again.
    #expect(try read("n/ba", "n/zzzz", "3").contains(heading(3)))
    #expect(try read("n/ba", "/zzzz", "4").contains(heading(4)))
  }

  @Test func textsAreStoredAsTheyAreTyped() throws {
    _ = try read("112", "  n a  b\u{200E}c")
    #expect(try texts(of: "112:1") == ["a  b\u{200E}c"])
  }

  @Test func truncatedAndInvalidLinesAreReported() throws {
    let output = Output()
    var lines = [InputLine.text("112"), .truncated, .notUTF8][...]
    var reader = PlainReader(
      edition: .bundled, messages: messages, console: output.console(isTerminal: true),
      library: PlainLibrary(path: path, now: { 5 }), opening: nil,
      files: FileTransfer(now: { 5 }), now: { 5 })
    try reader.run { lines.popFirst() }
    #expect(output.text.contains("cut off its end"))
    #expect(output.text.contains(messages.textIsNotUTF8))
  }

  @Test func notesAreSearched() throws {
    _ = try read("112", "n Đọc mỗi tối", "2:255", "n mỗi sáng")
    let lines = try read("n/moi", "2", "n/xyzzyq", "n/", "n/-moi")
    #expect(lines.contains(messages.noteCount(2)))
    #expect(lines.contains("1. 2:255  mỗi sáng") && lines.contains("2. 112:1  Đọc mỗi tối"))
    #expect(lines.contains { $0.hasPrefix("112:1  ") })
    #expect(
      lines.suffix(3) == [
        messages.noHits("xyzzyq", similar: nil), messages.plainEmptySearch("n/"),
        messages.nothingToSearchFor,
      ])
  }

  @Test func progressIsMarkedAndPrinted() throws {
    let lines = try read("r", "w", "18:55", "r", "r", "p", "w", "u", "p")
    #expect(lines.prefix(2) == [messages.openAyahFirst, messages.openAyahFirst])
    #expect(lines.contains(messages.markedRead("18:55", "u")))
    #expect(lines.contains(messages.alreadyRead("18:55")))
    #expect(lines.contains("The book: 55 of 6236 ayahs, 0 %"))
    #expect(lines.contains(messages.progressIs("Al-Kahf", 50)))
    #expect(
      lines.contains { $0.hasPrefix("18:55, Al-Kahf · ") && $0.contains("juz 15, hizb 30, page") })
    #expect(lines.contains(messages.progressIs("Al-Kahf", 0)), "undone")
  }

  @Test func anUnreadableLibraryIsReportedAndTextIsShown() throws {
    try FileManager.default.createDirectory(
      atPath: home.path + "/data/library.sqlite", withIntermediateDirectories: true)
    let lines = try read("112:1", "f")
    #expect(try lines.contains(shown("112:1")))
    #expect(lines.last?.contains("cannot be read") == true)
  }
}
