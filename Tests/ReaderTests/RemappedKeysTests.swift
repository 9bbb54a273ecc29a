import Editions
import Messages
import Terminal
import Testing
import Text

@testable import Reader

/// Keys that the reader's configuration changed.
@Suite struct RemappedKeysTests {
  @Test func remappedKeyTypesInAPrompt() throws {
    let (keys, problems) = KeyTable.standard.remapped(["suspend": ["x"], "undo": []])
    #expect(problems.isEmpty)
    var model = Model(edition: .bundled, messages: Messages(.english), size: .medium, keys: keys)
    #expect(model.update(.key("x"), at: 0) == [.suspend])
    _ = model.update(.key("/"), at: 0)
    #expect(model.update(.key("x"), at: 0).isEmpty)
    // For an action without a key, the key of the palette is named.
    #expect(model.key(.undo) == "Ctrl-p")
  }

  @Test func emptyListsNameTheKeysThatFillThem() throws {
    let (keys, problems) = KeyTable.standard.remapped(["favorite": ["F2"], "new-note": ["F3"]])
    #expect(problems.isEmpty)
    var driver = try ReaderDriver(.medium, language: .english, keys: keys)
    driver.press("3")
    #expect(driver.screen.contains("press F2 on an ayah"))
    driver.press("4")
    #expect(driver.screen.contains("press F3 to write"))
  }
}
