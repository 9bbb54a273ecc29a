import Foundation
import Library
import Messages
import Quran
import Terminal
import TestSupport
import Testing
import Text

@testable import Reader

/// A fake in which every property list contains a favourite, progress and a setting.
func importing(report: [String] = ["x.plist: 3"]) -> FileExchange {
  { request, library, messages, _ in
    do throws(LibraryFailure) {
      let library = try library.get()
      switch request {
      case .exportFile(let path, _): return .exported("Exported to \(path)")
      case .importFile(let path):
        guard path.hasSuffix(".plist"), let surah = SurahNumber(2) else {
          return .refused("There is no file “\(path)”.")
        }
        let commit = try library.commit(
          [
            .setFavorite(.first, true), .advance(surah, to: 45),
            .set(SettingKey.theme.rawValue, "\"dark\""),
          ], at: 1)
        return .imported(
          commit, summary: "Imported", report: report, try library.snapshot())
      }
    } catch {
      return .refused(messages.explain(error))
    }
  }
}

/// Import and export, as the reader shows them.
struct ImportingTests {
  private func driver(
    _ size: Size = .medium, fill: (Library, Int64) throws -> Void = { _, _ in }
  ) throws -> ReaderDriver {
    var driver = try ReaderDriver(size, language: .english, fill: fill)
    driver.files = importing()
    return driver
  }

  // MARK: Importing

  @Test func aRefusedImportStaysOnTheCommandLine() throws {
    var driver = try driver()
    driver.press(":import nope<Enter>")
    #expect(driver.model.overlay == .command(TextField("import nope"), nil))
    #expect(driver.screen.contains("There is no file “nope”."))
    driver.press("<C-u>import x.plist<Enter>")
    #expect(driver.screen.contains("Imported – u undoes"))
  }

  @Test func aRefusedExportKeepsItsSelection() throws {
    var driver = try ReaderDriver(.medium, language: .english, opening: AyahID("112:1"))
    driver.files = { request, _, _, _ in
      guard case .exportFile(let path, let ayahs) = request, path != "a.md" else {
        return .refused("exists")
      }
      return .exported(ayahs?.reference ?? "everything")
    }
    driver.press("Vj:export a.md<Enter>")
    #expect(driver.model.overlay == .command(TextField("export a.md"), nil))
    driver.press("<C-u>export b.md<Enter>")
    #expect(driver.model.message?.text == "112:1-2")
    #expect(driver.model.selection == nil)
  }

  @Test func importIsShownAndUndone() throws {
    var driver = try driver()
    driver.press(":import x.plist<Enter>")
    #expect(driver.screen.contains("Imported – u undoes") && driver.screen.contains("x.plist: 3"))
    #expect(driver.model.state.theme == "dark")
    driver.press("<Esc>")
    #expect(driver.rows[1].contains("Continue  ▸ 2:45"))
    #expect(driver.model.libraryState.favorites.map(\.ayah) == [.first])
    driver.press("u")
    #expect(driver.model.libraryState.favorites.isEmpty)
    #expect(driver.screen.contains("Undone"))
    driver.press("<C-r>")
    #expect(driver.model.libraryState.favorites.map(\.ayah) == [.first])
  }

  @Test func undoWorksWhileTheReportIsOpen() throws {
    var driver = try driver()
    driver.press(":import x.plist<Enter>u")
    #expect(driver.model.overlay == nil && driver.model.libraryState.favorites.isEmpty)
  }

  @Test func undoOnAReportWithoutChangesUndoesNothing() throws {
    var driver = try driver()
    driver.press(":import x.plist<Enter><Esc>:import x.plist<Enter>")
    #expect(driver.screen.contains("Imported") && !driver.screen.contains("undoes"))
    driver.press("u")
    #expect(driver.model.libraryState.favorites.map(\.ayah) == [.first])
    #expect(driver.model.overlay != nil)
  }

  @Test func undoRestoresThePlace() throws {
    var driver = try driver()
    driver.press(":import x.plist<Enter><Esc>u")
    #expect(driver.rows[1].contains("Start  ▸ 1:1"))
    #expect(try driver.stored().device[DeviceKey.position] == nil)
  }

  @Test func importKeepsThePlaceOfReading() throws {
    var driver = try driver()
    driver.press("g36:12<Enter>:import x.plist<Enter><Esc>")
    #expect(driver.model.state.ayah == AyahID("36:12"))
  }

  @Test func importedFavoritesAreFoundAtOnce() throws {
    var driver = try driver()
    driver.isAnswering = false
    driver.press(":import x.plist<Enter>5khoan dung<Tab><Tab><Tab>")
    #expect(driver.model.search.filter == .favorites && driver.model.search.hits.isEmpty)
    driver.answer()
    #expect(driver.model.search.hits == [.first])
  }

  @Test func aLongPathIsNotCut() throws {
    let folder = "~/\(String(repeating: "a", count: 250))/"
    var driver = try driver()
    driver.press(":import ")
    driver.send(.paste(folder + "x.plist"))
    driver.press("<Enter>")
    #expect(driver.screen.contains("Imported"))
    driver.press("<Esc>:import ~/<Tab>")
    driver.list([folder])
    driver.press("x.plist<Enter>")
    #expect(driver.screen.contains("Imported"))
  }

  @Test func missingFileIsReported() throws {
    var driver = try driver()
    driver.press(":import nothing<Enter>")
    #expect(driver.screen.contains("There is no file “nothing”."))
    #expect(driver.model.message?.isError == true)
  }

  @Test func commandWithoutAFileStaysOpen() throws {
    var driver = try driver()
    for line in [":import<Enter>", ":import <Enter>", ":export<Enter>", "I<Enter>"] {
      driver.press(line)
      #expect(driver.screen.contains("Type the name of a file"), "\(line)")
      guard case .command = driver.model.overlay else {
        Issue.record("\(line): the line is gone")
        return
      }
      driver.press("<Esc>")
    }
    #expect(driver.effects.isEmpty)
  }

  @Test func progressBarIsShownWhileImporting() throws {
    var driver = try driver()
    driver.isAnswering = false
    driver.press(":import x.plist<Enter>")
    #expect(driver.screen.contains("Importing x.plist"))
    driver.file(.working("▓▓▓░░ 60 %"))
    #expect(driver.screen.contains("▓▓▓░░ 60 %"))
    // While a note is written, only a message appears; the report follows after saving.
    driver.press("g2:255<Enter>nabc")
    driver.answer()
    #expect(driver.screen.contains("abc") && driver.model.isWriting)
    #expect(driver.screen.contains("Imported – u undoes"))
    driver.isAnswering = true
    driver.press("<C-s>")
    #expect(driver.screen.contains("x.plist: 3"))
  }

  @Test func reportWaitsUntilHelpIsClosed() throws {
    var driver = try driver()
    driver.isAnswering = false
    driver.press(":import x.plist<Enter>?")
    driver.answer()
    #expect(!driver.screen.contains("x.plist: 3"))
    driver.press("q")
    #expect(driver.screen.contains("x.plist: 3"))
    driver.press("q")
    #expect(driver.model.overlay == nil)
  }

  @Test func readOnlyLibraryRefusesImports() throws {
    var driver = try driver()
    driver.receive(.noticed(.unchangeable(.readOnly)))
    driver.press(":import x.plist<Enter>")
    #expect(driver.model.message?.isError == true && driver.model.libraryState.favorites.isEmpty)
  }

  @Test func exportIsReported() throws {
    var driver = try driver()
    driver.press(":export ~/my notes.md<Enter>")
    #expect(driver.screen.contains("Exported to ~/my notes.md"))
  }

  // MARK: Completion

  @Test func tabCompletesFileNames() throws {
    var driver = try driver()
    driver.press(":im ~/D<Tab>")
    #expect(driver.effects == [.listFiles("~/D")])
    driver.press("<Esc>:import ~/D<Tab>")
    #expect(driver.effects == [.listFiles("~/D"), .listFiles("~/D")])
    driver.list(["~/Documents/", "~/Downloads/"])
    #expect(driver.rows[23].hasPrefix(":import ~/Do"))
    #expect(driver.screen.contains("~/Documents/  ~/Downloads/"))
    driver.press("<Tab><Tab>")
    #expect(driver.rows[23].hasPrefix(":import ~/Downloads/"))
    // Typing begins another completion.
    driver.press("a<Tab>")
    #expect(driver.effects.last == .listFiles("~/Downloads/a"))
    driver.list(["~/Downloads/a b.plist"])
    driver.press("<Enter>")
    #expect(driver.screen.contains("Imported"))
  }

  @Test func unmatchedFileNameIsReportedAndTheLineStays() throws {
    var driver = try driver()
    driver.press(":import q<Tab>")
    driver.list([])
    #expect(driver.screen.contains("No file begins like that") && driver.rows[23] == ":import q")
  }

  @Test func lateFileNamesAreIgnored() throws {
    var driver = try driver()
    driver.press(":import a<Tab>b")
    driver.list(["abc"])
    #expect(driver.rows[23] == ":import ab")
    driver.press("<Esc>")
    driver.list(["abc"])
    #expect(driver.model.overlay == nil)
  }

  // MARK: The offer

  @Test func foundDumpIsOfferedOnce() throws {
    var driver = try driver()
    #expect(driver.isLookingForDump)
    driver.find(dump: "~/Downloads/x.plist")
    #expect(
      driver.screen.contains("I, then Enter, imports the older app's data: ~/Downloads/x.plist"))
    driver.press("j")
    #expect(!driver.screen.contains("x.plist"))
    #expect(try driver.stored().device[DeviceKey.importOffered] == "1")
    // The path is offered by the key for the rest of the session.
    driver.press("I")
    #expect(driver.rows[23] == ":import ~/Downloads/x.plist")
    driver.press("<Enter>")
    #expect(driver.screen.contains("Imported"))
  }

  @Test func offeredDumpIsNotSearchedForAgain() throws {
    let driver = try driver { library, _ in
      try library.setDeviceValues([DeviceKey.importOffered: "1"])
    }
    #expect(!driver.isLookingForDump)
    var other = driver
    other.find(dump: "x.plist")
    #expect(!other.screen.contains("x.plist"))
  }

  @Test func draftIsOfferedBeforeADump() throws {
    var driver = try driver { library, now in
      try library.save(
        Draft(id: UUID(), noteID: UUID(), ayah: .first, base: nil, text: "abc", changedAt: now))
    }
    driver.find(dump: "x.plist")
    #expect(!driver.screen.contains("x.plist"))
    driver.press("j")
    #expect(!driver.screen.contains("x.plist"))
    driver.press("j")
    #expect(driver.screen.contains("x.plist"))
  }

  @Test func offerWaitsUntilThePromptIsClosed() throws {
    var driver = try driver()
    driver.press("g")
    driver.find(dump: "x.plist")
    #expect(!driver.screen.contains("x.plist"))
    driver.press("2:255<Enter>")
    #expect(driver.screen.contains("x.plist"))
  }
}
