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

  private func story(
    _ size: Size = .large, opening ayah: AyahID? = AyahID("2:1"), edition: Edition = .bundled,
    arabic: ArabicDisplay? = .shaped, favorites: [String] = []
  ) throws -> Story {
    try Story(size, language: .english, opening: ayah, edition: edition, arabic: arabic) {
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

  @Test(arguments: [Size.small, .medium, .large]) func notesAreFoundBesideTheText(_ size: Size)
    throws
  {
    var story = try story(size)
    story.press("/podcast")
    #expect(story.model.search.hits.isEmpty)
    #expect(story.screen.contains("2:255") && story.screen.contains("✎ Nghe podcast"))
    story.press("<Enter>")
    #expect(story.screen.contains("Nghe podcast: khoan dung"))
    #expect(story.model.position.cursor == AyahID("2:255"))
    // Esc leads back to the list of hits, and the place has not moved.
    story.press("<Esc>")
    #expect(story.model.tab == .search && story.model.pane == .list)
    #expect(story.model.place.ayah == AyahID("2:1"))
  }

  @Test func theFoundNoteIsShownFirst() throws {
    var story = try story()
    story.press("/ghi chu khac<Enter>")
    guard case .notes(let panel) = story.model.overlay else {
      Issue.record("no note is shown")
      return
    }
    #expect(panel.note?.text.text == "ghi chú khác")
  }

  @Test func notesThatChangeAreFoundAsTheyAre() throws {
    var story = try story()
    story.press("/youtube")
    #expect(story.model.search.foundNotes.isEmpty)
    story.press("<Esc>n")
    for scalar in "xem youtube".unicodeScalars {
      story.send(.key(.character(Character(scalar))))
    }
    story.press("<C-s>/")
    #expect(story.screen.contains("✎ xem youtube"))
  }

  @Test func aLibraryWithoutNotesIsNotAskedForThem() throws {
    var story = try Story(.medium)
    story.isAnswering = false
    story.press("5khoan")
    #expect(!story.requests.contains(.allNotes))
  }

  // MARK: Other texts

  @Test func otherTextsAreSearchedOnceTheSearchIsOpened() throws {
    let texts = try InstalledTexts("vi.rwwad", "ar.hafs")
    var story = try story()
    #expect(!story.hasRequestedIndexes)
    story.press("/rwwad ")
    #expect(story.hasRequestedIndexes && story.screen.contains("Nothing found"))
    story.index(others: [texts.edition("vi.rwwad"), texts.edition("ar.hafs")])
    #expect(story.model.search.hits.count == AyahID.count - 1)
    #expect(story.screen.contains("6235 in other texts") && story.screen.contains("[vi.rwwad]"))
    story.press("<Enter>")
    #expect(story.screen.contains("Found in “"))
  }

  @Test(arguments: [ArabicDisplay.shaped, .terminal, nil]) func arabicIsFoundInBothScripts(
    _ display: ArabicDisplay?
  ) throws {
    let texts = try InstalledTexts("ar.hafs")
    var story = try story(arabic: display)
    story.press("/نص")
    story.index(others: [texts.edition("ar.hafs")])
    #expect(story.model.search.hits.count == AyahID.count)
    #expect(story.screen.contains("[ar.hafs]"))
    // The reader shows no Arabic if it was switched off.
    let hasArabic = story.rows[4].unicodeScalars.contains {
      (0x620...0x6FF).contains($0.value) || (0xFB50...0xFEFF).contains($0.value)
    }
    #expect(hasArabic == (display != nil))
  }

  @Test func textsThatAreInstalledLaterAreSearched() throws {
    let texts = try InstalledTexts("vi.rwwad")
    var story = try story()
    story.press("/rwwad ")
    story.index(others: [texts.edition("vi.rwwad")])
    #expect(!story.model.search.hits.isEmpty)
    story.texts(.done(nil, texts.reading("vi.quranvi")))
    story.texts(.done(nil, AvailableTexts(items: [], current: .bundled)))
    #expect(story.model.search.others.isEmpty)
  }

  // MARK: Filters

  @Test(arguments: [Size.small, .medium]) func aFilterSaysHowMuchItLeavesOut(_ size: Size) throws {
    var story = try story(size)
    story.press("/khoan dung<Tab><Tab><Tab>")
    #expect(story.model.search.filter == .favorites && story.model.search.isEmpty)
    #expect(story.model.search.hiddenCount == 121 && story.screen.contains("outside"))
    // What no text has is not outside of the filter either.
    story.press("<C-u>zzzz")
    #expect(story.screen.contains("Nothing found for “zzzz”."))
    #expect(!story.screen.contains("outside"))
  }

  @Test func tabChoosesWhatIsSearched() throws {
    var story = try story(favorites: ["1:1", "3:31"])
    story.press("/khoan dung")
    let all = story.model.search.hits
    #expect(all.count == 119 && story.screen.contains("✎ 2"))
    story.press("<Tab>")
    #expect(story.rows[1].contains("Al-Baqarah"))
    #expect(story.model.search.hits == all.filter { $0.surah.rawValue == 2 })
    #expect(story.model.search.foundNotes.count == 1)
    story.press("<Tab>")
    #expect(story.rows[1].contains("juz 1"))
    #expect(story.model.search.hits == all.filter { $0.juz == 1 })
    story.press("<Tab>")
    #expect(story.model.search.hits.map(\.description) == ["1:1", "3:31"])
    story.press("<Tab>")
    #expect(story.model.search.hits.isEmpty && story.model.search.foundNotes.count == 2)
    story.press("<Tab>")
    #expect(story.model.search.hits == all)
    story.press("<S-Tab>")
    #expect(story.model.search.filter == .notes)
    // A search that is opened from elsewhere covers everything.
    story.press("<Esc>1/")
    story.press("<Esc>5")
    #expect(story.model.search.filter == .everything)
  }

  @Test(arguments: [Size.small, .medium, .large]) func surahsAreCounted(_ size: Size) throws {
    var story = try story(size)
    story.press("/khoan dung<C-g>")
    let groups = story.model.search.groups
    #expect(groups.map(\.count).reduce(0, +) == 119 + 2)
    #expect(groups.map(\.surah) == groups.map(\.surah).sorted())
    #expect(story.screen.contains(" hits"))
    story.press("<Down><Enter>")
    #expect(story.model.search.chosenSurah == groups[1].surah)
    #expect(
      story.model.search.hits.count + story.model.search.foundNotes.count == groups[1].count)
    // Esc leads back to the list of surahs.
    story.press("<Esc>")
    #expect(story.model.search.groups == groups)
    story.press("<C-g>")
    #expect(story.model.search.hits.count == 119)
    // And from there to all hits, before it leaves the search.
    story.press("<C-g><Esc>")
    #expect(story.model.search.hits.count == 119 && story.model.tab == .search)
    story.press("<Esc>")
    #expect(story.model.tab != .search)
  }

  @Test func aSurahIsChosenWithinTheFilter() throws {
    var story = try story(favorites: ["1:1", "2:37", "3:31"])
    story.press("/khoan dung<Tab><Tab><Tab><C-g>")
    #expect(story.model.search.groups.map(\.surah.rawValue) == [1, 2, 3])
    story.press("<Down><Enter>")
    #expect(story.model.search.hits.map(\.description) == ["2:37"])
    #expect(story.rows[1].contains("♥ · 2 · 1 hit"))
    story.press("<Tab><C-g><Down>")
    #expect(story.model.search.groups.map(\.count) == [1, 1])
    story.press("<Enter>")
    #expect(story.model.search.foundNotes.count == 1 && story.model.search.hits.isEmpty)
  }

  @Test func aDeletedNoteCanBeRestoredByTheKeyThatTheMessageNames() throws {
    var story = try story()
    story.press("/podcast<Enter>d")
    #expect(story.screen.contains("u undoes") && story.model.pane == .text)
    story.press("u")
    #expect(try story.library.noteList().count == 3)
    #expect(story.model.search.field.text == "podcast")
  }

  @Test func aNameThatMatchesByChanceIsNotSelected() throws {
    var story = try story()
    story.press("/ibrahim<C-g>")
    #expect(story.model.search.referenceRows == 1)
    #expect(story.model.lists[.search].selection == 1)
    story.press("<Enter>")
    #expect(story.model.search.chosenSurah != nil && story.model.pane == .list)
  }

  @Test func theListOfSurahsFollowsTheQuery() throws {
    var story = try story()
    story.press("/khoan<C-g> dung")
    #expect(story.model.search.isGrouped)
    #expect(story.model.search.groups.map(\.count).reduce(0, +) == 121)
    story.press("xyz")
    #expect(story.model.search.groups.isEmpty && story.screen.contains("Nothing found"))
  }
}
