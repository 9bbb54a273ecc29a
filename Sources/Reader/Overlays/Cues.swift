import Library
import Messages
import Quran
import Terminal
import Text

extension Model {
  mutating func handleCues(_ key: Key, isSetting: Bool) {
    guard let action = KeyContext.cues.action(for: key) else {
      if keys.action(for: key) == .quit { overlay = nil }
      return
    }
    guard case .cue(let number) = action else {
      guard !isSetting else { return }
      overlay = nil
      if let ayah = jumps.lastLeftAyah {
        open(ayah)
      } else {
        showMessage(messages.noAyahToJumpBackTo)
      }
      return
    }
    overlay = nil
    if isSetting {
      guard let ayah = targetAyah else {
        showMessage(messages.openAyahFirst)
        return
      }
      guard canChange() else { return }
      libraryState.record { $0.device[DeviceKey.cue(number)] = .some(ayah.description) }
      showMessage(messages.cueSet(number, "\(ayah)"))
    } else if let ayah = libraryState.shown.cue(number) {
      search.highlighted = nil
      open(ayah)
    } else if hasContents() {
      showMessage(messages.noCue(number, self.key(.setCue)))
    }
  }

  func cueHints(isSetting: Bool) -> [String] {
    let cues = "\(key(.cue(1), in: .cues))–\(key(.cue(9), in: .cues))"
    guard !isSetting else { return ["\(cues) \(messages.hintSetCue)", closeHint] }
    let back = jumps.lastLeftAyah.map {
      "\(key(.lastLeftAyah, in: .cues)) \(messages.hintLastLeftAyah("\($0)"))"
    }
    return ["\(cues) \(messages.hintJumpToCue)", closeHint] + (back.map { [$0] } ?? [])
  }

  /// Draws the nine cues with their ayahs.
  func drawCues(isSetting: Bool, on canvas: inout Canvas) {
    let height = min(9, max(size.rows - 3, 1))
    let width = min(size.columns - 4, 44)
    let box = Geometry.Area(
      row: max((size.rows - height - 2) / 2, 0) + 1, column: max((size.columns - width) / 2, 0),
      height: height, width: width)
    var title = "\(isSetting ? messages.setCueTitle : messages.cuesTitle) 1–9"
    if !isSetting, let last = jumps.lastLeftAyah {
      title += " · \(key(.lastLeftAyah, in: .cues)) \(last)"
    }
    drawFrame(title, rows: box.row..<(box.row + height), box, on: &canvas)
    for number in 1...height {
      let row = box.row + number - 1
      canvas.put("\(number)", row: row, column: box.column + 1, style: theme[.number])
      let ayah = libraryState.shown.cue(number)
      let text = ayah.map { "\($0) \($0.surah.surah.names)" } ?? "·"
      canvas.put(
        text.fitted(to: width - 5), row: row, column: box.column + 4,
        style: theme[ayah == nil ? .faint : .text])
    }
  }
}
