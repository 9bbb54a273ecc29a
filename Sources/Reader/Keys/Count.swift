import Editions
import Messages
import Quran
import Terminal

// A number typed before a key in the text, as in vi: `5j` goes down five ayahs, `255G` to ayah 255.
extension Model {
  /// The largest count. No surah has as many ayahs.
  private static let countLimit = 999

  /// Handles a digit that begins or continues a count, or the key that takes the last one back.
  /// Only in the text: elsewhere digits open screens.
  ///
  /// - Parameter count: The count before the key; nil if there is none.
  /// - Returns: Whether the key was handled.
  mutating func readCount(_ key: Key, after count: Int?) -> Bool {
    guard pane == .text, overlay == nil, editor == nil else { return false }
    if let count, KeyContext.line.action(for: key) == .deleteBackward {
      if count >= 10 { setCount(count / 10, screen: nil) }
      return true
    }
    guard key.modifiers == [], let digit = key.typedText.flatMap({ Int($0) }),
      digit > 0 || count != nil
    else { return false }
    let actions = keys.actions(for: key)
    guard actions.allSatisfy(Tab.allCases.map(\.action).contains) else { return false }
    let count = min((count ?? 0) * 10 + digit, Self.countLimit)
    setCount(count, screen: count == digit ? actions.first : nil)
    return true
  }

  /// Sets the count, and shows the keys for it.
  ///
  /// - Parameter screen: The action of a digit that opens a screen elsewhere; nil for none.
  private mutating func setCount(_ count: Int, screen: Action?) {
    input.count = count
    showMessage(
      messages.countHint(
        count, goTo: openKey, repeated: "\(key(.down)) \(key(.nextSurah))",
        screen: screen.map { "\(key($0)) \($0.name(messages))" }))
  }

  /// Performs an action as often as the user asked for, or at the ayah with that number.
  mutating func perform(_ action: Action, count: Int) -> [Effect] {
    switch action {
    case .last, .open:
      let surah = position.cursor.surah
      open(surah.ayah(clamping: count))
      if count > surah.ayahCount {
        showMessage(messages.explain(QuranReference.Failure.noSuchAyah(surah, count)))
      }
    case .down, .up, .halfDown, .halfUp, .pageDown, .pageUp:
      let before = self
      for _ in 1...count { _ = perform(action) }
      let target = position
      guard before.isBeyondNextPage(target) else { break }
      // Nobody has read the ayahs in between.
      self = before
      recordJump(to: target.cursor)
      setPosition(target)
    case .nextSurah, .previousSurah, .nextHit, .previousHit, .jumpBack, .jumpForward:
      for _ in 1...count { _ = perform(action) }
    default:
      return perform(action)
    }
    return []
  }

  /// Whether a position is further away than the next or the previous page.
  private func isBeyondNextPage(_ target: TextPosition) -> Bool {
    let pages = [-1, 1].map { pager.scroll(position, by: $0 * pager.height).top }
    return target.top < pages[0] || target.top > pages[1]
  }
}
