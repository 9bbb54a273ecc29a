import Editions
import Foundation
import Library
import Quran
import Reader
import Terminal
import Testing
import Words

/// Whole screens, compared with the files in Screens, which are what a person
/// should see. After a change that is meant, `RECORD_SCREENS=1` writes them anew:
/// read the difference before committing it.
@Suite struct ScreenTests {
  struct Scene: Sendable, CustomTestStringConvertible {
    let name: String
    let keys: String
    var state = SavedState()
    var opening: AyahID?
    var language = Language.vietnamese
    var isIndexed = true

    var testDescription: String { name }
  }

  static let scenes = [
    Scene(name: "library-first-start", keys: ""),
    Scene(name: "library", keys: "", state: SavedState(position: "2:45")),
    Scene(name: "library-english", keys: "j", language: .english),
    Scene(name: "library-without-arabic", keys: "a<Down>"),
    Scene(name: "library-end", keys: "G"),
    Scene(name: "library-filter", keys: "/an n"),
    Scene(name: "library-filter-empty", keys: "/xyz"),
    Scene(name: "juz", keys: "2jj"),
    Scene(name: "reading-first", keys: "<Enter>"),
    Scene(name: "reading-throne", keys: "g2:255<Enter>"),
    Scene(name: "reading-flow", keys: "g2:255<Enter>mj"),
    Scene(name: "reading-tall", keys: "g2:282<Enter>jjj"),
    Scene(name: "reading-sajda", keys: "g32:15<Enter>"),
    Scene(name: "reading-end", keys: "g114<Enter>Gj"),
    Scene(name: "reading-no-basmala", keys: "g9<Enter>"),
    Scene(name: "search-start", keys: "5"),
    Scene(name: "search-marked", keys: "5dâng"),
    Scene(name: "search-plain", keys: "5khoan dung"),
    Scene(name: "search-reference", keys: "5ya sin"),
    Scene(name: "search-nothing", keys: "5xyzzy"),
    Scene(name: "search-waiting", keys: "5dang", isIndexed: false),
    Scene(name: "search-hit", keys: "5khoan dung<Down><Enter>n"),
    Scene(name: "search-strange", keys: "5\u{64}\u{61}\u{302}\u{300}ng 👨‍👩‍👧 漢字 e\u{301}"),
    Scene(name: "goto", keys: "g2:25"),
    Scene(name: "goto-refused", keys: "g2:300<Enter>"),
    Scene(name: "palette", keys: "<C-p>"),
    Scene(name: "palette-filtered", keys: "<C-p>chep"),
    Scene(name: "help", keys: "?"),
    Scene(name: "help-end", keys: "?G"),
    Scene(name: "command-completion", keys: ":theme <Tab>"),
    Scene(name: "command-unknown", keys: ":xyz<Enter>"),
  ]

  @Test(arguments: scenes, [Size.small, .medium, .large])
  func screenIsAsDrawn(_ scene: Scene, _ size: Size) throws {
    var story = Story(
      size, language: scene.language, state: scene.state, opening: scene.opening,
      isIndexed: scene.isIndexed)
    story.press(scene.keys)
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "Screens/\(scene.name)-\(size.columns)x\(size.rows).txt")
    if ProcessInfo.processInfo.environment["RECORD_SCREENS"] != nil {
      try Data(story.screen.utf8).write(to: file)
    }
    let expected = try String(decoding: Data(contentsOf: file), as: UTF8.self)
    #expect(story.screen == expected)
  }

  @Test func everyRowFitsEverySize() {
    for columns in [1, 10, 23, 24, 39, 60, 99, 100, 131] {
      for rows in [1, 3, 5, 6, 15, 16, 45] {
        for keys in ["", "<Enter>", "5khoan dung", "?", "<C-p>", "g2:300<Enter>", "2", ":t<Tab>"] {
          var story = Story(Size(rows: rows, columns: columns))
          story.press(keys)
          let canvas = story.canvas
          #expect(canvas.size == Size(rows: rows, columns: columns))
        }
      }
    }
  }
}
