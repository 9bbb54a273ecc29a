import Editions
import Foundation
import Library
import Messages
import Quran
import Terminal
import Testing
import Text

@testable import Reader

/// The screen of texts, and the texts that are read.
struct TextsScreenTests {
  private let both: InstalledTexts

  init() throws {
    both = try InstalledTexts("vi.rwwad", "vi.own")
  }

  private func story(_ size: Size = .medium, offersTexts: Bool = false) throws -> Story {
    try Story(size, language: .english, offersTexts: offersTexts)
  }

  /// On the screen of texts, with nothing installed.
  private func onScreen(_ size: Size = .medium) throws -> Story {
    var story = try story(size)
    story.press("8")
    story.texts(.done(nil, try InstalledTexts().reading()))
    return story
  }

  private func selected(_ story: Story) -> String? { story.model.selectedText?.id }

  // MARK: The screen

  @Test func textsAreListedWhenTheScreenIsOpened() throws {
    var story = try story()
    story.press("8")
    #expect(story.textRequests == [.list] && story.screen.contains("loading"))
    story.texts(.done(nil, both.reading("vi.quranvi")))
    #expect(story.model.texts.rows.map(\.id) == ["vi.quranvi", "vi.own", "vi.rwwad", "vi.hassan"])
    #expect(story.screen.contains("3 texts") && story.screen.contains("not installed"))
    #expect(story.rows.contains { $0.contains("● Bundled rendering") })
    // Again, as another process may have changed them.
    story.press("18")
    #expect(story.textRequests == [.list])
  }

  @Test(arguments: ["<C-p>the texts<Enter>", ":text<Enter>", "7<C-p>texts<Enter>"])
  func theScreenIsOpenedByNameToo(_ keys: String) throws {
    var story = try story()
    story.press(keys)
    #expect(story.model.tab == .texts && story.textRequests.first == .list)
  }

  @Test func theSettingsTellWhichTextIsRead() throws {
    var story = try story()
    story.press("7")
    #expect(story.screen.contains("not reviewed by") && story.screen.contains("(8)"))
  }

  @Test func theSelectionStaysWhenTextsArrive() throws {
    var story = try onScreen()
    story.press("jj")
    #expect(selected(story) == "vi.hassan")
    story.texts(.installed("x", try InstalledTexts("vi.rwwad").reading()))
    #expect(selected(story) == "vi.hassan")
  }

  @Test func aProblemOfTheListIsTold() throws {
    var story = try story()
    story.press("8")
    story.texts(.done(nil, both.reading(problem: "The chosen one is damaged.")))
    #expect(story.screen.contains("The chosen one is damaged."))
    #expect(story.model.message?.isError == true)
  }

  // MARK: Installing

  @Test func theSelectedTranslationIsInstalled() throws {
    var story = try onScreen()
    story.press("jji")
    #expect(story.textRequests == [.install([RecognisedTranslation.all[1]])])
    story = try onScreen()
    story.press("j<Enter>")
    #expect(story.textRequests == [.install([RecognisedTranslation.all[0]])])
  }

  @Test func onAnInstalledTextAllMissingOnesAreInstalled() throws {
    var story = try onScreen()
    story.press("i")
    #expect(story.textRequests == [.install(RecognisedTranslation.all)])
    #expect(story.screen.contains("Downloading") && story.screen.contains("0 %"))
    story.press("i")
    #expect(story.screen.contains("A download is running; d stops it"))
    #expect(story.textRequests.count == 1)
  }

  @Test func keysWorkDuringADownload() throws {
    var story = try onScreen()
    story.press("i")
    story.texts(.progress(key: "vietnamese_rwwad", done: 57, total: 228))
    #expect(story.rows[1].contains("Rowwad") && story.rows[1].contains("25 %"))
    // Elsewhere the corner tells of it.
    story.press("g2:255<Enter>f")
    #expect(story.rows[23].contains("⇣ 25 %"))
    #expect(story.model.state.ayah == AyahID("2:255"))
    story.texts(.progress(key: "vietnamese_hassan", done: 171, total: 228))
    #expect(story.rows[23].contains("⇣ 75 %"))
    story.texts(.installed("Installed vi.rwwad", both.reading()))
    #expect(story.screen.contains("Installed vi.rwwad"))
    story.texts(.done("All done", both.reading()))
    story.endDownload()
    #expect(!story.screen.contains("⇣") && story.screen.contains("All done"))
  }

  @Test func aDownloadIsStopped() throws {
    var story = try onScreen()
    story.press("id")
    #expect(story.effects.contains(.stopDownload))
    #expect(story.screen.contains("Stopping"))
    story.texts(.refused("The download was stopped.", try InstalledTexts().reading()))
    story.endDownload()
    #expect(story.screen.contains("The download was stopped."))
    #expect(story.model.texts.download == nil)
    // What arrives late changes nothing.
    story.texts(.progress(key: "vietnamese_rwwad", done: 1, total: 114))
    #expect(story.model.texts.download == nil)
    story.press("i")
    #expect(story.textRequests == [.install(RecognisedTranslation.all)])
  }

  @Test func aFailureIsTold() throws {
    var story = try onScreen()
    story.press("i")
    story.texts(.refused("QuranEnc.com cannot be reached.", try InstalledTexts().reading()))
    story.endDownload()
    #expect(story.screen.contains("cannot be reached"))
    #expect(story.model.message?.isError == true)
    #expect(story.rows[1].contains("1 text"))
  }

  @Test func aLongListOfFaultsIsAPage() throws {
    var story = try onScreen()
    story.press(":text install ~/x.txt<Enter>")
    #expect(story.textRequests == [.list, .installFile(path: "~/x.txt")])
    let list = (1...200).map { "7:\($0)" }.joined(separator: ", ")
    // A note that is being written is not disturbed.
    story.press("g2:255<Enter>nabc")
    story.texts(.done(nil, both.reading("vi.quranvi")))
    story.texts(.refused("“x” has faults: missing \(list).", both.reading("vi.quranvi")))
    #expect(story.model.isWriting && !story.screen.contains("7:12,"))
    story.press("<C-s>")
    #expect(story.screen.contains("7:12,") && story.model.overlay != nil)
    story.press("q")
    #expect(story.model.overlay == nil)
  }

  @Test func updatesNeedATextOfQuranEnc() throws {
    var story = try onScreen()
    story.press("U")
    #expect(story.textRequests.isEmpty && story.screen.contains("i installs some"))
    story.texts(.done(nil, both.reading()))
    story.press("U")
    #expect(story.textRequests == [.update] && story.model.texts.download != nil)
  }

  // MARK: Choosing and removing

  @Test func theSelectedTextIsRead() throws {
    var story = try story()
    story.press("8")
    story.texts(.done(nil, both.reading("vi.quranvi")))
    story.press("j<Enter>")
    #expect(story.textRequests == [.use("vi.own")])
    story.texts(.done("The text that is read: vi.own", both.reading("vi.own")))
    #expect(story.screen.contains("The text that is read: vi.own"))
    #expect(story.model.edition.info.id == "vi.own")
    story.press("g2:3<Enter>")
    #expect(story.screen.contains("vi.own nói điều gì đó về câu 2:3"))
    #expect(story.rows[23].contains("vi.own") && !story.rows[23].contains("not reviewed"))
  }

  @Test func aTextIsRemovedAfterAQuestion() throws {
    var story = try story()
    story.press("8")
    story.texts(.done(nil, both.reading()))
    story.press("jd")
    #expect(story.screen.contains("Remove “vi.own” from this machine?"))
    story.press("n")
    #expect(story.textRequests.isEmpty && story.model.overlay == nil)
    story.press("dy")
    #expect(story.textRequests == [.remove("vi.own")])
    story.texts(.done("Removed vi.own", try InstalledTexts("vi.rwwad").reading()))
    #expect(story.model.texts.rows.map(\.id) == ["vi.quranvi", "vi.rwwad", "vi.hassan"])
    // The bundled text stays, which is said without a question.
    story.press("<Home>d")
    #expect(story.model.overlay == nil && story.textRequests == [.remove("vi.quranvi")])
  }

  @Test func theKeysBelongToTheScreenOfTexts() throws {
    var story = try story()
    story.press("g2:255<Enter>")
    story.press("d")
    #expect(story.screen.contains("no notes"))
    story.press("i")
    #expect(story.model.isWriting && story.textRequests.isEmpty)
    #expect(story.model.texts.download == nil)
  }

  @Test func theProvenanceOfATextIsShown() throws {
    var story = try story(.large)
    story.press("8")
    story.texts(.done(nil, both.reading()))
    story.press("jjo")
    for fact in ["Rowwad Translation Center", "QuranEnc.com", "1.0.5", "SHA-256", "Dịch bởi"] {
      #expect(story.screen.contains(fact), "\(fact)")
    }
    story.press("<Esc>jo")
    #expect(story.screen.contains("This text is not installed; i installs it"))
  }

  // MARK: The command line

  @Test func textsAreChangedByCommands() throws {
    var story = try story()
    story.press(":text use vi.own<Enter>:text remove vi.x<Enter>")
    #expect(story.textRequests == [.use("vi.own"), .remove("vi.x")])
    story = try self.story()
    story.press(":text install<Enter>")
    #expect(story.textRequests == [.list, .install(RecognisedTranslation.all)])
    story = try self.story()
    story.press(":text install vi.hassan<Enter>")
    #expect(story.textRequests.last == .install([RecognisedTranslation.all[1]]))
    story = try self.story()
    story.press(":text update<Enter>")
    #expect(story.textRequests == [.list, .update])
    for line in [":text frobnicate<Enter>", ":text use<Enter>", ":text update x<Enter>"] {
      story = try self.story()
      story.press(line)
      #expect(story.screen.contains("Choose one of: install"), "\(line)")
      #expect(story.textRequests.isEmpty)
    }
  }

  @Test func namesAndFilesAreCompleted() throws {
    var story = try story()
    story.press(":text inst<Tab><Tab>")
    #expect(story.rows[23].hasPrefix(":text install"))
    story.press("<Esc>:text install ~/q<Tab>")
    #expect(story.effects == [.listFiles("~/q")])
    story.list(["~/quran.json"])
    #expect(story.rows[23].hasPrefix(":text install ~/quran.json"))
    story.press("<Enter>")
    #expect(story.textRequests.last == .installFile(path: "~/quran.json"))
  }

  // MARK: Another text

  @Test func thePlaceStaysWhenTheTextChanges() throws {
    var story = try story()
    story.press("g2:250<Enter>jjj")
    let top = story.model.pager.page(from: story.model.position.top)[0].row.segments[0].ayah
    story.texts(.done(nil, both.reading()))
    #expect(story.model.position.cursor == AyahID("2:253"))
    #expect(story.model.pager.page(from: story.model.position.top)[0].row.segments[0].ayah == top)
    #expect(story.screen.contains("vi.rwwad nói điều gì đó về câu 2:253"))
  }

  @Test(arguments: [Size.small, .medium, .large]) func theSearchIsThatOfTheNewText(
    _ size: Size
  ) throws {
    var story = try story(size)
    story.press("5khoan dung")
    #expect(story.screen.contains("hits"))
    story.texts(.done(nil, both.reading()))
    #expect(story.effects == [.buildIndex] && story.screen.contains("indexing"))
    // The index of the former text comes too late.
    story.index()
    #expect(story.model.search.index == nil)
    story.index(of: both.current)
    #expect(story.screen.contains("Nothing found"))
    story.press("<C-u>rwwad")
    // All ayahs but 2:1, where only the basmala before it has the word.
    #expect(story.model.search.hits.count == AyahID.count - 1)
  }

  @Test func hitsOfTheFormerTextAreNotMarked() throws {
    var story = try story()
    story.press("5khoan dung<Enter>")
    #expect(story.model.search.highlighted != nil)
    story.texts(.done(nil, both.reading()))
    #expect(story.model.search.highlighted == nil)
    story.press("n")
    #expect(story.model.isWriting)
  }

  @Test func copiesCreditThePublisher() throws {
    var story = try Story(.medium, language: .english, edition: both.current)
    story.press("g2:3<Enter>y")
    guard case .copy(let text) = story.effects.last else {
      Issue.record("nothing was copied")
      return
    }
    #expect(
      text.hasSuffix(
        "– Quran 2:3 (Al-Baqarah), Rowwad Translation Center, QuranEnc.com, version 1.0.5"))
  }

  @Test func aBasmalaInTheTextIsAHeading() throws {
    var story = try Story(.medium, language: .english, edition: both.current)
    story.press("g2:1<Enter>")
    let rows = story.rows
    let heading = try #require(rows.firstIndex { $0.contains("Nhân danh vi.rwwad") })
    #expect(!rows[heading].contains("[1]"))
    #expect(rows.contains { $0.contains("1  ") && $0.hasSuffix("Alif Lam Mim") })
  }

  // MARK: The offer

  @Test func translationsAreOfferedOnce() throws {
    var story = try story(offersTexts: true)
    #expect(!story.screen.contains("8, then i, installs"))
    story.find(dump: nil)
    #expect(story.screen.contains("8, then i, installs"))
    #expect(story.screen.contains("not reviewed by scholars"))
    story.press("j")
    #expect(!story.screen.contains("8, then i"))
    #expect(try story.stored().device[DeviceKey.textsOffered] == "1")
    var again = try Story(.medium, language: .english, offersTexts: true) { library, _ in
      try library.setDeviceValues([DeviceKey.textsOffered: "1"])
    }
    again.find(dump: nil)
    #expect(!again.screen.contains("8, then i"))
    #expect(try !self.story().screen.contains("8, then i"))
  }

  @Test func theOfferWaitsForOthersAndForRoom() throws {
    var story = try story(offersTexts: true)
    story.find(dump: "~/x.plist")
    #expect(story.screen.contains("~/x.plist"))
    story.press("j")
    #expect(story.screen.contains("8, then i"))
    story = try Story(
      .medium, language: .english, opening: .first, isOpen: false, offersTexts: true)
    story.press("g")
    try story.open()
    story.find(dump: nil)
    #expect(!story.screen.contains("8, then i"))
    // Who is doing something is not disturbed; the next start offers them.
    story.press("<Esc>jjj")
    #expect(!story.screen.contains("8, then i"))
    #expect(try story.stored().device[DeviceKey.textsOffered] == nil)
  }

  @Test func whoHasInstalledOneIsNotOfferedIt() throws {
    var story = try Story(.medium, language: .english, isOpen: false, offersTexts: true)
    story.texts(.done(nil, both.reading()))
    try story.open()
    story.find(dump: nil)
    #expect(!story.screen.contains("8, then i"))
  }

  // MARK: Footnotes

  private func reading(_ size: Size = .medium, _ id: String = "vi.rwwad") throws -> Story {
    try Story(size, language: .english, edition: both.edition(id))
  }

  @Test(arguments: [Size.small, .medium, .large]) func footnotesAreShownBelowTheText(
    _ size: Size
  ) throws {
    var story = try reading(size)
    story.press("g2:255<Enter>o")
    #expect(
      story.screen.contains("Footnotes · 2:255") && story.screen.contains("[2] Chú thích hai"))
    #expect(story.model.geometry.text?.height ?? 0 > 0)
    story.press("G")
    #expect(story.screen.contains("[3] Chú thích ba."))
    story.press("o")
    #expect(story.model.overlay == nil && !story.screen.contains("Footnotes ·"))
    #expect(story.model.state.ayah == AyahID("2:255"))
    // A short footnote takes no more room than it needs.
    story.press("g1:1<Enter>o")
    #expect(story.model.geometry.note?.height == 2)
    story.press("]")
    #expect(story.model.overlay == nil && story.model.state.ayah == AyahID("2:1"))
  }

  @Test func footnotesFollowTheSizeAndTheText() throws {
    var story = try reading()
    story.press("g2:255<Enter>o")
    story.resize(.small)
    #expect(story.screen.contains("Footnotes · 2:255"))
    story.resize(Size(rows: 3, columns: 10))
    story.resize(.large)
    #expect(story.screen.contains("[3] Chú thích ba."))
    story.send(.mouse(Mouse(.wheelDown, row: 30, column: 60)))
    #expect(story.screen.contains("Footnotes · 2:255"))
    story.texts(.done(nil, both.reading("vi.own")))
    #expect(story.model.overlay == nil)
  }

  @Test func withoutFootnotesTheReasonIsTold() throws {
    var story = try reading()
    story.press("g2:3<Enter>o")
    #expect(story.screen.contains("This ayah has no footnotes."))
    story.press("g2:256<Enter>o")
    #expect(story.screen.contains("came without its footnotes; Alt-8, then"))
    #expect(story.model.overlay == nil)
    story = try self.story()
    story.press("o")
    #expect(story.screen.contains("Open an ayah first"))
  }

  @Test func marksAreDimWhereNoFootnotesBelongToThem() throws {
    var story = try reading()
    story.press("t")
    func style(_ text: String) throws -> Style {
      let row = try #require(story.rows.firstIndex { $0.contains(text) })
      let line = story.rows[row]
      let range = try #require(line.range(of: text))
      return story.canvas.style(row: row, column: String(line[..<range.lowerBound]).columns)
    }
    story.press("g2:255<Enter>")
    #expect(try style("[2]") == story.model.theme[.footnote])
    #expect(try style("[9]") == story.model.theme[.faint])
    #expect(try style("Đấng") == story.model.theme[.text])
    #expect(story.model.theme[.footnote] != story.model.theme[.faint])
  }

  @Test func aFootnoteOfAFavouriteReturnsToTheList() throws {
    var story = try reading()
    story.press("g2:255<Enter>f<A-3>o")
    #expect(story.screen.contains("Footnotes · 2:255"))
    story.press("<Esc>")
    #expect(story.model.tab == .favorites && story.model.pane == .list)
  }
}
