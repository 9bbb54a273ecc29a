import Terminal
import Text

/// A line of text being typed, kept in NFC however the terminal sends it.
struct TextField: Hashable {
  /// Text before the cursor.
  private(set) var head = ""
  /// Text from the cursor on.
  private(set) var tail = ""

  /// Whether the whole text is replaced by what is typed next.
  var isSelected = false

  /// More than a search can need, in grapheme clusters; a pasted book is cut here.
  static let limit = 200

  init(_ text: String = "") { head = text.nfc }

  var text: String { (head + tail).nfc }
  var isEmpty: Bool { head.isEmpty && tail.isEmpty }

  /// Puts text in at the cursor, on one line and without control characters.
  mutating func insert(_ text: String) {
    if isSelected { self = TextField() }
    head = String((head + text).sanitizedLine.nfc.prefix(Self.limit))
  }

  /// Takes a key; false where it is none of the field's.
  mutating func handle(_ key: Key) -> Bool {
    let wasSelected = isSelected
    isSelected = false
    switch (key.code, key.modifiers) {
    case (.character(let character), []), (.character(let character), .shift):
      isSelected = wasSelected
      // A mark joins the letter before it.
      insert(String(character))
    case (.backspace, []) where wasSelected, (.delete, []) where wasSelected:
      self = TextField()
    case (.backspace, []), (.character("h"), .control):
      _ = head.popLast()
    case (.delete, []), (.character("d"), .control):
      if !tail.isEmpty { tail.removeFirst() }
    case (.left, []), (.character("b"), .control):
      if let last = head.popLast() { tail = String(last) + tail }
    case (.right, []), (.character("f"), .control):
      if !tail.isEmpty { head.append(tail.removeFirst()) }
    case (.home, []), (.character("a"), .control):
      (head, tail) = ("", head + tail)
    case (.end, []), (.character("e"), .control):
      (head, tail) = (head + tail, "")
    case (.character("u"), .control):
      self = TextField()
    case (.character("k"), .control):
      tail = ""
    case (.character("w"), .control), (.backspace, .alt):
      while head.last == " " { head.removeLast() }
      while let last = head.last, last != " " { head.removeLast() }
    default:
      isSelected = wasSelected
      return false
    }
    return true
  }
}
