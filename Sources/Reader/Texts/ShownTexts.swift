import Editions
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
  /// The ID of the text that is compared with the one that is read; nil for none.
  var comparedID: String?
  /// The companions that are loaded.
  var loaded: [Companion: Edition] = [:]
  /// The companion that the user asked for and that is still being loaded.
  var awaited: Companion?
}

extension Model {
  /// The texts on the page, at least one: the Arabic text, the text that is read, and the text that is
  /// compared with it. Texts written from right to left come first.
  var shownEditions: [Edition] {
    let others = otherEditions
    var editions = others
    if texts.shown.showsTranslation || others.isEmpty {
      editions.insert(edition, at: others.first?.info.direction == .rightToLeft ? 1 : 0)
    }
    return editions.filter { $0.info.direction == .rightToLeft }
      + editions.filter { $0.info.direction == .leftToRight }
  }

  /// The texts that are shown beside the one that is read.
  private var otherEditions: [Edition] {
    let shown = texts.shown
    let arabic = shown.showsArabic ? shown.loaded[.arabic] : nil
    let compared = shown.comparedID.flatMap { shown.loaded[.text($0)] }
    let hasArabic = settings.machine.arabicDisplay != nil
    return [arabic, compared].compactMap { $0 }.filter {
      $0.info.id != edition.info.id && (hasArabic || $0.info.direction == .leftToRight)
    }
  }

  // MARK: Keys

  /// Shows or hides the Arabic text.
  mutating func toggleArabic() -> [Effect] {
    guard settings.machine.arabicDisplay != nil else {
      showMessage(messages.arabicIsOff)
      return []
    }
    guard edition.info.kind != .original else {
      showMessage(messages.textIsReadAlready)
      return []
    }
    guard !texts.shown.showsArabic else {
      setShowsArabic(false)
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
    othersDidChange()
    showMessage(isOn ? messages.arabicShown : messages.arabicHidden)
  }

  /// Lays the page out again after a companion was added or removed. If none is left, the text that
  /// is read is shown even if it was hidden.
  private mutating func othersDidChange() {
    if otherEditions.isEmpty, !texts.shown.showsTranslation { setShowsTranslation(true) }
    typeset()
  }

  private mutating func setShowsTranslation(_ isOn: Bool) {
    texts.shown.showsTranslation = isOn
    record(isOn ? "0" : "1", for: DeviceKey.translationHidden)
  }

  /// Shows or hides the text that is read while others are shown.
  mutating func toggleTranslation() {
    guard !otherEditions.isEmpty else {
      showMessage(messages.onlyTextShown(arabic: key(.arabic)))
      return
    }
    setShowsTranslation(!texts.shown.showsTranslation)
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
    let isOn = texts.shown.isSideBySide
    showMessage(
      !isOn
        ? messages.textsStacked
        : typesetter.isInColumns ? messages.textsSideBySide : messages.noRoomForColumns)
  }

  /// Compares with a text, or stops comparing with it.
  mutating func compare(with item: InstalledEditions.Item) -> [Effect] {
    guard item.id != edition.info.id else {
      showMessage(messages.textIsReadAlready)
      return []
    }
    // The Arabic has a key of its own.
    if (try? item.info.get())?.kind == .original { return toggleArabic() }
    guard item.id != texts.shown.comparedID else {
      setCompared(nil)
      return []
    }
    texts.shown.awaited = .text(item.id)
    return [.texts(.load(.text(item.id)))]
  }

  private mutating func setCompared(_ edition: Edition?) {
    chooseCompared(edition?.info.id)
    othersDidChange()
    showMessage(
      edition.map { messages.textCompared(messages.title(of: $0.info), columns: key(.columns)) }
        ?? messages.textNotCompared)
  }

  private mutating func chooseCompared(_ id: String?) {
    texts.shown.comparedID = id
    record(id ?? "", for: DeviceKey.comparedText)
  }

  /// Stops comparing with a text that is now the one that is read, or that was removed.
  mutating func checkCompared() {
    guard let id = texts.shown.comparedID,
      id == edition.info.id || texts.items?.contains(where: { $0.id == id }) == false
    else { return }
    chooseCompared(nil)
    texts.shown.loaded[.text(id)] = nil
    othersDidChange()
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
    texts.shown.showsTranslation = device[DeviceKey.translationHidden] != "1"
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
