import Editions
import Messages
import Quran
import Terminal
import Testing
import Text

@testable import Reader

@Suite struct KeyContextTests {
  @Test func noKeyIsBoundTwiceInAContext() {
    let contexts: [[Key]] = [
      KeyContext.line.keys, KeyContext.text.keys, KeyContext.goToPrompt.keys,
      KeyContext.commandLine.keys, KeyContext.listPrompt.keys, KeyContext.search.keys,
      KeyContext.overlay.keys, KeyContext.editor.keys, KeyContext.question.keys,
      KeyContext.cues.keys, KeyContext.massDeletion.keys, KeyContext.restoration.keys,
      KeyContext.unsavedNote.keys,
    ]
    for keys in contexts {
      #expect(!keys.isEmpty)
      #expect(Set(keys).count == keys.count, "\(keys)")
    }
  }

  @Test func noKeyOfAnInputContextTypesText() {
    for key in KeyContext.line.keys + KeyContext.text.keys + KeyContext.editor.keys
      + KeyContext.goToPrompt.keys + KeyContext.commandLine.keys + KeyContext.listPrompt.keys
      + KeyContext.search.keys
    {
      #expect(key.typedText == nil, "\(key)")
    }
    // These keys answer the question about an unsaved note; all other keys go on editing it.
    #expect(Set(KeyContext.unsavedNote.keys).isDisjoint(with: KeyContext.text.keys))
    for key in KeyContext.unsavedNote.keys { #expect(key.typedText == nil, "\(key)") }
  }

  @Test func promptsIgnoreModifiersAndTextFieldsDoNot() {
    #expect(KeyContext.goToPrompt.action(for: Key(.enter, .alt)) == .submit)
    #expect(KeyContext.overlay.action(for: Key(.escape, .alt)) == .close)
    #expect(KeyContext.commandLine.action(for: Key(.tab, .shift)) == .completeBackward)
    #expect(KeyContext.commandLine.action(for: Key(.tab, .alt)) == .complete)
    #expect(KeyContext.line.action(for: Key(.left, .control)) == nil)
    #expect(KeyContext.text.action(for: Key(.left, .control)) == .moveWordLeft)
    #expect(KeyContext.editor.action(for: Key(.character("s"), [.control, .alt])) == nil)
  }

  /// A model with remapped keys and an open text.
  private func remapped(_ keys: [String: [String]]) -> Model {
    let (table, problems) = KeyTable.standard.remapped(keys)
    #expect(problems.isEmpty)
    return Model(
      edition: .bundled, messages: Messages(.english), size: .medium, opening: .first, keys: table)
  }

  @Test func remappedKeysDoNotInterceptTypingOrEnter() {
    var model = remapped(["theme": ["x"], "copy": ["Enter"], "quit": ["2"]])
    for key: Key in ["g", "x", "2", ":", "7"] {
      #expect(model.update(.key(key), at: 0).isEmpty)
    }
    guard case .goTo(let field) = model.overlay else {
      Issue.record("the prompt is closed")
      return
    }
    #expect(field.text == "x2:7")
    _ = model.update(.key(Key(.backspace)), at: 0)
    for _ in 0..<3 { _ = model.update(.key(Key(.backspace)), at: 0) }
    for key: Key in ["3", ":", "5"] { _ = model.update(.key(key), at: 0) }
    #expect(model.update(.key(Key(.enter)), at: 0).isEmpty)
    #expect(model.overlay == nil && model.position.cursor.description == "3:5")
  }

  @Test func globalKeysDoNotInterceptAnswers() {
    var model = remapped(["redraw": ["y", "1"]])
    model.overlay = .question(.restart(.first))
    _ = model.update(.key("y"), at: 0)
    // The answer and the cue wait for the library, which is not open yet.
    #expect(model.input.awaited == .library)
    model = remapped(["redraw": ["y", "1"]])
    model.overlay = .cues(isSetting: false)
    _ = model.update(.key("1"), at: 0)
    #expect(model.input.awaited == .library)
  }

  @Test func aTextFieldIsLimitedWhereverTextIsInserted() {
    var field = TextField()
    field.insert(String(repeating: "a", count: TextField.limit + 100))
    #expect(field.text.count == TextField.limit)
    for _ in 0..<2 {
      _ = field.handle(Key(.home))
      field.insert("b")
    }
    #expect(field.text == String(repeating: "a", count: TextField.limit))
  }

  @Test func remappedKeysDoNotAnswerQuestionsOrSetCues() {
    var model = remapped(["quit": ["y"], "copy": ["1"], "jump-to-cue": ["'"]])
    _ = model.update(.key("'"), at: 0)
    #expect(model.overlay == .cues(isSetting: false))
    // The cue and the answer wait for the library, which is not open yet.
    #expect(model.update(.key("1"), at: 0).isEmpty)
    #expect(model.input.awaited == .library)
    model.input = InputState()
    model.overlay = .question(.restart(.first))
    #expect(model.update(.key("y"), at: 0).isEmpty)
    #expect(model.overlay == .question(.restart(.first)) && model.input.awaited == .library)
  }

  @Test func keyNamesComeFromTheKeyTable() {
    let model = remapped([:])
    #expect(model.key(.save, in: .editor) == "Ctrl-s")
    #expect(model.key(.undo, in: .text) == "Alt-u")
    #expect(model.openKey == "Enter")
    #expect(remapped(["open": ["x"]]).openKey == "x")
  }
}
