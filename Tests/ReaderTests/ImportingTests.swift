import Foundation
import Library
import Messages
import Quran
import Terminal
import TestSupport
import Testing
import Text

@testable import Reader

extension FileExchange {
  /// A place where every file holds a favourite, a note and some progress.
  static func importing(report: [String] = ["x.plist: 3"]) -> FileExchange {
    FileExchange { request, library, messages, _ in
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
            ImportedFile(
              commit: commit, summary: "Imported", report: report,
              snapshot: try library.snapshot()))
        }
      } catch {
        return .refused(messages.explain(error))
      }
    }
  }
}

/// What comes from files and goes to them, on the screen.
struct ImportingTests {
  private func story(
    _ size: Size = .medium, fill: (Library, Int64) throws -> Void = { _, _ in }
  ) throws -> Story {
    try Story(size, language: .english, files: .importing(), fill: fill)
  }

  // MARK: Importing

  @Test func aRefusedLineStaysOpenForCorrection() throws {
    var story = try story()
    story.press(":import nope<Enter>")
    #expect(story.model.overlay == .command(TextField("import nope"), nil))
    #expect(story.screen.contains("There is no file “nope”."))
    story.press("<C-u>import x.plist<Enter>")
    #expect(story.screen.contains("Imported – u undoes"))
  }

  @Test func aRefusedExportKeepsItsSelection() throws {
    var story = try Story(
      .medium, language: .english, opening: AyahID("112:1"),
      files: FileExchange { request, _, _, _ in
        guard case .exportFile(let path, let ayahs) = request, path != "a.md" else {
          return .refused("exists")
        }
        return .exported(ayahs?.reference ?? "everything")
      })
    story.press("Vj:export a.md<Enter>")
    #expect(story.model.overlay == .command(TextField("export a.md"), nil))
    story.press("<C-u>export b.md<Enter>")
    #expect(story.model.message?.text == "112:1-2")
    #expect(story.model.selection == nil)
  }

  @Test func importIsShownAndUndone() throws {
    var story = try story()
    story.press(":import x.plist<Enter>")
    #expect(story.screen.contains("Imported – u undoes") && story.screen.contains("x.plist: 3"))
    #expect(story.model.state.theme == "dark")
    story.press("<Esc>")
    #expect(story.rows[1].contains("Continue  ▸ 2:45"))
    #expect(story.model.libraryState.favorites.map(\.ayah) == [.first])
    story.press("u")
    #expect(story.model.libraryState.favorites.isEmpty)
    #expect(story.screen.contains("Undone"))
    story.press("<C-r>")
    #expect(story.model.libraryState.favorites.map(\.ayah) == [.first])
  }

  @Test func undoWorksOnTheReport() throws {
    var story = try story()
    story.press(":import x.plist<Enter>u")
    #expect(story.model.overlay == nil && story.model.libraryState.favorites.isEmpty)
  }

  @Test func undoOnAReportWithoutChangesUndoesNothing() throws {
    var story = try story()
    story.press(":import x.plist<Enter><Esc>:import x.plist<Enter>")
    #expect(story.screen.contains("Imported") && !story.screen.contains("undoes"))
    story.press("u")
    #expect(story.model.libraryState.favorites.map(\.ayah) == [.first])
    #expect(story.model.overlay != nil)
  }

  @Test func undoRestoresThePlace() throws {
    var story = try story()
    story.press(":import x.plist<Enter><Esc>u")
    #expect(story.rows[1].contains("Start  ▸ 1:1"))
    #expect(try story.stored().device[DeviceKey.position] == nil)
  }

  @Test func importKeepsThePlaceOfReading() throws {
    var story = try story()
    story.press("g36:12<Enter>:import x.plist<Enter><Esc>")
    #expect(story.model.state.ayah == AyahID("36:12"))
  }

  @Test func missingFileIsNamed() throws {
    var story = try story()
    story.press(":import nothing<Enter>")
    #expect(story.screen.contains("There is no file “nothing”."))
    #expect(story.model.message?.isError == true)
  }

  @Test func commandWithoutAFileStaysOpen() throws {
    var story = try story()
    for line in [":import<Enter>", ":import <Enter>", ":export<Enter>", "I<Enter>"] {
      story.press(line)
      #expect(story.screen.contains("Type the name of a file"), "\(line)")
      guard case .command = story.model.overlay else {
        Issue.record("\(line): the line is gone")
        return
      }
      story.press("<Esc>")
    }
    #expect(story.effects.isEmpty)
  }

  @Test func progressBarIsShownWhileImporting() throws {
    var story = try story()
    story.isAnswering = false
    story.press(":import x.plist<Enter>")
    #expect(story.screen.contains("Importing x.plist"))
    story.file(.working("▓▓▓░░ 60 %"))
    #expect(story.screen.contains("▓▓▓░░ 60 %"))
    // Who writes meanwhile is not disturbed, and told of all of it afterwards.
    story.press("g2:255<Enter>nabc")
    story.answer()
    #expect(story.screen.contains("abc") && story.model.isWriting)
    #expect(story.screen.contains("Imported – u undoes"))
    story.isAnswering = true
    story.press("<C-s>")
    #expect(story.screen.contains("x.plist: 3"))
  }

  @Test func reportWaitsUntilHelpIsClosed() throws {
    var story = try story()
    story.isAnswering = false
    story.press(":import x.plist<Enter>?")
    story.answer()
    #expect(!story.screen.contains("x.plist: 3"))
    story.press("q")
    #expect(story.screen.contains("x.plist: 3"))
    story.press("q")
    #expect(story.model.overlay == nil)
  }

  @Test func readOnlyLibraryRefusesImports() throws {
    var story = try story()
    story.receive(.noticed(.unchangeable(.readOnly)))
    story.press(":import x.plist<Enter>")
    #expect(story.model.message?.isError == true && story.model.libraryState.favorites.isEmpty)
  }

  @Test func exportIsReported() throws {
    var story = try story()
    story.press(":export ~/my notes.md<Enter>")
    #expect(story.screen.contains("Exported to ~/my notes.md"))
  }

  // MARK: Completion

  @Test func tabCompletesFileNames() throws {
    var story = try story()
    story.press(":im ~/D<Tab>")
    #expect(story.effects == [.listFiles("~/D")])
    story.press("<Esc>:import ~/D<Tab>")
    #expect(story.effects == [.listFiles("~/D"), .listFiles("~/D")])
    story.list(["~/Documents/", "~/Downloads/"])
    #expect(story.rows[23].hasPrefix(":import ~/Do"))
    #expect(story.screen.contains("~/Documents/  ~/Downloads/"))
    story.press("<Tab><Tab>")
    #expect(story.rows[23].hasPrefix(":import ~/Downloads/"))
    // What is typed begins another search.
    story.press("a<Tab>")
    #expect(story.effects.last == .listFiles("~/Downloads/a"))
    story.list(["~/Downloads/a b.plist"])
    story.press("<Enter>")
    #expect(story.screen.contains("Imported"))
  }

  @Test func unmatchedFileNameIsReportedAndTheLineStays() throws {
    var story = try story()
    story.press(":import q<Tab>")
    story.list([])
    #expect(story.screen.contains("No file begins like that") && story.rows[23] == ":import q")
  }

  @Test func lateFileNamesAreIgnored() throws {
    var story = try story()
    story.press(":import a<Tab>b")
    story.list(["abc"])
    #expect(story.rows[23] == ":import ab")
    story.press("<Esc>")
    story.list(["abc"])
    #expect(story.model.overlay == nil)
  }

  // MARK: The offer

  @Test func foundDumpIsOfferedOnce() throws {
    var story = try story()
    #expect(story.isLookingForDump)
    story.find(dump: "~/Downloads/x.plist")
    #expect(
      story.screen.contains("I, then Enter, imports data of the older app: ~/Downloads/x.plist"))
    story.press("j")
    #expect(!story.screen.contains("x.plist"))
    #expect(try story.stored().device[DeviceKey.importOffered] == "1")
    // It is at hand as long as this lasts.
    story.press("I")
    #expect(story.rows[23] == ":import ~/Downloads/x.plist")
    story.press("<Enter>")
    #expect(story.screen.contains("Imported"))
  }

  @Test func offeredDumpIsNotSearchedForAgain() throws {
    let story = try story { library, _ in
      try library.setDeviceValues([DeviceKey.importOffered: "1"])
    }
    #expect(!story.isLookingForDump)
    var other = story
    other.find(dump: "x.plist")
    #expect(!other.screen.contains("x.plist"))
  }

  @Test func draftIsOfferedBeforeADump() throws {
    var story = try story { library, now in
      try library.save(
        Draft(id: UUID(), noteID: UUID(), ayah: .first, base: nil, text: "abc", changedAt: now))
    }
    story.find(dump: "x.plist")
    #expect(!story.screen.contains("x.plist"))
    story.press("j")
    #expect(!story.screen.contains("x.plist"))
    story.press("j")
    #expect(story.screen.contains("x.plist"))
  }

  @Test func offerWaitsUntilThePromptIsClosed() throws {
    var story = try story()
    story.press("g")
    story.find(dump: "x.plist")
    #expect(!story.screen.contains("x.plist"))
    story.press("2:255<Enter>")
    #expect(story.screen.contains("x.plist"))
  }
}
