import Library
import Terminal

/// The key bindings of a part of the screen that has its own, such as a prompt or the note editor.
///
/// A context takes precedence over the screen's key table, so that a letter that is bound in
/// `config.toml` can still be typed in a text. Only the actions `interrupt`, `suspend` and
/// `redraw` come before a context; see `Model.handle(_:)`.
///
///     KeyContext.goToPrompt.action(for: Key(.enter))   // .submit
///
/// In a context in which text is typed, a key that is not bound inserts the character that it
/// types; see `Key.typedText`.
struct KeyContext<Action: Hashable & Sendable>: Sendable {
  private let bindings: [(action: Action, keys: [Key])]
  private let ignoresModifiers: Bool

  /// - Parameter ignoresModifiers: whether a key that types no character, such as Enter, performs
  ///   its action also with Shift, Alt or Ctrl, unless the key is bound with them.
  init(_ bindings: [(Action, [Key])], ignoresModifiers: Bool = false) {
    self.bindings = bindings.map { (action: $0.0, keys: $0.1) }
    self.ignoresModifiers = ignoresModifiers
  }

  /// Every key that is bound here, in the order of the table.
  var keys: [Key] { bindings.flatMap(\.keys) }

  /// Returns the action of a key; nil if the key is not bound here.
  func action(for key: Key) -> Action? {
    if let action = bindings.first(where: { $0.keys.contains(key) })?.action { return action }
    guard ignoresModifiers, key.modifiers != [] else { return nil }
    if case .character = key.code { return nil }
    return bindings.first { $0.keys.contains(Key(key.code)) }?.action
  }

  /// Returns the keys of the first binding of an action; hints show the first of them.
  func keys(for action: Action) -> [Key] { bindings.first { $0.action == action }?.keys ?? [] }
}

extension Key {
  /// The character that the key types; nil if it types none.
  var typedText: String? {
    guard case .character(let character) = code, modifiers.subtracting(.shift).isEmpty else {
      return nil
    }
    return String(character)
  }
}

// MARK: Lines and texts being typed

/// The actions of keys in a line of text that is being typed.
enum LineAction: Hashable, Sendable {
  case deleteBackward, deleteForward, deleteWord, deleteToEnd, deleteAll
  case moveLeft, moveRight, moveToStart, moveToEnd
}

extension KeyContext<LineAction> {
  /// A line that is being typed, in every prompt.
  static let line = KeyContext([
    (.deleteBackward, [Key(.backspace), .control("h")]),
    (.deleteForward, [Key(.delete), .control("d")]),
    (.deleteWord, [.control("w"), Key(.backspace, .alt)]),
    (.deleteToEnd, [.control("k")]),
    (.deleteAll, [.control("u")]),
    (.moveLeft, [Key(.left), .control("b")]),
    (.moveRight, [Key(.right), .control("f")]),
    (.moveToStart, [Key(.home), .control("a")]),
    (.moveToEnd, [Key(.end), .control("e")]),
  ])
}

/// The actions of keys in a text of several lines. A line ends at a line break; a long one is shown
/// in several rows.
enum TextAction: Hashable, Sendable {
  case moveLeft, moveRight, moveWordLeft, moveWordRight
  case moveUp, moveDown, movePageUp, movePageDown
  case moveToRowStart, moveToRowEnd, moveToStart, moveToEnd
  case insertLineBreak
  case deleteBackward, deleteForward, deleteWord, deleteToLineStart, deleteToLineEnd
  case undo, redo
}

extension KeyContext<TextAction> {
  /// The text of a note that is being written.
  static let text = KeyContext([
    (.moveLeft, [Key(.left), .control("b")]),
    (.moveRight, [Key(.right), .control("f")]),
    (.moveWordLeft, [Key(.left, .control), Key(.character("b"), .alt)]),
    (.moveWordRight, [Key(.right, .control), Key(.character("f"), .alt)]),
    (.moveUp, [Key(.up), .control("p")]),
    (.moveDown, [Key(.down), .control("n")]),
    (.movePageUp, [Key(.pageUp)]),
    (.movePageDown, [Key(.pageDown)]),
    (.moveToRowStart, [Key(.home), .control("a")]),
    (.moveToRowEnd, [Key(.end), .control("e")]),
    (.moveToStart, [Key(.home, .control)]),
    (.moveToEnd, [Key(.end, .control)]),
    (.insertLineBreak, [Key(.enter), Key(.enter, .shift)]),
    (.deleteBackward, [Key(.backspace), Key(.backspace, .shift), .control("h")]),
    (.deleteForward, [Key(.delete), .control("d")]),
    (.deleteWord, [.control("w"), Key(.backspace, .alt)]),
    (.deleteToLineStart, [.control("u")]),
    (.deleteToLineEnd, [.control("k")]),
    (.undo, [Key(.character("u"), .alt), .control("_")]),
    (.redo, [Key(.character("r"), .alt)]),
  ])
}

// MARK: Prompts

/// The actions of keys in a prompt, in addition to `LineAction`.
enum PromptAction: Hashable, Sendable {
  case submit
  /// Leaves the search screen.
  case leave
  /// Closes the prompt if nothing is typed.
  case closeIfEmpty
  case complete, completeBackward
  /// Moves in the list of the prompt. Without a list, `up` and `down` recall earlier and later
  /// lines.
  case up, down, pageUp, pageDown
  /// Selects the next or previous `SearchFilter`.
  case nextFilter, previousFilter
  /// Switches between the list of hits and the list of surahs with the number of their hits.
  case toggleGroups
}

extension KeyContext<PromptAction> {
  /// The prompt for the ayah to go to.
  static let goToPrompt = KeyContext(
    [(.submit, [Key(.enter)]), (.closeIfEmpty, [Key(.backspace)])] + historyKeys,
    ignoresModifiers: true)

  /// The command line, which `:` opens.
  static let commandLine = KeyContext(
    [
      (.submit, [Key(.enter)]),
      (.complete, [Key(.tab)]),
      (.completeBackward, [Key(.tab, .shift)]),
      (.closeIfEmpty, [Key(.backspace)]),
    ] + historyKeys, ignoresModifiers: true)

  /// A prompt above a list that shows only what matches the typed text: the filter of the surahs
  /// and the palette.
  static let listPrompt = KeyContext(
    [(.submit, [Key(.enter)]), (.closeIfEmpty, [Key(.backspace)])] + listKeys,
    ignoresModifiers: true)

  /// The search screen.
  static let search = KeyContext(
    [
      (.submit, [Key(.enter)]), (.leave, [Key(.escape)]),
      (.nextFilter, [Key(.tab)]), (.previousFilter, [Key(.tab, .shift)]),
      (.toggleGroups, [.control("g")]),
    ] + listKeys, ignoresModifiers: true)

  private static var historyKeys: [(PromptAction, [Key])] {
    [(.up, [Key(.up), .control("p")]), (.down, [Key(.down), .control("n")])]
  }

  private static var listKeys: [(PromptAction, [Key])] {
    [
      (.up, [Key(.up)]), (.down, [Key(.down)]), (.pageUp, [Key(.pageUp)]),
      (.pageDown, [Key(.pageDown)]),
    ]
  }
}

// MARK: Overlays

enum OverlayAction: Hashable, Sendable { case close }

extension KeyContext<OverlayAction> {
  /// Every overlay.
  static let overlay = KeyContext([(.close, [Key(.escape)])], ignoresModifiers: true)
}

enum EditorAction: Hashable, Sendable { case save, openExternalEditor, cancel }

extension KeyContext<EditorAction> {
  /// The editor of a note, in addition to the keys of its text (`TextAction`).
  static let editor = KeyContext(
    [
      (.save, [.control("s")]),
      (.cancel, [Key(.escape)]),
      (.openExternalEditor, [.control("o")]),
    ], ignoresModifiers: true)
}

/// An answer to the question about a note that is not saved.
enum UnsavedNoteAction: Hashable, Sendable { case save, discard }

extension KeyContext<UnsavedNoteAction> {
  /// The question about a note that is not saved. Other keys close the question and are handled by
  /// the editor, so the keys of the question must not be keys of the text.
  static let unsavedNote = KeyContext(
    [(.save, [.control("s")]), (.discard, [.control("x")])], ignoresModifiers: true)
}

enum Answer: Hashable, Sendable { case yes, no }

extension KeyContext<Answer> {
  /// A question, which is answered with the initials of yes and no in English or in Vietnamese.
  static let question = KeyContext([
    (.yes, ["y", "Y"]), (.no, ["n", "N"]), (.yes, ["c", "C"]), (.no, ["k", "K"]),
  ])

  /// The keys that a question in Vietnamese shows: the initials of có and không.
  static let vietnameseQuestion = KeyContext([(.yes, ["c", "C"]), (.no, ["k", "K"])])
}

enum CueAction: Hashable, Sendable {
  /// Jumps to the cue with this number, 1…9, or sets it if the overlay was opened for that.
  case cue(Int)
  /// Jumps to the ayah that was left last.
  case lastLeftAyah
}

extension KeyContext<CueAction> {
  /// The overlay with the nine cues, each of which is chosen by its digit.
  static let cues = KeyContext(
    zip(1...9, "123456789").map { (.cue($0), [.character($1)]) } + [(.lastLeftAyah, ["'"])])
}

extension KeyContext<ArabicMode> {
  /// The page on which the user chooses how Arabic is shown.
  static let arabicDisplay = KeyContext([(.terminal, ["1"]), (.shaped, ["2"]), (.off, ["0"])])
}

// MARK: The sync page

enum MassDeletionAction: Hashable, Sendable { case acceptDeletions, keepEverything }

extension KeyContext<MassDeletionAction> {
  /// The sync page while it asks whether to accept what another device deleted.
  static let massDeletion = KeyContext([(.acceptDeletions, ["D"]), (.keepEverything, ["K"])])
}

extension KeyContext<SyncAccount.Restoration> {
  /// The sync page while it asks which version sync uses after the library was restored.
  static let restoration = KeyContext([(.keepRestored, ["R"]), (.keepService, ["V"])])
}
