import Editions
import Foundation
import Library
import Quran
import Terminal
import TestSupport
import Testing
import Text

@testable import Reader

/// Searching other texts and the notes, filters, and the list of surahs with hits.
struct SearchFilterTests {
  private static let notes: [(ayah: String, text: String)] = [
    ("2:255", "Nghe podcast: khoan dung"), ("2:255", "ghi chú khác"),
    ("30:2", "đọc lại khoan dung"),
  ]

  private func driver(
    _ size: Size = .large, opening ayah: AyahID? = AyahID("2:1"), edition: Edition = .bundled,
    arabic: ArabicDisplay? = .shaped, favorites: [String] = []
  ) throws -> ReaderDriver {
    try ReaderDriver(size, language: .english, opening: ayah, edition: edition, arabic: arabic) {
      library, time in
      for (number, note) in Self.notes.enumerated() {
        let change = Change.addNote(
          UUID(), try #require(AyahID(note.ayah)), try NoteText(note.text))
        try library.commit([change], at: time + Int64(number))
      }
      for favorite in favorites {
        try library.commit([.setFavorite(try #require(AyahID(favorite)), true)], at: time)
      }
    }
  }

  // MARK: Notes

  @Test(arguments: [Size.small, .medium, .large]) func aFoundNoteOpensAndEscReturnsToTheHits(
    _ size: Size
  )
    throws
  {
    var driver = try driver(size)
    driver.press("/podcast")
    #expect(driver.model.search.hits.isEmpty)
    #expect(driver.screen.contains("2:255") && driver.screen.contains("✎ Nghe podcast"))
    driver.press("<Enter>")
    #expect(driver.screen.contains("Nghe podcast: khoan dung"))
    #expect(driver.model.position.cursor == AyahID("2:255"))
    // Esc leads back to the list of hits, and the place has not moved.
    driver.press("<Esc>")
    #expect(driver.model.tab == .search && driver.model.pane == .list)
    #expect(driver.model.place.ayah == AyahID("2:1"))
  }

  @Test func theFoundNoteIsShownFirst() throws {
    var driver = try driver()
    driver.press("/ghi chu khac<Enter>")
    guard case .notes(let panel) = driver.model.overlay else {
      Issue.record("no note is shown")
      return
    }
    #expect(panel.note?.text.text == "ghi chú khác")
  }

  @Test(arguments: [Size.small, .medium, .large])
  func notesAreListedAfterTheClosestHits(_ size: Size) throws {
    var driver = try driver(size)
    driver.press("/khác")
    let search = driver.model.search
    let exact = try #require(search.found.exactCount)
    let others = search.hits.count - exact
    try #require(exact > 0 && others > 0)
    let rows = [exact - 1, exact, exact + 1, search.rowCount - 1].map { search.row($0) }
    guard case .hit(exact - 1) = rows[0], case .note(let note) = rows[1],
      case .hit(exact) = rows[2],
      case .hit(search.hits.count - 1) = rows[3]
    else {
      Issue.record("the rows are \(rows)")
      return
    }
    #expect(note.ayah == AyahID("2:255"))
    #expect(search.row(search.rowCount) == nil)
    // The counts are shown at every width.
    let counts =
      size == .medium
      ? "\(exact) hits, \(others) with other diacritics · ✎ 1" : "\(exact) hits +\(others) ✎1"
    #expect(driver.rows[1].contains(counts))
  }

  @Test func aSelectedHitStaysSelectedWhenNotesAreListedBeforeIt() throws {
    var driver = try driver()
    driver.press("/khác" + String(repeating: "<PgDn>", count: 20))
    let selection = driver.model.lists[.search].selection
    let last = try #require(driver.model.search.hits.last)
    try driver.library.commit(
      [.addNote(UUID(), .first, try NoteText("khác"))], at: driver.time)
    driver.receive(.refreshed(try driver.library.snapshot()))
    #expect(driver.model.search.foundNotes.count == 2)
    #expect(driver.model.lists[.search].selection == selection + 1)
    #expect(driver.model.search.target(selection + 1) == last)
  }

  @Test func aSelectedNoteStaysSelectedWhenAnotherIsListedBeforeIt() throws {
    var driver = try driver()
    driver.press("/khoan dung<Tab><Tab><Tab><Tab><Down>")
    let selection = driver.model.lists[.search].selection
    #expect(driver.model.search.target(selection) == AyahID("30:2"))
    let note = Change.addNote(UUID(), .first, try NoteText("khoan dung"))
    try driver.library.commit([note], at: driver.time)
    driver.receive(.refreshed(try driver.library.snapshot()))
    #expect(driver.model.search.foundNotes.count == 3)
    #expect(
      driver.model.search.target(driver.model.lists[.search].selection) == AyahID("30:2"))
  }

  @Test func theFirstHitIsSelectedAlthoughANoteIsFoundBefore() throws {
    var driver = try ReaderDriver(.large, isIndexed: false) { library, time in
      let note = Change.addNote(UUID(), try #require(AyahID("2:7")), try NoteText("khoan dung"))
      try library.commit([note], at: time)
    }
    driver.press("5khoan dung")
    #expect(driver.model.search.hits.isEmpty && driver.model.search.foundNotes.count == 1)
    driver.index()
    #expect(driver.model.search.hits.count == 119)
    #expect(driver.model.lists[.search].selection == 0 && driver.model.lists[.search].top == 0)
  }

  @Test func aNoteKeepsItsSignIfItsStartIsCut() throws {
    var driver = try driver(.small)
    let text = String(repeating: "một hai ba bốn năm ", count: 10) + "đuôi"
    try driver.library.commit([.addNote(UUID(), .first, try NoteText(text))], at: driver.time)
    driver.receive(.refreshed(try driver.library.snapshot()))
    driver.press("/đuôi<Tab><Tab><Tab><Tab>")
    #expect(driver.rows[2].contains("✎ …") && driver.rows[2].contains("đuôi"))
  }

  @Test func aNoteDeletedFromAHitIsNotListedAnyMore() throws {
    var driver = try driver()
    driver.press("/khoan dung<Tab><Tab><Tab><Tab>")
    #expect(driver.screen.contains("✎ Nghe podcast: khoan dung"))
    driver.press("<Enter>d<Esc>")
    #expect(driver.model.tab == .search && driver.model.pane == .list)
    #expect(!driver.screen.contains("Nghe podcast"))
    #expect(driver.screen.contains("✎ đọc lại khoan dung"))
    #expect(driver.model.search.foundNotes.count == 1)
  }

  @Test func aSavedNoteIsFoundAtOnce() throws {
    var driver = try driver()
    driver.press("/youtube")
    #expect(driver.model.search.foundNotes.isEmpty)
    driver.press("<Esc>n")
    for scalar in "xem youtube".unicodeScalars {
      driver.send(.key(.character(Character(scalar))))
    }
    driver.press("<C-s>/")
    #expect(driver.screen.contains("✎ xem youtube"))
  }

  @Test func notesAreNotIndexedIfThereAreNone() throws {
    var driver = try ReaderDriver(.medium)
    driver.isAnswering = false
    driver.press("5khoan")
    #expect(!driver.hasRequestedNoteIndex)
  }

  @Test func nothingIsSuggestedBeforeTheNotesAreIndexed() throws {
    var driver = try driver()
    driver.isAnswering = false
    driver.press("/podcasz")
    #expect(driver.model.search.suggestion == nil)
    #expect(driver.screen.contains("indexing") && !driver.screen.contains("Nothing found"))
    driver.isAnswering = true
    driver.press("<C-l>")
    driver.press("<BS>t")
    #expect(driver.model.search.foundNotes.count == 1)
  }

  @Test func nothingIsSuggestedBeforeTheLibraryIsOpen() throws {
    var driver = try ReaderDriver(.medium, language: .english, isOpen: false)
    driver.press("5khoann")
    #expect(driver.model.search.suggestion == nil)
    #expect(!driver.screen.contains("Nothing found"))
    driver.receive(.unavailable(.busy))
    #expect(driver.model.search.suggestion == nil)
    #expect(!driver.screen.contains("Nothing found"))
    try driver.open()
    #expect(driver.screen.contains("Did you mean “khoan”?"))
  }

  @Test func textsAreSearchedWithoutALibrary() throws {
    var driver = try ReaderDriver(.medium, language: .english, isOpen: false)
    driver.press("5khoann")
    driver.receive(.unavailable(.newer(path: "/library.sqlite")))
    #expect(driver.screen.contains("Did you mean “khoan”?"))
  }

  @Test func anotherLookAtTheSearchKeepsTheMarkedHits() throws {
    var driver = try driver()
    driver.press("/khoan<C-g><Down><Enter><Enter>n")
    let marked = driver.model.search.highlighted
    #expect(driver.screen.contains("Hit 2 of 19"))
    driver.press("/<Esc>")
    #expect(driver.model.search.highlighted == marked)
    driver.press("n")
    #expect(driver.screen.contains("Hit 3 of 19"))
  }

  @Test func hitsStayMarkedWhenTheLastFavouriteOfThemIsRemoved() throws {
    var driver = try driver(favorites: ["2:37"])
    driver.press("/khoan<Tab><Tab><Tab><Enter>")
    let marked = try #require(driver.model.search.highlighted)
    driver.press("f")
    #expect(driver.model.search.hits.isEmpty || driver.model.search.highlighted == marked)
    driver.press("n")
    #expect(driver.screen.contains("Hit 1 of 1") && driver.model.search.highlighted == marked)
    // Other hits are marked as soon as there are some.
    for ayah in ["1:1", "2:54"] {
      _ = try driver.library.commit([.setFavorite(try #require(AyahID(ayah)), true)], at: 9)
    }
    driver.receive(.refreshed(try driver.library.snapshot()))
    #expect(driver.model.search.highlighted?.hits.map(\.description) == ["1:1", "2:54"])
    driver.press("<Esc>")
    #expect(driver.model.search.highlighted == nil)
  }

  @Test func resultsBesideTheTextAreRefreshed() throws {
    var driver = try driver(Size(rows: 40, columns: 120), favorites: ["1:1", "2:37"])
    driver.press("/khoan dung<Tab><Tab><Tab>")
    #expect(driver.model.search.hits.map(\.description) == ["1:1", "2:37"])
    driver.press("<Enter>")
    #expect(driver.model.pane == .text)
    driver.press("f")
    #expect(driver.model.search.hits.map(\.description) == ["2:37"])
    #expect(driver.model.search.highlighted?.hits.map(\.description) == ["2:37"])
  }

  @Test func theLastRowIsSelectedAfterTheLastOneIsGone() throws {
    var driver = try driver(favorites: ["1:1", "1:3", "2:37"])
    driver.press("/khoan dung<Tab><Tab><Tab><Down><Down>")
    #expect(driver.model.list.state.selection == 2)
    _ = try driver.library.commit([.setFavorite(try #require(AyahID("2:37")), false)], at: 9)
    driver.receive(.refreshed(try driver.library.snapshot()))
    #expect(driver.model.search.hits.map(\.description) == ["1:1", "1:3"])
    #expect(driver.model.list.state.selection == 1)
  }

  @Test func notesAreNotIndexedUntilTheSearchIsOpened() throws {
    var driver = try driver()
    driver.press("4")
    #expect(driver.model.search.noteIndex == nil && !driver.hasRequestedNoteIndex)
    driver.press("/")
    #expect(driver.model.search.noteIndex?.count == 3)
  }

  @Test func hitsInTheTextDoNotWaitForTheNotes() throws {
    var driver = try driver()
    driver.press("o")
    driver.isAnswering = false
    driver.receive(.refreshed(try driver.library.snapshot()))
    driver.press("/khoan dung")
    #expect(driver.hasRequestedNoteIndex)
    #expect(driver.model.search.hits.count == 119)
  }

  @Test func aNoteThatAnotherProcessChangesIsFound() throws {
    var driver = try driver()
    driver.press("/podcast")
    for (text, isFound) in [("ghi âm podcast mới", true), ("ghi âm", false)] {
      let note = try #require(
        try driver.library.allNotes().first { $0.text.text.contains("podcast") })
      try driver.library.commit(
        [.editNote(note.id, note.ayah, try NoteText(text), basedOn: note.text)], at: driver.time)
      driver.receive(.refreshed(try driver.library.snapshot()))
      #expect(driver.screen.contains("✎ \(text)") == isFound)
    }
  }

  @Test func aChangeWhileTheNotesAreIndexedIsIndexedAfterwards() throws {
    var driver = try driver()
    driver.press("/youtube")
    driver.isAnswering = false
    driver.receive(.refreshed(try driver.library.snapshot()))
    #expect(driver.hasRequestedNoteIndex)
    try driver.library.commit(
      [.addNote(UUID(), .first, try NoteText("xem youtube"))], at: driver.time)
    driver.receive(.refreshed(try driver.library.snapshot()))
    driver.answer()
    #expect(driver.hasRequestedNoteIndex)
    driver.answer()
    #expect(!driver.hasRequestedNoteIndex && driver.screen.contains("✎ xem youtube"))
  }

  // MARK: Other texts

  @Test func openingTheSearchIndexesTheOtherTexts() throws {
    let texts = try InstalledTexts("vi.rwwad", "ar.hafs")
    var driver = try driver()
    #expect(!driver.hasRequestedIndexes)
    driver.press("/rwwad ")
    #expect(driver.hasRequestedIndexes && driver.screen.contains("Nothing found"))
    driver.index(others: [texts.edition("vi.rwwad"), texts.edition("ar.hafs")])
    #expect(driver.model.search.hits.count == AyahID.count - 1)
    #expect(driver.screen.contains("6235 in other texts") && driver.screen.contains("[vi.rwwad]"))
    let title = "Rowwad Translation Center"
    driver.press("<Enter>")
    #expect(driver.screen.contains("Hit 1 of 6235 in \(title) – n next"))
    // 2:1 is the one ayah without the word.
    driver.press("N")
    #expect(driver.screen.contains("Hit 6235 of 6235 in \(title) – n next"))
  }

  /// Hits are numbered within their text. Each message takes one row, even beside both corners.
  @Test(arguments: [Size.small, .medium], [false, true])
  func hitsAreCountedInTheirText(_ size: Size, _ isSynced: Bool) throws {
    let texts = try InstalledTexts("vi.rwwad", "vi.own", "vi.third")
    var driver = try driver(size, edition: texts.edition("vi.own"))
    if isSynced { driver.sync(.done) }
    driver.index(of: texts.edition("vi.own"))
    driver.press("/alif | rwwad | third ")
    driver.index(others: [texts.edition("vi.third"), texts.edition("vi.rwwad")])
    let found = driver.model.search.found
    #expect(found.firstEditionCount == 1 && found.ayahs.count == AyahID.count)
    let expected =
      size == .small
      ? ["2:1 · 1/1 – n N Esc", "1:1 · 1/6235 [vi.third]", "1:2 · 2/6235 [vi.third]"]
      : ["Hit 1 of 1 – n", "Hit 1 of 6235 in vi.third – n", "Hit 2 of 6235 in vi.third – n"]
    for (hit, keys) in zip(expected, ["<Enter>", "n", "n"]) {
      driver.press(keys)
      #expect(driver.rows.last?.contains(hit) == true, "\(driver.rows)")
    }
    driver.press("NN")
    #expect(driver.rows.last?.contains(expected[0]) == true)
  }

  @Test func aHitIsThatOfATextOnThePage() throws {
    let texts = try InstalledTexts("vi.rwwad", "vi.own", "vi.third")
    var driver = try ReaderDriver(
      .medium, language: .english, opening: AyahID("2:3"), edition: texts.edition("vi.own"),
      parallelEditions: [.text("vi.third"): texts.edition("vi.third")],
      fill: { library, _ in
        try library.setDeviceValues([DeviceKey.comparedText: "vi.third"])
      })
    driver.index(of: texts.edition("vi.own"))
    driver.press("/rwwad | third ")
    driver.index(others: [texts.edition("vi.rwwad"), texts.edition("vi.third")])
    driver.press("<Enter>")
    #expect(driver.rows.last?.contains(" in vi.third – n") == true, "\(driver.rows)")
  }

  @Test func aHitInATextThatIsHiddenNamesIt() throws {
    let texts = try InstalledTexts("vi.rwwad", "ar.hafs")
    var driver = try ReaderDriver(
      .large, language: .english, opening: AyahID("2:3"), edition: texts.edition("vi.rwwad"),
      parallelEditions: [.arabic: texts.edition("ar.hafs")])
    driver.index(of: texts.edition("vi.rwwad"))
    driver.press("av/rwwad ")
    #expect(driver.rows.last?.contains("Rowwad Translation Center") == true)
    driver.press("<Enter>")
    #expect(driver.model.shownEditions.map(\.info.id) == ["ar.hafs"])
    #expect(driver.screen.contains("in Rowwad Translation Center – n"))
    driver.press("v/<Enter>")
    #expect(driver.screen.contains("Hit 1 of 6235 – n"))
  }

  @Test(arguments: [Size.small, .medium, .large])
  func hitsAreCreditedAtEverySize(_ size: Size) throws {
    let texts = try InstalledTexts("vi.rwwad")
    var driver = try ReaderDriver(
      size, language: .english, edition: texts.edition("vi.rwwad"))
    driver.index(of: texts.edition("vi.rwwad"))
    driver.press("5alif ")
    driver.index(others: [.bundled])
    var last: String { driver.rows.last ?? "" }
    // The first hits are those in the edition that is read.
    #expect(last.contains("Rowwad Translation Center"), "\(last)")
    let screen = driver.screen
    #expect(size == .small || screen.contains("not reviewed]"))
    driver.press("<Down>")
    #expect(last.contains(size == .small ? "not reviewed" : "Rowwad"), "\(last)")
    // The edition that is read has no hit. In two panes, the text of the page is credited.
    driver.press("<C-u>khoan ")
    #expect(last.contains(size == .large ? "Rowwad" : "not reviewed"), "\(last)")
    // Without hits, no text is shown.
    driver.press("xyz ")
    #expect(last.contains("Tab filter"), "\(last)")
  }

  /// `n` and `N` stay in the text of the last hit, even if the cursor is on a hit of another text.
  @Test func nextHitFollowsTheCursorInTheTextOfTheLastHit() throws {
    let texts = try InstalledTexts("vi.own")
    var driver = try driver()
    driver.press("/dâng | own ")
    driver.index(others: [texts.edition("vi.own")])
    driver.press("<Enter>")
    #expect(driver.model.state.position == "2:196")
    driver.press("jn")
    #expect(driver.model.state.position == "3:35")
    driver.press("kN")
    #expect(driver.model.state.position == "2:196")
    driver.press("kN")
    #expect(driver.screen.contains(" in vi.own – n"))
  }

  @Test(arguments: [ArabicDisplay.shaped, .terminal, nil])
  func arabicQueriesFindHitsEvenIfArabicIsOff(
    _ display: ArabicDisplay?
  ) throws {
    let texts = try InstalledTexts("ar.hafs")
    var driver = try driver(arabic: display)
    driver.press("/نص")
    driver.index(others: [texts.edition("ar.hafs")])
    #expect(driver.model.search.hits.count == AyahID.count)
    #expect(driver.screen.contains("[ar.hafs]"))
    // The hits show no Arabic if it is turned off.
    let hasArabic = driver.rows[4].unicodeScalars.contains {
      (0x620...0x6FF).contains($0.value) || (0xFB50...0xFEFF).contains($0.value)
    }
    #expect(hasArabic == (display != nil))
  }

  @Test func textsThatAreRemovedAreNoLongerSearched() throws {
    let texts = try InstalledTexts("vi.rwwad")
    var driver = try driver()
    driver.press("/rwwad ")
    driver.index(others: [texts.edition("vi.rwwad")])
    #expect(!driver.model.search.hits.isEmpty)
    driver.texts(.done(nil, texts.reading("vi.quranvi")))
    driver.texts(.done(nil, AvailableTexts(items: [], current: .bundled)))
    #expect(driver.model.search.otherIndexes.isEmpty)
  }

  // MARK: Filters

  @Test(arguments: [Size.small, .medium]) func aFilterReportsTheNumberOfHiddenHits(_ size: Size)
    throws
  {
    var driver = try driver(size)
    driver.press("/khoan dung<Tab><Tab><Tab>")
    #expect(driver.model.search.filter == .favorites && driver.model.search.isEmpty)
    #expect(driver.model.search.hiddenCount == 121 && driver.screen.contains("outside"))
    // A query without any hits has none outside of the filter either.
    driver.press("<C-u>zzzz")
    #expect(driver.screen.contains("Nothing found for “zzzz”."))
    #expect(!driver.screen.contains("outside"))
  }

  @Test func tabCyclesThroughTheFilters() throws {
    var driver = try driver(favorites: ["1:1", "3:31"])
    driver.press("/khoan dung")
    let all = driver.model.search.hits
    #expect(all.count == 119 && driver.screen.contains("✎ 2"))
    driver.press("<Tab>")
    #expect(driver.rows[1].contains("Al-Baqarah"))
    #expect(driver.model.search.hits == all.filter { $0.surah.rawValue == 2 })
    #expect(driver.model.search.foundNotes.count == 1)
    driver.press("<Tab>")
    #expect(driver.rows[1].contains("juz 1"))
    #expect(driver.model.search.hits == all.filter { $0.juz == 1 })
    driver.press("<Tab>")
    #expect(driver.model.search.hits.map(\.description) == ["1:1", "3:31"])
    driver.press("<Tab>")
    #expect(driver.model.search.hits.isEmpty && driver.model.search.foundNotes.count == 2)
    driver.press("<Tab>")
    #expect(driver.model.search.hits == all)
    driver.press("<S-Tab>")
    #expect(driver.model.search.filter == .notes)
    // A search that is opened from elsewhere covers everything.
    driver.press("<Esc>1/")
    driver.press("<Esc>5")
    #expect(driver.model.search.filter == .everything)
  }

  @Test(arguments: [Size.small, .medium, .large]) func hitsAreGroupedAndCountedBySurah(_ size: Size)
    throws
  {
    var driver = try driver(size)
    driver.press("/khoan dung<C-g>")
    let groups = driver.model.search.groups
    #expect(groups.map(\.count).reduce(0, +) == 119 + 2)
    #expect(groups.map(\.surah) == groups.map(\.surah).sorted())
    #expect(driver.screen.contains(" hits"))
    driver.press("<Down><Enter>")
    #expect(driver.model.search.chosenSurah == groups[1].surah)
    #expect(
      driver.model.search.hits.count + driver.model.search.foundNotes.count == groups[1].count)
    // Esc leads back to the list of surahs, and to this surah.
    driver.press("<Esc>")
    #expect(driver.model.search.groups == groups)
    #expect(driver.model.search.target(driver.model.list.state.selection) == groups[1].first)
    driver.press("<C-g>")
    #expect(driver.model.search.hits.count == 119)
    // Another surah can be listed without losing the hit that was selected.
    driver.press("<Down><Down><Down><C-g><C-g>")
    #expect(driver.model.list.state.selection == 3)
    // From the list of surahs, Esc leads to all hits before it leaves the search.
    driver.press("<C-g><Esc>")
    #expect(driver.model.search.hits.count == 119 && driver.model.tab == .search)
    driver.press("<Esc>")
    #expect(driver.model.tab != .search)
  }

  @Test func aSurahIsChosenWithinTheFilter() throws {
    var driver = try driver(favorites: ["1:1", "2:37", "3:31"])
    driver.press("/khoan dung<Tab><Tab><Tab><C-g>")
    #expect(driver.model.search.groups.map(\.surah.rawValue) == [1, 2, 3])
    driver.press("<Down><Enter>")
    #expect(driver.model.search.hits.map(\.description) == ["2:37"])
    #expect(driver.rows[1].contains("♥ · surah 2 · 1 hit"))
    driver.press("<S-Tab><S-Tab><C-g><Enter>")
    // The name of the surah is shown once, even if the filter and the list chose the same.
    #expect(driver.rows[1].components(separatedBy: "Al-Baqarah").count == 2)
    driver.press("<Esc><Esc><Tab><Tab>")
    driver.press("<Tab><C-g><Down>")
    #expect(driver.model.search.groups.map(\.count) == [1, 1])
    driver.press("<Enter>")
    #expect(driver.model.search.foundNotes.count == 1 && driver.model.search.hits.isEmpty)
  }

  @Test func undoRestoresANoteDeletedFromTheSearch() throws {
    var driver = try driver()
    driver.press("/podcast<Enter>d")
    #expect(driver.screen.contains("u undoes") && driver.model.pane == .text)
    driver.press("u")
    #expect(try driver.library.noteList().count == 3)
    #expect(driver.model.search.field.text == "podcast")
  }

  @Test func groupingSelectsAHitInsteadOfTheReference() throws {
    var driver = try driver()
    driver.press("/ibrahim<C-g>")
    #expect(driver.model.search.referenceRows == 1)
    #expect(driver.model.lists[.search].selection == 1)
    driver.press("<Enter>")
    #expect(driver.model.search.chosenSurah != nil && driver.model.pane == .list)
  }

  @Test func theGroupsFollowTheQuery() throws {
    var driver = try driver()
    driver.press("/khoan<C-g> dung")
    #expect(driver.model.search.isGrouped)
    #expect(driver.model.search.groups.map(\.count).reduce(0, +) == 121)
    driver.press("xyz")
    #expect(driver.model.search.groups.isEmpty && driver.screen.contains("Nothing found"))
  }
}
