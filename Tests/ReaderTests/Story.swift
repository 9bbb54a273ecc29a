import Editions
import Foundation
import Library
import Quran
import Reader
import Terminal
import Testing
import Words

/// A reader at the keyboard: presses keys, looks at the screen.
///
///     var story = Story(.medium)
///     story.press("g2:255<Enter>")
///     story.screen.contains("255")
struct Story {
  private(set) var model: Model
  private(set) var effects: [Effect] = []
  /// Milliseconds of the story's own clock.
  var time = 0

  init(
    _ size: Size, language: Language = .vietnamese, state: SavedState = SavedState(),
    opening ayah: AyahID? = nil, isIndexed: Bool = true
  ) {
    model = Model(
      edition: .bundled, words: Words(language), size: size, state: state, opening: ayah)
    if isIndexed { model.indexed(Self.index) }
  }

  static let index = SearchIndex(.bundled)

  /// Presses keys: characters as they stand, others by name in angle brackets.
  mutating func press(_ keys: String) {
    var rest = Substring(keys)
    while let first = rest.first {
      if first == "<", let end = rest.firstIndex(of: ">"),
        let key = Self.named(rest[..<end].dropFirst())
      {
        send(.key(key))
        rest = rest[rest.index(after: end)...]
      } else {
        // A terminal sends scalars, not clusters.
        for scalar in first.unicodeScalars { send(.key(.character(Character(scalar)))) }
        rest = rest.dropFirst()
      }
    }
  }

  mutating func press(_ keys: String, times: Int) {
    for _ in 0..<times { press(keys) }
  }

  mutating func send(_ event: Event) {
    effects += model.update(event, at: time)
  }

  /// The search index becomes ready.
  mutating func index() { model.indexed(Self.index) }

  mutating func resize(_ size: Size) {
    send(.resized(size))
  }

  var canvas: Canvas { model.view() }
  var screen: String { canvas.text }
  var rows: [String] { (0..<canvas.size.rows).map { canvas.text(row: $0) } }

  private static func named(_ name: Substring) -> Key? {
    if name.hasPrefix("C-"), let letter = name.dropFirst(2).first { return .control(letter) }
    let names: [Substring: Key.Code] = [
      "Enter": .enter, "Esc": .escape, "Tab": .tab, "BS": .backspace, "Up": .up, "Down": .down,
      "Left": .left, "Right": .right, "PgUp": .pageUp, "PgDn": .pageDown, "Home": .home,
      "End": .end, "Del": .delete,
    ]
    return names[name].map { Key($0) }
  }
}

extension Size {
  static let small = Size(rows: 12, columns: 40)
  static let medium = Size(rows: 24, columns: 80)
  static let large = Size(rows: 40, columns: 120)
}

extension AyahID {
  init(_ text: StaticString) { self.init("\(text)")! }
}
