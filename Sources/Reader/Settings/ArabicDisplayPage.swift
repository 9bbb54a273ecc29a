import Editions
import Library
import Messages
import Quran
import Terminal
import Text

// The page that asks how to show Arabic in this terminal.
extension Model {
  /// Opens the page. Its samples need the Arabic text, which is loaded if it is installed.
  mutating func openArabicDisplay() -> [Effect] {
    overlay = .arabicDisplay
    return arabicSampleEdition == nil ? [.texts(.load(.arabic))] : []
  }

  mutating func handleArabicDisplay(_ key: Key) {
    if let choice = keys.action(for: key, in: .arabicDisplay) {
      overlay = nil
      chooseArabic(choice)
    } else if keys.action(for: key) == .quit {
      overlay = nil
    }
  }

  /// Chooses how Arabic is shown in this kind of terminal, unless the configuration file says it.
  ///
  /// - Parameter choice: The choice; nil to go by what is known about the terminal.
  mutating func chooseArabic(_ choice: ArabicChoice?) {
    guard settings.arabic.configured == nil else {
      showMessage(messages.arabicIsConfigured(settings.arabic))
      return
    }
    settings.arabic.chosen = choice
    let key = settings.arabic.key
    libraryState.record { $0.device[key] = .some(choice?.rawValue) }
    parallelEditionsDidChange()
    showMessage("\(messages.settingArabicDisplay): \(messages.explain(settings.arabic))")
  }

  /// Names the key of the page in the message line, once in the life of a library, when Arabic ayahs
  /// are shown without the user having chosen how.
  mutating func offerArabicDisplay() {
    guard libraryState.isOpen, settings.arabic.configured == nil, settings.arabic.chosen == nil,
      libraryState.shown.device[DeviceKey.arabicDisplayOffered] == nil
    else { return }
    showMessage(messages.arabicDisplayOffer(key(.arabicDisplay)))
    libraryState.record { $0.device[DeviceKey.arabicDisplayOffered] = .some("1") }
  }

  /// How the canvas sends Arabic to the terminal. The page shows what the terminal makes of both
  /// ways, so its own reordering stays on there.
  var canvasArabic: ArabicDisplay {
    overlay == .arabicDisplay ? .terminal : settings.arabicDisplay ?? .shaped
  }

  private var arabicSampleEdition: Edition? {
    edition.info.isHafs ? edition : texts.shown.loaded[.arabic]
  }

  func drawArabicDisplay(on canvas: inout Canvas) {
    for row in 0..<size.rows {
      canvas.fill(row: row, columns: 0..<size.columns, style: theme[.text])
    }
    canvas.cursor = nil
    canvas.put(messages.arabicDisplayTitle, row: 0, column: 1, style: theme[.title])
    var row = 2
    // Small screens have no blank rows.
    let gap = size.rows >= 16 ? 1 : 0
    func put(_ text: String, _ role: TextRole) {
      for line in wrapped(text, width: size.columns - 4) where row < size.rows - 1 {
        canvas.put(line, row: row, column: 2, style: theme[role])
        row += 1
      }
      row += gap
    }
    put(messages.arabicDisplayQuestion, .text)
    let ayah = arabicSampleEdition?.text(of: .first)
    let sample = (ayah ?? SurahNumber.all[0].surah.arabicName).sanitizedLine
    let width = min(sample.columns, size.columns - 7)
    for (choice, display) in [(ArabicChoice.terminal, ArabicDisplay.terminal), (.shaped, .shaped)]
    where row < size.rows - 1 {
      canvas.put(key(choice, in: .arabicDisplay), row: row, column: 2, style: theme[.number])
      canvas.put(
        sample, row: row, column: 5, style: theme[.text], width: width,
        direction: .rightToLeft, display: display)
      row += 1 + gap
    }
    put("\(key(.off, in: .arabicDisplay))  \(messages.name(of: ArabicChoice.off))", .text)
    put("\(messages.settingArabicDisplay): \(messages.explain(settings.arabic))", .faint)
    if settings.arabic.configured != nil {
      put(messages.arabicIsConfigured(settings.arabic), .message)
    }
    let hint = messages.arabicDisplayHint(
      keys: ArabicChoice.allCases.map { key($0, in: .arabicDisplay) }.joined(separator: " "),
      close: key(.close, in: .overlay))
    canvas.put(
      hint.fitted(to: statusWidth - 2), row: size.rows - 1, column: 1, style: theme[.faint])
  }
}
