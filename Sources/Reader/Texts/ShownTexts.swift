import Editions
import Library
import Messages
import Text

/// An edition that is shown beside the current edition.
public enum ParallelEdition: Hashable, Sendable {
  /// The original text, in Arabic.
  case arabic
  /// The installed edition with this ID.
  case text(String)
}

/// Which editions are shown on the page.
struct ShownTexts {
  /// Whether the original text is shown.
  var showsArabic = false
  /// Whether the current edition is shown. It can be hidden only while others are shown.
  var showsCurrentEdition = true
  /// Whether editions are shown side by side in columns. If not, each ayah is shown in one edition
  /// below the other.
  var isSideBySide = false
  /// The ID of the edition that is compared with the current one; nil if none is compared.
  var comparedID: String?
  /// The parallel editions that have been loaded.
  var loaded: [ParallelEdition: Edition] = [:]
  /// The parallel editions that are being loaded.
  var loading: Set<ParallelEdition> = []
  /// The parallel edition that the user asked for and that is still being loaded.
  var requested: ParallelEdition?
}

extension Model {
  /// The editions on the page, at least one: the original text, the current edition, and the
  /// edition that is compared with it. Editions written from right to left come first.
  var shownEditions: [Edition] {
    let others = parallelEditions
    var editions = others
    if texts.shown.showsCurrentEdition || others.isEmpty {
      editions.insert(edition, at: others.first?.info.direction == .rightToLeft ? 1 : 0)
    }
    return editions.filter { $0.info.direction == .rightToLeft }
      + editions.filter { $0.info.direction == .leftToRight }
  }

  /// The edition that is named in the last row and copied: the current one or, while that is
  /// hidden, a translation that is shown instead or, without one, the original text.
  var creditedEdition: Edition {
    let shown = shownEditions
    return shown.contains { $0.info.id == edition.info.id } ? edition : shown.last ?? edition
  }

  /// The editions that are shown beside the current one.
  private var parallelEditions: [Edition] {
    let shown = texts.shown
    let arabic = shown.showsArabic ? shown.loaded[.arabic] : nil
    let compared = shown.comparedID.flatMap { shown.loaded[.text($0)] }
    let hasArabic = settings.arabicDisplay != nil
    return [arabic, compared].compactMap { $0 }.filter {
      $0.info.id != edition.info.id && (hasArabic || $0.info.direction == .leftToRight)
    }
  }

  // MARK: Keys

  /// Shows or hides the original text.
  mutating func toggleArabic() -> [Effect] {
    guard settings.arabicDisplay != nil else {
      showMessage(messages.arabicIsOff(settings.arabic, choose: key(.arabicDisplay)))
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
      if texts.shown.requested != nil, isWaitingForTexts() { return [] }
      texts.shown.requested = .arabic
      return [load(.arabic)]
    }
    setShowsArabic(true)
    return []
  }

  private mutating func setShowsArabic(_ isOn: Bool) {
    let wereInColumns = typesetter.isInColumns
    texts.shown.showsArabic = isOn
    record(isOn ? "1" : "0", for: DeviceKey.arabicShown)
    parallelEditionsDidChange()
    if isOn, wereInColumns, !typesetter.isInColumns {
      showMessage("\(messages.arabicShown). \(messages.noRoomForColumns)")
      return
    }
    showMessage(isOn ? messages.arabicShown : messages.arabicHidden)
    if isOn { offerArabicDisplay() }
  }

  /// Lays the page out again after a parallel edition was added or removed. If none is left, the
  /// current edition is shown even if it was hidden.
  mutating func parallelEditionsDidChange() {
    if parallelEditions.isEmpty, !texts.shown.showsCurrentEdition { setShowsCurrentEdition(true) }
    typeset()
    let others = shownFirst(search.otherIndexes)
    if others.map(\.edition.info) != search.otherIndexes.map(\.edition.info) {
      refreshSearch { $0.otherIndexes = others }
    }
  }

  mutating func setShowsCurrentEdition(_ isOn: Bool) {
    texts.shown.showsCurrentEdition = isOn
    record(isOn ? "0" : "1", for: DeviceKey.translationHidden)
  }

  /// Whether editions are still being loaded. The key that needs them is performed once they are.
  private mutating func isWaitingForTexts() -> Bool {
    let isLoading = !texts.shown.loading.isEmpty
    if isLoading { input.awaited = .texts }
    return isLoading
  }

  /// Shows or hides the current edition while others are shown.
  mutating func toggleTranslation() {
    guard !parallelEditions.isEmpty else {
      if isWaitingForTexts() { return }
      showMessage(messages.onlyTextShown(arabic: key(.arabic)))
      return
    }
    setShowsCurrentEdition(!texts.shown.showsCurrentEdition)
    typeset()
    showMessage(
      texts.shown.showsCurrentEdition ? messages.translationShown : messages.translationHidden)
  }

  /// Puts several editions in columns or below each other.
  mutating func toggleColumns() {
    guard shownEditions.count > 1 else {
      if isWaitingForTexts() { return }
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

  /// Compares the current edition with another one, or stops comparing with it.
  mutating func compare(with item: InstalledEditions.Item) -> [Effect] {
    guard item.id != edition.info.id else {
      showMessage(messages.textIsReadAlready)
      return []
    }
    // The original text is shown and hidden as with its own keyboard shortcut.
    if (try? item.info.get())?.kind == .original { return toggleArabic() }
    if texts.shown.requested != nil, isWaitingForTexts() { return [] }
    guard item.id != texts.shown.comparedID else {
      setCompared(nil)
      return []
    }
    texts.shown.requested = .text(item.id)
    return [load(.text(item.id))]
  }

  private mutating func setCompared(_ edition: Edition?) {
    chooseCompared(edition?.info.id)
    parallelEditionsDidChange()
    showMessage(
      edition.map {
        messages.textCompared(messages.titleWithRemark(of: $0.info), columns: key(.columns))
      }
        ?? messages.textNotCompared)
  }

  private mutating func chooseCompared(_ id: String?) {
    texts.shown.comparedID = id
    record(id ?? "", for: DeviceKey.comparedText)
  }

  /// Stops comparing with an edition that was removed. An edition that could not be read when the
  /// reader started remains chosen, as it can come back.
  ///
  /// - Parameters:
  ///   - former: The editions that were on this machine before; nil if they were not known.
  ///   - isListed: Whether the editions could be listed. Otherwise, only what the user has removed
  ///     is known to be gone.
  mutating func checkCompared(_ former: [InstalledEditions.Item]?, isListed: Bool) {
    guard let id = texts.shown.comparedID,
      texts.removing == id || isListed && former?.contains(where: { $0.id == id }) == true,
      texts.items?.contains(where: { $0.id == id }) == false
    else { return }
    chooseCompared(nil)
    texts.shown.loaded[.text(id)] = nil
    parallelEditionsDidChange()
  }

  private mutating func record(_ value: String, for key: String) {
    libraryState.record { $0.device[key] = .some(value) }
  }

  // MARK: Loading

  /// Restores the choices of an earlier session. Returns the effects that load the editions.
  mutating func restoreShownTexts() -> [Effect] {
    let device = libraryState.shown.device
    texts.shown.showsArabic =
      device[DeviceKey.arabicShown] == "1" && settings.arabicDisplay != nil
    texts.shown.showsCurrentEdition = device[DeviceKey.translationHidden] != "1"
    texts.shown.isSideBySide = device[DeviceKey.textsSideBySide] == "1"
    texts.shown.comparedID = device[DeviceKey.comparedText].flatMap { $0.isEmpty ? nil : $0 }
    return loadParallelEditions()
  }

  /// Returns the effects that load the parallel editions that are shown. Needed at the start, and
  /// after editions were installed or removed.
  mutating func loadParallelEditions() -> [Effect] {
    (texts.shown.showsArabic ? [load(.arabic)] : [])
      + (texts.shown.comparedID.map { [load(.text($0))] } ?? [])
  }

  /// Returns the effect that loads a parallel edition.
  private mutating func load(_ parallel: ParallelEdition) -> Effect {
    texts.shown.loading.insert(parallel)
    return .texts(.load(parallel))
  }

  /// Shows a parallel edition that was loaded.
  ///
  /// - Parameter edition: The edition; nil if it is damaged or not installed.
  mutating func parallelEditionDidLoad(_ parallel: ParallelEdition, _ edition: Edition?) {
    texts.shown.loading.remove(parallel)
    let isRequested = texts.shown.requested == parallel
    if isRequested { texts.shown.requested = nil }
    texts.shown.loaded[parallel] = edition
    switch (parallel, edition) {
    case (.arabic, nil) where isRequested:
      showMessage(messages.noArabicTextHere(key(.texts), key(.installText)))
    case (.arabic, _) where isRequested: setShowsArabic(true)
    case (.text, nil) where isRequested: showError(messages.textCannotBeRead)
    case (.text, let edition?) where isRequested: setCompared(edition)
    default:
      typeset()
      if edition == nil { reportMissing(parallel) }
    }
  }

  /// Reports that an edition that was shown in an earlier session cannot be read. Does nothing once
  /// the editions were listed, because the list shows it.
  private mutating func reportMissing(_ parallel: ParallelEdition) {
    guard texts.items == nil else { return }
    switch parallel {
    case .arabic where texts.shown.showsArabic:
      showError(messages.shownTextCannotBeRead(nil, texts: key(.texts)))
    case .text(let id) where id == texts.shown.comparedID:
      showError(messages.shownTextCannotBeRead(id, texts: key(.texts)))
    case .arabic, .text: break
    }
  }
}

extension [Edition] {
  /// The descriptions of the editions that are not the original text: of translations, commentaries
  /// and transliterations.
  var infosWithoutOriginal: [Edition.Info] { map(\.info).filter { $0.kind != .original } }
}
