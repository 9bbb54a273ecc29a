import Editions
import Library
import Messages
import Quran
import Terminal
import Text

// The page on which the user chooses how this terminal shows Arabic.
extension Model {
  /// Opens the page, and loads the Arabic text for its samples if it is installed.
  mutating func openArabicDisplay() -> [Effect] {
    overlay = .arabicDisplay
    return arabicSampleEdition == nil ? [.texts(.load(.arabic))] : []
  }

  mutating func handleArabicDisplay(_ key: Key) {
    if let mode = KeyContext.arabicDisplay.action(for: key) {
      overlay = nil
      chooseArabic(mode)
    } else if keys.action(for: key) == .quit {
      overlay = nil
    }
  }

  /// Stores how Arabic is shown in this kind of terminal. If the configuration file contains a
  /// mode, nothing is changed and a message says so.
  ///
  /// - Parameter mode: The mode; nil to let the program decide.
  mutating func chooseArabic(_ mode: ArabicMode?) {
    guard settings.arabic.configured == nil else {
      showMessage(messages.arabicIsConfigured(settings.arabic))
      return
    }
    settings.arabic.chosen = mode
    let key = settings.arabic.key
    libraryState.record { $0.device[key] = .some(mode?.rawValue) }
    parallelEditionsDidChange()
    showValue(messages.explain(settings.arabic), of: messages.settingArabicDisplay)
  }

  /// Tells the user the key that opens the page. This is done once in each library, when Arabic
  /// ayahs are shown for the first time and the user has not chosen a mode yet.
  mutating func offerArabicDisplay() {
    guard libraryState.isOpen, settings.arabic.configured == nil, settings.arabic.chosen == nil,
      libraryState.shown.device[DeviceKey.arabicDisplayOffered] == nil
    else { return }
    showMessage(messages.arabicDisplayOffer(key(.arabicDisplay)))
    libraryState.record { $0.device[DeviceKey.arabicDisplayOffered] = .some("1") }
  }

  /// How Arabic is sent to the terminal. While the page is shown, the terminal reorders text,
  /// because the first sample shows how the terminal does it.
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
    for (mode, display) in [(ArabicMode.terminal, ArabicDisplay.terminal), (.shaped, .shaped)]
    where row < size.rows - 1 {
      canvas.put(key(mode, in: .arabicDisplay), row: row, column: 2, style: theme[.number])
      canvas.put(
        sample, row: row, column: 5, style: theme[.text], width: width,
        direction: .rightToLeft, display: display)
      row += 1 + gap
    }
    put("\(key(.off, in: .arabicDisplay))  \(messages.name(of: ArabicMode.off))", .text)
    put("\(messages.settingArabicDisplay): \(messages.explain(settings.arabic))", .faint)
    if settings.arabic.configured != nil {
      put(messages.arabicIsConfigured(settings.arabic), .message)
    }
    let hint = messages.arabicDisplayHint(
      keys: ArabicMode.allCases.map { key($0, in: .arabicDisplay) }.joined(separator: " "),
      close: key(.close, in: .overlay))
    canvas.put(
      hint.fitted(to: statusWidth - 2), row: size.rows - 1, column: 1, style: theme[.faint])
  }
}
