import Library
import Messages
import Text

extension Model {
  /// Applies the settings of the library.
  mutating func applySettings() {
    let libraryState = libraryState.shown
    if let theme = libraryState.string(.theme).flatMap(ThemeName.init) {
      settings.theme = Theme(theme)
    }
    if let layout = libraryState.string(.layout).flatMap(PageLayout.init) {
      settings.layout = layout
    }
    settings.textWidth = libraryState.textWidth
    settings.hasBlankRows = libraryState.flag(.blankRows) ?? settings.hasBlankRows
    if let marks = libraryState.string(.marks).flatMap(DivisionMarks.init) {
      settings.marks = marks
    }
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
  private mutating func change(_ setting: SettingKey, by step: Int) -> [Effect] {
    switch setting {
    case .theme: return changeTheme(by: step)
    case .layout: return set(layout == .verse ? .flow : .verse)
    case .width: return setTextWidth(textWidth(after: step))
    case .blankRows: return setBlankRows(!settings.hasBlankRows)
    case .marks: return set(step > 0 ? settings.marks.next : settings.marks.previous)
    case .arabicNames: return setArabicNames(!settings.showsArabicNames)
    case .language: return set(language(after: step))
    case .khatm:
      guard canChange() else { return [] }
      overlay = .command(TextField(stem: "set khatm "), nil)
      showMessage(messages.choose(messages.values(of: .khatm).joined(separator: ", ")))
      return []
    }
  }

  /// Changes a setting to a value that the user typed. Returns nil if the value is not allowed.
  mutating func set(_ setting: SettingKey, to value: String) -> [Effect]? {
    switch setting {
    case .theme: return ThemeName(rawValue: value).map { set($0) }
    case .layout: return PageLayout(rawValue: value).map { set($0) }
    case .marks: return DivisionMarks(rawValue: value).map { set($0) }
    case .language:
      return value == SettingKey.systemLanguage
        ? set(nil) : Language(rawValue: value).map { set($0) }
    case .blankRows: return Bool(value).map { setBlankRows($0) }
    case .arabicNames: return Bool(value).map { setArabicNames($0) }
    case .width:
      return Int(value).flatMap { TextWidth.columns.contains($0) ? setTextWidth($0) : nil }
    case .khatm:
      if value == "off" { return setPlan(days: nil) }
      return Int(value).flatMap { KhatmPlan.days.contains($0) ? setPlan(days: $0) : nil }
    }
  }

  mutating func set(_ layout: PageLayout) -> [Effect] {
    settings.layout = layout
    typeset()
    return changed(.layout, to: json(layout.rawValue))
  }

  mutating func nextTheme() -> [Effect] { changeTheme(by: 1) }

  /// Changes to the next or the previous theme, unless the terminal shows no colours.
  private mutating func changeTheme(by step: Int) -> [Effect] {
    guard settings.hasColors else {
      showMessage(messages.noColors)
      return []
    }
    return set(step > 0 ? theme.id.next : theme.id.previous)
  }

  mutating func set(_ theme: ThemeName) -> [Effect] {
    settings.theme = Theme(theme)
    return changed(.theme, to: json(theme.rawValue))
  }

  /// Returns the width that the settings screen offers after the current one, or before it.
  private func textWidth(after step: Int) -> Int {
    let offered = [60, TextWidth.standard, 84, 100, 120]
    return step > 0
      ? offered.first { $0 > settings.textWidth } ?? offered[0]
      : offered.last { $0 < settings.textWidth } ?? offered[offered.count - 1]
  }

  /// - Parameter width: The maximum number of columns of the text, in `TextWidth.columns`.
  mutating func setTextWidth(_ width: Int) -> [Effect] {
    settings.textWidth = width
    typeset()
    return changed(.width, to: "\(width)")
  }

  mutating func setBlankRows(_ isOn: Bool) -> [Effect] {
    settings.hasBlankRows = isOn
    typeset()
    return changed(.blankRows, to: "\(isOn)")
  }

  mutating func set(_ marks: DivisionMarks) -> [Effect] {
    settings.marks = marks
    typeset()
    return changed(.marks, to: json(marks.rawValue))
  }

  mutating func setArabicNames(_ isOn: Bool) -> [Effect] {
    settings.showsArabicNames = isOn
    return changed(.arabicNames, to: "\(isOn)")
  }

  /// Shows a message with the new value of a setting, and saves the value.
  private mutating func changed(_ setting: SettingKey, to value: String?) -> [Effect] {
    showValue(self.value(of: setting), of: name(of: setting))
    return save(setting, value)
  }

  /// Shows a message with the new value of a setting.
  mutating func showValue(_ value: String, of name: String) {
    let text = "\(name): \(value)"
    showMessage(libraryState.refusal == nil ? text : messages.forThisRunOnly(text))
  }

  /// Changes the language.
  ///
  /// - Parameter language: The language; nil for that of the system.
  mutating func set(_ language: Language?) -> [Effect] {
    settings.language = language
    messages = Messages(language ?? settings.systemLanguage)
    typeset()
    revealSelection()
    return changed(.language, to: language.map { json($0.rawValue) })
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

  /// Returns a name as a JSON string.
  private func json(_ word: String) -> String { "\"\(word)\"" }
}
