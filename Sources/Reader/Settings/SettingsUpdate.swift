import Library
import Messages
import Text

extension Model {
  /// Takes the looks that the settings ask for.
  mutating func takeSettings() {
    let libraryState = libraryState.shown
    if let theme = libraryState.string(.theme).flatMap(Theme.ID.init) { self.theme = Theme(theme) }
    if let layout = libraryState.string(.layout).flatMap(PageLayout.init) { self.layout = layout }
    if let value = libraryState.settings[SettingKey.arabicNames.rawValue] {
      showsArabicNames = value != "false"
    }
    if !isLanguageFixed, let language = libraryState.string(.language).flatMap(Language.init) {
      messages = Messages(language)
    }
    typeset()
  }

  /// Goes on to the next value of the selected setting.
  mutating func changeSetting() -> [Effect] {
    let row = list.state.selection
    guard settingRows.indices.contains(row), case .setting(let setting) = settingRows[row] else {
      return []
    }
    switch setting {
    case .theme: return set(theme.id.next)
    case .layout: return set(layout == .verse ? .flow : .verse)
    case .arabicNames: return setArabicNames(!showsArabicNames)
    case .language: return set(messages.language == .vietnamese ? .english : .vietnamese)
    case .khatm:
      guard canChange() else { return [] }
      // A plan that is under way is not lost by a key.
      overlay =
        libraryState.shown.khatmPlan == nil
        ? .command(TextField("set khatm 30"), nil) : .question(.dropPlan)
      return []
    }
  }

  mutating func set(_ layout: PageLayout) -> [Effect] {
    self.layout = layout
    typeset()
    say(messages.layoutChosen(messages.layout(layout.rawValue)))
    return keep(.layout, json(layout.rawValue))
  }

  mutating func set(_ theme: Theme.ID) -> [Effect] {
    self.theme = Theme(theme)
    say(messages.themeChosen(messages.theme(theme.rawValue)))
    return keep(.theme, json(theme.rawValue))
  }

  mutating func setArabicNames(_ isOn: Bool) -> [Effect] {
    showsArabicNames = isOn
    say(isOn ? messages.arabicNamesOn : messages.arabicNamesOff)
    return keep(.arabicNames, isOn ? "true" : "false")
  }

  /// Words in another language, from now on.
  mutating func set(_ language: Language) -> [Effect] {
    messages = Messages(language)
    revealSelection()
    return keep(.language, "\"\(language.rawValue)\"")
  }

  /// A plan to finish the book in so many days from today; nil gives it up.
  mutating func setPlan(days: Int?) -> [Effect] {
    guard canChange() else { return [] }
    guard let days else { return keep(.khatm, nil) }
    let plan = KhatmPlan(start: today, days: days, readCount: libraryState.shown.readCount)
    return keep(.khatm, plan?.setting)
  }

  /// Keeps a setting; where the library takes none it holds for this session.
  mutating func keep(_ setting: SettingKey, _ value: String?) -> [Effect] {
    guard libraryState.isOpen, libraryState.refusal == nil,
      libraryState.shown.settings[setting.rawValue] != value
    else { return [] }
    let request = LibraryRequest.commit([.set(setting.rawValue, value)])
    libraryState.sent(request, at: now)
    return [.library(request)]
  }

  /// A word of ours as a JSON value.
  private func json(_ word: String) -> String { "\"\(word)\"" }
}
