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

  private func driver(_ size: Size = .medium, offersTexts: Bool = false) throws -> ReaderDriver {
    try ReaderDriver(size, language: .english, offersTexts: offersTexts)
  }

  /// A driver on the screen of texts, with nothing installed.
  private func onScreen(_ size: Size = .medium) throws -> ReaderDriver {
    var driver = try driver(size)
    driver.press("8")
    driver.texts(.done(nil, try InstalledTexts().reading()))
    return driver
  }

  private func selected(_ driver: ReaderDriver) -> String? { driver.model.selectedText?.id }

  // MARK: The screen

  @Test func textsAreListedWhenTheScreenIsOpened() throws {
    var driver = try driver()
    driver.press("8")
    #expect(driver.textRequests == [.list] && driver.screen.contains("loading"))
    driver.texts(.done(nil, both.reading("vi.quranvi")))
    #expect(driver.model.texts.rows.map(\.id) == ["vi.quranvi", "vi.own", "vi.rwwad", "vi.hassan"])
    #expect(driver.screen.contains("3 texts") && driver.screen.contains("not installed"))
    #expect(driver.rows.contains { $0.contains("● Bundled rendering") })
    // The list is requested again: another process may have changed the texts.
    driver.press("18")
    #expect(driver.textRequests == [.list])
  }

  @Test(arguments: ["<C-p>the texts<Enter>", ":text<Enter>", "7<C-p>texts<Enter>"])
  func paletteAndCommandLineOpenTheScreen(_ keys: String) throws {
    var driver = try driver()
    driver.press(keys)
    #expect(driver.model.tab == .texts && driver.textRequests.first == .list)
  }

  @Test func theSettingsNameTheCurrentText() throws {
    var driver = try driver()
    driver.press("7")
    #expect(driver.screen.contains("not reviewed by") && driver.screen.contains("(8)"))
  }

  @Test func theSelectionIsKeptWhenTextsAreInstalled() throws {
    var driver = try onScreen()
    driver.press("jj")
    #expect(selected(driver) == "vi.hassan")
    driver.texts(.installed("x", try InstalledTexts("vi.rwwad").reading()))
    #expect(selected(driver) == "vi.hassan")
  }

  @Test func aProblemOfTheListIsReported() throws {
    var driver = try driver()
    driver.press("8")
    driver.texts(.done(nil, both.reading(problem: "The chosen one is damaged.")))
    #expect(driver.screen.contains("The chosen one is damaged."))
    #expect(driver.model.message?.isError == true)
  }

  @Test func aLongVersionLeavesRoomForTheTitle() throws {
    var driver = try driver(.small)
    driver.press("8")
    driver.texts(.done(nil, try InstalledTexts("vi.long").reading()))
    #expect(driver.rows.contains { $0.contains("vi.long") && $0.contains("999…") })
  }

  // MARK: Installing

  @Test func theSelectedTranslationIsInstalled() throws {
    var driver = try onScreen()
    driver.press("jji")
    #expect(driver.textRequests == [.install([RecognisedTranslation.all[1]])])
    driver = try onScreen()
    driver.press("j<Enter>")
    #expect(driver.textRequests == [.install([RecognisedTranslation.all[0]])])
  }

  @Test func installOnAnInstalledTextInstallsAllMissingOnes() throws {
    var driver = try onScreen()
    driver.press("i")
    #expect(driver.textRequests == [.install(RecognisedTranslation.all)])
    #expect(driver.screen.contains("Downloading") && driver.screen.contains("0 %"))
    driver.press("i")
    #expect(driver.screen.contains("A download is running; d stops it"))
    #expect(driver.textRequests.count == 1)
  }

  @Test func keysWorkDuringADownload() throws {
    var driver = try onScreen()
    driver.press("i")
    driver.texts(.progress(key: "vietnamese_rwwad", done: 57, total: 228))
    #expect(driver.rows[1].contains("Rowwad") && driver.rows[1].contains("25 %"))
    // On other screens the corner shows the progress.
    driver.press("g2:255<Enter>f")
    #expect(driver.rows[23].contains("⇣ 25 %"))
    #expect(driver.model.state.ayah == AyahID("2:255"))
    driver.texts(.progress(key: "vietnamese_hassan", done: 171, total: 228))
    #expect(driver.rows[23].contains("⇣ 75 %"))
    driver.texts(.installed("Installed vi.rwwad", both.reading()))
    #expect(driver.screen.contains("Installed vi.rwwad"))
    driver.texts(.done("All done", both.reading()))
    driver.endDownload()
    #expect(!driver.screen.contains("⇣") && driver.screen.contains("All done"))
  }

  @Test func aDownloadIsStopped() throws {
    var driver = try onScreen()
    driver.press("id")
    #expect(driver.effects.contains(.stopDownload))
    #expect(driver.screen.contains("Stopping"))
    driver.texts(.refused("The download was stopped.", try InstalledTexts().reading()))
    driver.endDownload()
    #expect(driver.screen.contains("The download was stopped."))
    #expect(driver.model.texts.download == nil)
    // Progress that arrives late changes nothing.
    driver.texts(.progress(key: "vietnamese_rwwad", done: 1, total: 114))
    #expect(driver.model.texts.download == nil)
    driver.press("i")
    #expect(driver.textRequests == [.install(RecognisedTranslation.all)])
  }

  @Test func aFailedDownloadIsReported() throws {
    var driver = try onScreen()
    driver.press("i")
    driver.texts(.refused("QuranEnc.com cannot be reached.", try InstalledTexts().reading()))
    driver.endDownload()
    #expect(driver.screen.contains("cannot be reached"))
    #expect(driver.model.message?.isError == true)
    #expect(driver.rows[1].contains("1 text"))
  }

  @Test func aLongListOfFaultsIsShownAsAPage() throws {
    var driver = try onScreen()
    driver.press(":text install ~/x.txt<Enter>")
    #expect(driver.textRequests == [.installFile(path: "~/x.txt")])
    let list = (1...200).map { "7:\($0)" }.joined(separator: ", ")
    // A note that is being written is not disturbed.
    driver.press("g2:255<Enter>nabc")
    driver.texts(.done(nil, both.reading("vi.quranvi")))
    driver.texts(.refused("“x” has faults: missing \(list).", both.reading("vi.quranvi")))
    #expect(driver.model.isWriting && !driver.screen.contains("7:12,"))
    driver.press("<C-s>")
    #expect(driver.screen.contains("7:12,") && driver.model.overlay != nil)
    #expect(driver.rows[0] == " Texts")
    driver.press("q")
    #expect(driver.model.overlay == nil)
  }

  @Test func updatesNeedATextOfQuranEnc() throws {
    var driver = try onScreen()
    driver.press("U")
    #expect(driver.textRequests.isEmpty && driver.screen.contains("i installs some"))
    driver.texts(.done(nil, both.reading()))
    driver.press("U")
    #expect(driver.textRequests == [.update] && driver.model.texts.download != nil)
  }

  // MARK: Choosing and removing

  @Test func enterMakesTheSelectedTextCurrent() throws {
    var driver = try driver()
    driver.press("8")
    driver.texts(.done(nil, both.reading("vi.quranvi")))
    driver.press("j<Enter>")
    #expect(driver.textRequests == [.use("vi.own")])
    driver.texts(.done("The text that is read: vi.own", both.reading("vi.own")))
    #expect(driver.screen.contains("The text that is read: vi.own"))
    #expect(driver.model.edition.info.id == "vi.own")
    driver.press("g2:3<Enter>")
    #expect(driver.screen.contains("vi.own nói điều gì đó về câu 2:3"))
    #expect(driver.rows[23].contains("vi.own") && !driver.rows[23].contains("not reviewed"))
  }

  @Test func aTextIsRemovedAfterAQuestion() throws {
    var driver = try driver()
    driver.press("8")
    driver.texts(.done(nil, both.reading()))
    driver.press("jd")
    #expect(driver.screen.contains("Remove “vi.own” from this machine?"))
    driver.press("n")
    #expect(driver.textRequests.isEmpty && driver.model.overlay == nil)
    driver.press("dy")
    #expect(driver.textRequests == [.remove("vi.own")])
    driver.texts(.done("Removed vi.own", try InstalledTexts("vi.rwwad").reading()))
    #expect(driver.model.texts.rows.map(\.id) == ["vi.quranvi", "vi.rwwad", "vi.hassan"])
    // For the bundled text there is no question, as it cannot be removed.
    driver.press("<Home>d")
    #expect(driver.model.overlay == nil && driver.textRequests == [.remove("vi.quranvi")])
  }

  @Test func keysOfTheTextsScreenWorkOnlyThere() throws {
    var driver = try driver()
    driver.press("g2:255<Enter>")
    driver.press("d")
    #expect(driver.screen.contains("no notes"))
    driver.press("i")
    #expect(driver.model.isWriting && driver.textRequests.isEmpty)
    #expect(driver.model.texts.download == nil)
  }

  @Test func theProvenanceOfATextIsShown() throws {
    var driver = try driver(.large)
    driver.press("8")
    driver.texts(.done(nil, both.reading()))
    driver.press("jjo")
    for fact in ["Rowwad Translation Center", "QuranEnc.com", "1.0.5", "SHA-256", "Dịch bởi"] {
      #expect(driver.screen.contains(fact), "\(fact)")
    }
    driver.press("<Esc>jo")
    #expect(driver.screen.contains("This text is not installed; i installs it"))
  }

  // MARK: The command line

  @Test func textsAreChangedByCommands() throws {
    var driver = try driver()
    driver.press(":text use vi.own<Enter>:text remove vi.x<Enter>")
    #expect(driver.textRequests == [.use("vi.own"), .remove("vi.x")])
    driver = try self.driver()
    driver.press(":text install<Enter>")
    #expect(driver.textRequests == [.list, .install(RecognisedTranslation.all)])
    driver = try self.driver()
    driver.press(":text install vi.hassan<Enter>")
    #expect(driver.textRequests.last == .install([RecognisedTranslation.all[1]]))
    driver = try self.driver()
    driver.press(":text update<Enter>")
    #expect(driver.textRequests == [.list, .update])
    for line in [":text frobnicate<Enter>", ":text use<Enter>", ":text update x<Enter>"] {
      driver = try self.driver()
      driver.press(line)
      #expect(driver.screen.contains("Allowed: install"), "\(line)")
      #expect(driver.model.message?.text.hasSuffix("use ID, remove ID.") == true, "\(line)")
      #expect(driver.textRequests.isEmpty)
    }
  }

  @Test func aFileThatIsRefusedStaysOnTheLine() throws {
    let bundled = try InstalledTexts()
    let refusal = EditionReply.refused("There is no file “x”.", bundled.reading())
    var driver = try driver()
    driver.press(":text install x<Enter>")
    #expect(driver.textRequests == [.installFile(path: "x")])
    driver.texts(refusal)
    #expect(driver.rows[23] == ":text install x" && driver.screen.contains("There is no file “x”."))
    #expect(driver.model.tab == .surahs)
    // The line does not return if the user has gone on meanwhile.
    driver.press("<Esc>:text install x<Enter>j")
    driver.texts(refusal)
    #expect(driver.model.overlay == nil && driver.screen.contains("There is no file “x”."))
    // A translation may be named by its key at QuranEnc.com instead of its ID.
    let hassan = RecognisedTranslation.all[1]
    driver.press(":text install \(hassan.key)<Enter>")
    #expect(driver.textRequests.last == .install([hassan]))
  }

  @Test func commandsAndFileNamesAreCompleted() throws {
    var driver = try driver()
    driver.press(":text inst<Tab><Tab>")
    #expect(driver.rows[23].hasPrefix(":text install"))
    driver.press("<Esc>:text install ~/q<Tab>")
    #expect(driver.effects == [.listFiles("~/q")])
    driver.list(["~/quran.json"])
    #expect(driver.rows[23].hasPrefix(":text install ~/quran.json"))
    driver.press("<Enter>")
    #expect(driver.textRequests.last == .installFile(path: "~/quran.json"))
    // A command may be abbreviated.
    driver.press(":tex install ~/r<Tab>")
    #expect(driver.effects.last == .listFiles("~/r"))
  }

  // MARK: Another text

  @Test func thePlaceStaysWhenTheTextChanges() throws {
    var driver = try driver()
    driver.press("g2:250<Enter>jjj")
    let top = driver.model.pager.page(from: driver.model.position.top)[0].row[0].ayah
    driver.texts(.done(nil, both.reading()))
    #expect(driver.model.position.cursor == AyahID("2:253"))
    #expect(driver.model.pager.page(from: driver.model.position.top)[0].row[0].ayah == top)
    #expect(driver.screen.contains("vi.rwwad nói điều gì đó về câu 2:253"))
  }

  @Test(arguments: [Size.small, .medium, .large]) func theSearchUsesTheIndexOfTheNewText(
    _ size: Size
  ) throws {
    var driver = try driver(size)
    driver.press("5khoan dung")
    #expect(driver.screen.contains("hits"))
    driver.texts(.done(nil, both.reading()))
    #expect(driver.effects == [.buildIndex] && driver.screen.contains("indexing"))
    // The index of the former text comes too late.
    driver.index()
    #expect(driver.model.search.currentIndex == nil)
    driver.index(of: both.current)
    #expect(driver.screen.contains("Nothing found"))
    driver.press("<C-u>rwwad")
    // All ayahs but 2:1, where only the basmala before it has the word.
    #expect(driver.model.search.hits.count == AyahID.count - 1)
  }

  @Test func hitsOfTheFormerTextAreNotHighlighted() throws {
    var driver = try driver()
    driver.press("5khoan dung<Enter>")
    #expect(driver.model.search.highlighted != nil)
    driver.texts(.done(nil, both.reading()))
    #expect(driver.model.search.highlighted == nil)
    driver.press("n")
    #expect(driver.model.isWriting)
  }

  @Test func copiesCreditThePublisher() throws {
    var driver = try ReaderDriver(.medium, language: .english, edition: both.current)
    driver.press("g2:3<Enter>y")
    guard case .copy(let text) = driver.effects.last else {
      Issue.record("nothing was copied")
      return
    }
    #expect(
      text.hasSuffix(
        "– Quran 2:3 (Al-Baqarah), Rowwad Translation Center, QuranEnc.com, version 1.0.5"))
  }

  @Test func aBasmalaInTheTextIsAHeading() throws {
    var driver = try ReaderDriver(.medium, language: .english, edition: both.current)
    driver.press("g2:1<Enter>")
    let rows = driver.rows
    let heading = try #require(rows.firstIndex { $0.contains("Nhân danh vi.rwwad") })
    #expect(!rows[heading].contains("[1]"))
    #expect(rows.contains { $0.contains("1  ") && $0.hasSuffix("Alif Lam Mim") })
  }

  // MARK: The offer

  @Test func translationsAreOfferedOnce() throws {
    var driver = try driver(offersTexts: true)
    #expect(!driver.screen.contains("8, then i"))
    driver.find(dump: nil)
    #expect(driver.screen.contains("8, then i: recognised translations"))
    #expect(driver.screen.contains("not reviewed by scholars"))
    driver.press("j")
    #expect(!driver.screen.contains("8, then i"))
    #expect(try driver.stored().device[DeviceKey.textsOffered] == "1")
    var again = try ReaderDriver(.medium, language: .english, offersTexts: true) { library, _ in
      try library.setDeviceValues([DeviceKey.textsOffered: "1"])
    }
    again.find(dump: nil)
    #expect(!again.screen.contains("8, then i"))
    #expect(try !self.driver().screen.contains("8, then i"))
  }

  @Test func theOfferComesAfterOthersAndNotDuringInput() throws {
    var driver = try driver(offersTexts: true)
    driver.find(dump: "~/x.plist")
    #expect(driver.screen.contains("~/x.plist"))
    driver.press("j")
    #expect(driver.screen.contains("8, then i"))
    driver = try ReaderDriver(
      .medium, language: .english, opening: .first, isOpen: false, offersTexts: true)
    driver.press("g")
    try driver.open()
    driver.find(dump: nil)
    #expect(!driver.screen.contains("8, then i"))
    // The offer does not interrupt the user; it is made at the next start.
    driver.press("<Esc>jjj")
    #expect(!driver.screen.contains("8, then i"))
    #expect(try driver.stored().device[DeviceKey.textsOffered] == nil)
  }

  @Test func noOfferIfATranslationIsInstalled() throws {
    var driver = try ReaderDriver(.medium, language: .english, isOpen: false, offersTexts: true)
    driver.texts(.done(nil, both.reading()))
    try driver.open()
    driver.find(dump: nil)
    #expect(!driver.screen.contains("8, then i"))
  }

  // MARK: Footnotes

  private func reading(_ size: Size = .medium, _ id: String = "vi.rwwad") throws -> ReaderDriver {
    try ReaderDriver(size, language: .english, edition: both.edition(id))
  }

  @Test(arguments: [Size.small, .medium, .large]) func footnotesAreShownBelowTheText(
    _ size: Size
  ) throws {
    var driver = try reading(size)
    driver.press("g2:255<Enter>o")
    #expect(
      driver.screen.contains("Footnotes · 2:255") && driver.screen.contains("[2] Chú thích hai"))
    #expect(driver.model.geometry.text?.height ?? 0 > 0)
    driver.press("G")
    #expect(driver.screen.contains("[3] Chú thích ba."))
    driver.press("o")
    #expect(driver.model.overlay == nil && !driver.screen.contains("Footnotes ·"))
    #expect(driver.model.state.ayah == AyahID("2:255"))
    // A short footnote takes no more room than it needs.
    driver.press("g1:1<Enter>o")
    #expect(driver.model.geometry.note?.height == 2)
    driver.press("]")
    #expect(driver.model.overlay == nil && driver.model.state.ayah == AyahID("2:1"))
  }

  @Test func keysInTheFootnotesPerformTheActionsOfTheText() throws {
    var driver = try reading()
    driver.press("g2:255<Enter>oc")
    #expect(driver.model.pane == .text && driver.screen.contains("There is one text on the page"))
    driver.press("on")
    #expect(driver.model.isWriting)
  }

  @Test func footnotesFollowTheSizeAndTheText() throws {
    var driver = try reading()
    driver.press("g2:255<Enter>o")
    driver.resize(.small)
    #expect(driver.screen.contains("Footnotes · 2:255"))
    driver.resize(Size(rows: 3, columns: 10))
    driver.resize(.large)
    #expect(driver.screen.contains("[3] Chú thích ba."))
    driver.send(.mouse(Mouse(.wheelDown, row: 30, column: 60)))
    #expect(driver.screen.contains("Footnotes · 2:255"))
    driver.texts(.done(nil, both.reading("vi.own")))
    #expect(driver.model.overlay == nil)
  }

  @Test func missingFootnotesAreReportedWithTheReason() throws {
    var driver = try reading()
    driver.press("g2:3<Enter>o")
    #expect(driver.screen.contains("This ayah has no footnotes."))
    driver.press("g2:256<Enter>o")
    #expect(driver.screen.contains("came without its footnotes; Alt-8, then"))
    #expect(driver.model.overlay == nil)
    driver = try self.driver()
    driver.press("o")
    #expect(driver.screen.contains("Open an ayah first"))
  }

  @Test func footnoteMarksWithoutFootnotesAreDim() throws {
    var driver = try reading()
    driver.press("t")
    func style(_ text: String) throws -> Style {
      let row = try #require(driver.rows.firstIndex { $0.contains(text) })
      let line = driver.rows[row]
      let range = try #require(line.range(of: text))
      return driver.canvas.style(row: row, column: String(line[..<range.lowerBound]).columns)
    }
    driver.press("g2:255<Enter>")
    #expect(try style("[2]") == driver.model.theme[.footnote])
    #expect(try style("[9]") == driver.model.theme[.faint])
    #expect(try style("Đấng") == driver.model.theme[.text])
    #expect(driver.model.theme[.footnote] != driver.model.theme[.faint])
  }

  @Test func closingFootnotesReturnsToTheFavorites() throws {
    var driver = try reading()
    driver.press("g2:255<Enter>f<A-3>o")
    #expect(driver.screen.contains("Footnotes · 2:255"))
    driver.press("<Esc>")
    #expect(driver.model.tab == .favorites && driver.model.pane == .list)
  }
}
