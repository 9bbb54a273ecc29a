import Foundation
import Library
import Quran
import Terminal
import Testing

@testable import Reader

/// The hints of the last row.
@Suite struct HintTests {
  static let states = [
    "", "/yas", "2", "3", "4", "5", "5dâng", "6", "7", "8", "<Enter>", "g2:255<Enter>",
    "g2:255<Enter>o", "g2:255<Enter>Vj", "g2:255<Enter>n", "g2:255<Enter><Tab>", "2jj", "3j", "4j",
    "5khoan dung<Down><Enter>j", "7jjjjjjjjjj",
  ]

  private static func story(_ size: Size, _ keys: String, isFull: Bool) throws -> Story {
    var story = try Story(size) { library, now in
      guard isFull else { return }
      try library.commit(
        [
          .setFavorite(.first, true), .setFavorite(.last, true),
          .addNote(UUID(), try #require(AyahID("2:255")), try NoteText("một")),
          .addNote(UUID(), .last, try NoteText("hai")),
        ], at: now)
    }
    story.press(keys)
    // Offers and results lie over the hints.
    if story.model.message != nil { story.press("<Down><Up>") }
    return story
  }

  @Test func whileHitsAreMarkedTheirKeysAreNamed() throws {
    var story = try Story(.medium)
    story.press("5khoan dung<Down><Enter>jj")
    #expect(story.rows.last?.contains("n sau · N trước · Esc bỏ tô sáng") == true)
    let note = story.model.hints.first { $0.hasSuffix("ghi chú") }
    #expect(note?.hasPrefix("i ") == true)
    story.press("i")
    #expect(story.model.isWriting)
  }

  /// A message of several rows moves to the top of the text if it would cover the ayah.
  @Test func noMessageCoversTheAyahUnderTheCursor() throws {
    var story = try Story(Size(rows: 12, columns: 40))
    story.press("<Enter>Gj")
    #expect(story.model.message != nil)
    #expect(story.rows.contains { $0.hasPrefix("▌") }, "\(story.screen)")
  }

  @Test(arguments: [Size.small, .medium, .large], states)
  func eachKeyDoesSomething(size: Size, keys: String) throws {
    for isFull in [false, true] {
      let hints = try Self.story(size, keys, isFull: isFull).model.hints
      for hint in hints where hint.first?.isNumber == false {
        guard let key = Key(String(hint.prefix { $0 != " " })) else { continue }
        var story = try Self.story(size, keys, isFull: isFull)
        let before = story.model.view()
        let effects = story.effects.count
        story.send(.key(key))
        #expect(!story.screen.contains("chưa gán lệnh"), "\(hint) after \(keys)")
        #expect(
          story.model.view() != before || story.effects.count > effects,
          "\(hint) does nothing after \(keys), full: \(isFull)")
      }
    }
  }
}
