import Terminal
import Text

/// A line of text being typed, kept in NFC however the terminal sends it.
struct TextField: Hashable {
  /// Text before the cursor.
  private(set) var head = ""
  /// Text from the cursor on.
  private(set) var tail = ""

  /// More than a search or a path can need; a pasted book is cut here.
  static let limit = 1000

  init(_ text: String = "") { head = text.nfc }

  var text: String { (head + tail).nfc }
  var isEmpty: Bool { head.isEmpty && tail.isEmpty }

  /// Puts text in at the cursor, on one line and without control characters.
  mutating func insert(_ text: String) {
    head = String((head + text.displayableLine).nfc.prefix(Self.limit))
  }

  /// Takes a key; false where it is none of the field's.
  mutating func handle(_ key: Key) -> Bool {
    switch (key.code, key.modifiers) {
    case (.character(let character), []), (.character(let character), .shift):
      // A mark joins the letter before it; alone at the start it has none.
      head = String((head + String(character)).nfc.prefix(Self.limit))
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
      head = ""
    case (.character("k"), .control):
      tail = ""
    case (.character("w"), .control), (.backspace, .alt):
      while head.last == " " { head.removeLast() }
      while let last = head.last, last != " " { head.removeLast() }
    default:
      return false
    }
    return true
  }
}
