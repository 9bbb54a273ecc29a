import Quran
import Terminal
import Text

/// A line that is being typed. It is in NFC, even if the terminal sends decomposed text.
struct TextField: Hashable {
  /// The text before the cursor.
  private(set) var head = ""
  /// The text after the cursor.
  private(set) var tail = ""

  /// Whether the next typed character replaces the whole text.
  var isSelected = false

  /// The beginning of the text that the key for deleting all leaves at first, because the user did
  /// not type it.
  private var stem = ""

  /// The maximum number of grapheme clusters of the text. Text inserted beyond it is cut; only the
  /// initial text can be longer.
  static let limit = 200
  /// The limit of the command line, on which a path can be typed.
  static let commandLineLimit = 4096

  init(_ text: String = "") { head = text.nfc }

  /// Creates a line that begins with a text to which the user adds something.
  init(stem: String) {
    self.init(stem)
    self.stem = head
  }

  var text: String { (head + tail).nfc }
  var isEmpty: Bool { head.isEmpty && tail.isEmpty }

  /// Inserts text at the cursor, on one line and without control characters.
  mutating func insert(_ text: String, limit: Int = Self.limit) {
    if isSelected { self = TextField() }
    let room = max(limit - tail.count, head.count)
    head = String((head + text).sanitizedLine.nfc.prefix(room))
  }

  /// Performs the action of a key, or inserts the character that it types.
  ///
  /// - Returns: false if the key does nothing in a line.
  mutating func handle(_ key: Key, limit: Int = Self.limit) -> Bool {
    if let action = KeyContext.line.action(for: key) {
      perform(action)
    } else if let text = key.typedText {
      // A combining mark joins the letter before it.
      insert(text, limit: limit)
    } else {
      return false
    }
    return true
  }

  private mutating func perform(_ action: LineAction) {
    let wasSelected = isSelected
    isSelected = false
    switch action {
    case .deleteBackward where wasSelected, .deleteForward where wasSelected: self = TextField()
    case .deleteBackward: _ = head.popLast()
    case .deleteForward: if !tail.isEmpty { tail.removeFirst() }
    case .deleteWord:
      while head.last == " " { head.removeLast() }
      while let last = head.last, last != " " { head.removeLast() }
    case .deleteToEnd: tail = ""
    case .deleteAll:
      self = text.hasPrefix(stem) && text != stem ? TextField(stem: stem) : TextField()
    case .moveLeft: if let last = head.popLast() { tail = String(last) + tail }
    case .moveRight: if !tail.isEmpty { head.append(tail.removeFirst()) }
    case .moveToStart: (head, tail) = ("", head + tail)
    case .moveToEnd: (head, tail) = (head + tail, "")
    }
  }
}

extension Model {
  func drawField(
    _ field: TextField, prompt: String, on canvas: inout Canvas, row: Int, column: Int, width: Int,
    showsCursor: Bool
  ) {
    let used = canvas.put(prompt, row: row, column: column, style: theme[.title], width: width)
    let room = max(width - used, 1)
    // The field is scrolled so that the cursor is visible.
    var first = field.head.endIndex
    var taken = 0
    while first > field.head.startIndex {
      let before = field.head.index(before: first)
      let columns = field.head[before].columns
      guard taken + columns <= room - 1 else { break }
      (first, taken) = (before, taken + columns)
    }
    let style = theme[field.isSelected ? .selection : .text]
    let start = column + used
    // The text is drawn in logical order, so that the cursor is beside the character that it
    // follows.
    canvas.put(
      field.head[first...] + field.tail, row: row, column: start, style: style, width: room,
      display: .terminal)
    if showsCursor {
      canvas.cursor = Canvas.Position(row: row, column: min(start + taken, size.columns - 1))
    }
  }
}
