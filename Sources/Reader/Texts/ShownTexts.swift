public import Editions
import Library
import Messages
import Text

/// A text that is shown beside the one that is read.
public enum Companion: Hashable, Sendable {
  /// The Arabic text.
  case arabic
  /// The installed text with this ID.
  case text(String)
}

/// Which texts are shown on the page.
struct ShownTexts {
  var showsArabic = false
  var showsTranslation = true
  /// Whether several texts are in columns instead of below each other.
  var isSideBySide = false
  /// The ID of the text to compare with; nil for none.
  var comparedID: String?
  /// The companions as far as they are loaded.
  var loaded: [Companion: Edition] = [:]
  /// The companion that a key asked for and that has not arrived.
  var awaited: Companion?
}

extension Model {
  /// The texts on the page, at least one: the Arabic, the text that is read, and the one to compare
  /// with.
  var shownEditions: [Edition] {
    let shown = texts.shown
    var editions: [Edition] = []
    func add(_ edition: Edition?) {
      guard let edition, !editions.contains(where: { $0.info.id == edition.info.id }) else {
        return
      }
      editions.append(edition)
    }
    if shown.showsArabic { add(shown.loaded[.arabic]) }
    if shown.showsTranslation || editions.isEmpty { add(edition) }
    if let id = shown.comparedID { add(shown.loaded[.text(id)]) }
    return editions
  }

  // MARK: Keys

  /// Shows or hides the Arabic text.
  mutating func toggleArabic() -> [Effect] {
    guard !texts.shown.showsArabic else {
      setShowsArabic(false)
      return []
    }
    guard settings.machine.arabicDisplay != nil else {
      showMessage(messages.arabicIsOff)
      return []
    }
    guard texts.shown.loaded[.arabic] != nil else {
      texts.shown.awaited = .arabic
      return [.texts(.load(.arabic))]
    }
    setShowsArabic(true)
    return []
  }

  private mutating func setShowsArabic(_ isOn: Bool) {
    texts.shown.showsArabic = isOn
    record(isOn ? "1" : "0", for: DeviceKey.arabicShown)
    // Without the Arabic, the text that is read is the only one.
    if !isOn { texts.shown.showsTranslation = true }
    typeset()
    showMessage(isOn ? messages.arabicShown : messages.arabicHidden)
  }

  /// Shows or hides the text that is read while the Arabic is shown.
  mutating func toggleTranslation() {
    guard shownEditions.count > 1 || !texts.shown.showsTranslation else {
      showMessage(messages.onlyTextShown(arabic: key(.arabic)))
      return
    }
    texts.shown.showsTranslation.toggle()
    typeset()
    showMessage(
      texts.shown.showsTranslation ? messages.translationShown : messages.translationHidden)
  }

  /// Puts several texts in columns or below each other.
  mutating func toggleColumns() {
    guard shownEditions.count > 1 else {
      showMessage(
        messages.nothingToCompare(
          arabic: key(.arabic), texts: key(.texts), compare: key(.compareText)))
      return
    }
    texts.shown.isSideBySide.toggle()
    record(texts.shown.isSideBySide ? "1" : "0", for: DeviceKey.textsSideBySide)
    typeset()
    showMessage(texts.shown.isSideBySide ? messages.textsSideBySide : messages.textsStacked)
  }

  /// Chooses the text to compare with, or none if it is chosen already.
  mutating func compare(with id: String) -> [Effect] {
    guard id != edition.info.id else {
      showMessage(messages.textIsReadAlready)
      return []
    }
    guard id != texts.shown.comparedID else {
      setCompared(nil)
      return []
    }
    texts.shown.awaited = .text(id)
    return [.texts(.load(.text(id)))]
  }

  private mutating func setCompared(_ edition: Edition?) {
    texts.shown.comparedID = edition?.info.id
    record(edition?.info.id ?? "", for: DeviceKey.comparedText)
    typeset()
    showMessage(
      edition.map { messages.textCompared(messages.title(of: $0.info), columns: key(.columns)) }
        ?? messages.textNotCompared)
  }

  private mutating func record(_ value: String, for key: String) {
    libraryState.record { $0.device[key] = .some(value) }
  }

  // MARK: Loading

  /// Applies what was chosen in an earlier session, and asks for the texts that it needs.
  mutating func restoreShownTexts() -> [Effect] {
    let device = libraryState.shown.device
    texts.shown.showsArabic =
      device[DeviceKey.arabicShown] == "1" && settings.machine.arabicDisplay != nil
    texts.shown.isSideBySide = device[DeviceKey.textsSideBySide] == "1"
    texts.shown.comparedID = device[DeviceKey.comparedText].flatMap { $0.isEmpty ? nil : $0 }
    return loadCompanions()
  }

  /// Asks for the companions that are shown: at the start, and after texts were installed or removed.
  func loadCompanions() -> [Effect] {
    (texts.shown.showsArabic ? [.texts(.load(.arabic))] : [])
      + (texts.shown.comparedID.map { [.texts(.load(.text($0)))] } ?? [])
  }

  /// Shows a companion that was loaded.
  ///
  /// - Parameter edition: nil if it is not installed or damaged.
  mutating func loaded(_ companion: Companion, _ edition: Edition?) {
    let isAwaited = texts.shown.awaited == companion
    if isAwaited { texts.shown.awaited = nil }
    texts.shown.loaded[companion] = edition
    switch (companion, edition) {
    case (.arabic, nil) where isAwaited:
      showMessage(messages.noArabicTextHere(key(.texts), key(.installText)))
    case (.arabic, _) where isAwaited: setShowsArabic(true)
    case (.text, nil) where isAwaited: showError(messages.textCannotBeRead)
    case (.text, let edition?) where isAwaited: setCompared(edition)
    default: typeset()
    }
  }
}
