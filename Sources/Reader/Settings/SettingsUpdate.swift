import Library
import Messages
import Text

extension Model {
  /// Applies the settings of the library.
  mutating func applySettings() {
    let libraryState = libraryState.shown
    for setting in [SettingKey.theme, .layout, .marks] {
      if let value = libraryState.string(setting) { settings.use(value, for: setting) }
    }
    settings.textWidth = libraryState.textWidth
    settings.hasBlankRows = libraryState.flag(.blankRows) ?? settings.hasBlankRows
    settings.showsArabicNames = libraryState.flag(.arabicNames) ?? settings.showsArabicNames
    settings.language = libraryState.string(.language).flatMap(Language.init)
    if !settings.isLanguageFixed {
      messages = Messages(settings.language ?? settings.systemLanguage)
    }
    settings.arabic.readChoice(from: libraryState.device)
    typeset()
  }

  /// Changes the selected setting to its next value.
  mutating func changeSetting() -> [Effect] {
    let row = list.state.selection
    guard settings.rows.indices.contains(row) else { return [] }
    if settings.rows[row] == .arabicDisplay { return openArabicDisplay() }
    if case .fact(_, _, let action?) = settings.rows[row] { return perform(action) }
    guard case .setting(let setting) = settings.rows[row] else { return [] }
    return change(setting, by: 1)
  }

  /// Changes the selected setting to its previous value, if it has values one after the other.
  mutating func choosePreviousValue() -> [Effect] {
    let row = list.state.selection
    guard settings.rows.indices.contains(row), case .setting(let setting) = settings.rows[row],
      setting != .khatm
    else {
      showMessage(messages.noPreviousValue(leave: key(.escape)))
      return []
    }
    return change(setting, by: -1)
  }

  /// Changes a setting to its next value.
  ///
  /// - Parameter step: 1, or -1 for the previous value.
  mutating func change(_ setting: SettingKey, by step: Int) -> [Effect] {
    let current: String
    switch setting {
    case .theme:
      guard settings.hasColors else {
        showMessage(messages.noColors)
        return []
      }
      current = theme.id.rawValue
    case .layout: current = layout.rawValue
    case .blankRows: current = "\(settings.hasBlankRows)"
    case .marks: current = settings.marks.rawValue
    case .arabicNames: current = "\(settings.showsArabicNames)"
    case .width: return set(.width, to: "\(textWidth(after: step))") ?? []
    case .language:
      return set(.language, to: language(after: step)?.rawValue ?? SettingKey.systemLanguage) ?? []
    case .khatm:
      guard canChange() else { return [] }
      overlay = .command(TextField(stem: "set khatm "), nil)
      showMessage(messages.choose(messages.values(of: .khatm).joined(separator: ", ")))
      return []
    }
    let values = setting.values
    let index = values.firstIndex(of: current) ?? 0
    return set(setting, to: values[(index + step + values.count) % values.count]) ?? []
  }

  /// Changes a setting to a value that the user typed or chose. Returns nil if the value is not
  /// allowed.
  mutating func set(_ setting: SettingKey, to value: String) -> [Effect]? {
    if setting == .khatm {
      if value == "off" { return setPlan(days: nil) }
      return Int(value).flatMap { KhatmPlan.days.contains($0) ? setPlan(days: $0) : nil }
    }
    guard settings.use(value, for: setting) else { return nil }
    if setting == .language { messages = Messages(settings.language ?? settings.systemLanguage) }
    // The theme and Arabic names do not change the layout, and `typeset` would end the preview
    // beside the list.
    if setting != .theme, setting != .arabicNames { typeset() }
    if setting == .language { revealSelection() }
    showValue(self.value(of: setting), of: name(of: setting))
    return save(setting, setting == .width ? "\(settings.textWidth)" : setting.stored(value))
  }

  /// Returns the width that the settings screen offers after the current one, or before it.
  private func textWidth(after step: Int) -> Int {
    let offered = [60, TextWidth.standard, 84, 100, 120]
    return step > 0
      ? offered.first { $0 > settings.textWidth } ?? offered[0]
      : offered.last { $0 < settings.textWidth } ?? offered[offered.count - 1]
  }

  /// Shows a message with the new value of a setting.
  mutating func showValue(_ value: String, of name: String) {
    let text = "\(name): \(value)"
    showMessage(libraryState.refusal == nil ? text : messages.forThisRunOnly(text))
  }

  /// Returns the choice of the language after the current one, or before it. The first choice after
  /// the language of the system is another one, so that the key changes something.
  private func language(after step: Int) -> Language? {
    let system = settings.systemLanguage
    let choices: [Language?] = [nil] + Language.allCases.filter { $0 != system } + [system]
    let index = choices.firstIndex(of: settings.language) ?? 0
    return choices[(index + step + choices.count) % choices.count]
  }

  /// Sets a plan to finish the Quran in a number of days from today; nil gives the plan up.
  mutating func setPlan(days: Int?) -> [Effect] {
    guard canChange() else { return [] }
    let plan = days.flatMap {
      KhatmPlan(start: today, days: $0, readCount: libraryState.shown.readCount)
    }
    showMessage("\(messages.plan): \(plan.map(messages.description(of:)) ?? messages.planOff)")
    return save(.khatm, plan?.setting)
  }

  /// Saves a setting. If the library cannot be changed, the setting lasts for this run only. If
  /// it is still being opened, the stored value replaces the setting when it is open.
  mutating func save(_ setting: SettingKey, _ value: String?) -> [Effect] {
    guard libraryState.isOpen, libraryState.refusal == nil,
      libraryState.shown.settings[setting.rawValue] != value
    else { return [] }
    let request = LibraryRequest.commit([.set(setting.rawValue, value)])
    libraryState.sent(request, at: now)
    return [.library(request)]
  }
}
