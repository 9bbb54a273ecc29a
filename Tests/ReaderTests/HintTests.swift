import Editions
import Foundation
import Library
import Messages
import Quran
import Terminal
import Testing
import Text

@testable import Reader

/// The hints of the last row.
@Suite struct HintTests {
  static let keySequences = [
    "", "/yas", "2", "3", "4", "5", "5dâng", "6", "7", "8", "<Enter>", "g2:255<Enter>",
    "g2:255<Enter>o", "g2:255<Enter>Vj", "g2:255<Enter>n", "g2:255<Enter><Tab>", "2jj", "3j", "4j",
    "5khoan dung<Down><Enter>j", "7jjjjjjjjjj",
  ]

  private static func driver(_ size: Size, _ keys: String, isFull: Bool) throws -> ReaderDriver {
    var driver = try ReaderDriver(size) { library, now in
      guard isFull else { return }
      try library.commit(
        [
          .setFavorite(.first, true), .setFavorite(.last, true),
          .addNote(UUID(), try #require(AyahID("2:255")), try NoteText("một")),
          .addNote(UUID(), .last, try NoteText("hai")),
        ], at: now)
    }
    driver.press(keys)
    if keys == "8" {
      driver.texts(
        .done(nil, AvailableTexts(items: [], current: .bundled)))
    }
    // A message covers the hints until the next key.
    if driver.model.message != nil { driver.press("<Down><Up>") }
    return driver
  }

  @Test func hintsNameTheKeysForHighlightedHits() throws {
    var driver = try ReaderDriver(.medium)
    driver.press("5khoan dung<Down><Enter>jj")
    #expect(driver.rows.last?.contains("n sau · N trước · Esc bỏ tô sáng") == true)
    let note = driver.model.hints.first { $0.hasSuffix("ghi chú") }
    #expect(note?.hasPrefix("i ") == true)
    driver.press("i")
    #expect(driver.model.isWriting)
  }

  @Test(arguments: [Size.medium, Size(rows: 12, columns: 50), .small])
  func thePanelOfSeveralNotesShowsTheKeyOfTheNextOne(_ size: Size) throws {
    var driver = try ReaderDriver(size, opening: AyahID("2:255")) { library, now in
      let ayah = try #require(AyahID("2:255"))
      try library.commit(
        [
          .addNote(UUID(), ayah, try NoteText("một")), .addNote(UUID(), ayah, try NoteText("hai")),
        ], at: now)
    }
    driver.press("<Tab>")
    let hints = driver.rows.last ?? ""
    #expect(hints.hasPrefix(" Tab sau ") && hints.contains("Esc đóng"))
  }

  @Test func theHintSaysThatAnAyahGoesOnBelowThePage() throws {
    var driver = try ReaderDriver(.small, opening: AyahID("2:282"))
    var count = 0
    while driver.rows.last?.contains("j xem tiếp") == true {
      driver.press("j")
      count += 1
    }
    #expect(count > 5)
    #expect(driver.model.position.cursor == AyahID("2:282"))
    driver.press("j")
    #expect(driver.model.position.cursor == AyahID("2:283"))
  }

  /// After a jump the corner of the last row says how to return, but not in the editor.
  @Test(arguments: [Language.vietnamese, .english])
  func aNarrowScreenNamesTheKeysOfTheNoteEditor(_ language: Language) throws {
    var driver = try ReaderDriver(.small, language: language, place: AyahID("1:1"))
    driver.press("g2:255<Enter>n")
    for hint in driver.model.editorHints.prefix(2) {
      #expect(driver.rows.last?.contains(hint) == true, "\(hint)")
    }
  }

  @Test func keysWithoutAnActionAreReportedWithTheKeyOfTheHelp() throws {
    var driver = try ReaderDriver(.medium, opening: AyahID("2:255"))
    driver.press("n<A-h>")
    // In a note, the key of the help types text, so the message does not name it.
    #expect(driver.model.message?.text == "Alt-h: phím này chưa gán lệnh")
    driver.press("một<C-s><Tab>z")
    #expect(driver.model.message?.text == "z: phím này chưa gán lệnh; ? xem phím")
  }

  @Test(arguments: [Language.vietnamese, .english])
  func tabsAndLegendsAreNotCut(_ language: Language) throws {
    for columns in [24, 27, 30, 40, 44, 60, 80, 100, 120] {
      var driver = try ReaderDriver(Size(rows: 40, columns: columns), language: language)
      // On the screen of the search, digits are text, so `5` comes last.
      for tab in "12346785" {
        driver.press("\(tab)")
        let end = try #require(driver.model.tabSpans.last).columns.upperBound
        #expect(end < columns, "\(columns) columns: \(driver.rows[0])")
      }
      guard columns >= 40 else { continue }
      driver.press("<Esc>6")
      let messages = driver.model.messages
      for legend in [messages.juzLegend, messages.calendarLegend] {
        #expect(driver.screen.contains(legend), "\(columns) columns")
      }
    }
  }

  /// A message of several rows moves to the top of the text if it would cover the ayah.
  @Test func noMessageCoversTheAyahUnderTheCursor() throws {
    var driver = try ReaderDriver(Size(rows: 12, columns: 40))
    driver.press("<Enter>Gj")
    #expect(driver.model.message != nil)
    let text = Edition.bundled.text(of: driver.model.position.cursor)
    #expect(driver.rows.contains { $0.hasPrefix("▌") && $0.contains(text.prefix(10)) })
  }

  @Test(arguments: [Size.small, .medium, .large], keySequences)
  func everyHintedKeyHasAnEffect(size: Size, keys: String) throws {
    for isFull in [false, true] {
      let hints = try Self.driver(size, keys, isFull: isFull).model.hints
      for hint in hints where hint.first?.isNumber == false {
        guard let key = Key(String(hint.prefix { $0 != " " })) else { continue }
        var driver = try Self.driver(size, keys, isFull: isFull)
        let before = driver.model.view()
        let effects = driver.effects.count
        driver.send(.key(key))
        #expect(!driver.screen.contains("chưa gán lệnh"), "\(hint) after \(keys)")
        #expect(
          driver.model.view() != before || driver.effects.count > effects,
          "\(hint) does nothing after \(keys), full: \(isFull)")
      }
    }
  }
}
