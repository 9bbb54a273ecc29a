import Library
import Messages
import Quran
import Sync
import Terminal
import Text

/// What the settings screen tells of this machine.
public struct MachineFacts: Hashable, Sendable {
  public var libraryPath: String?
  public var configurationPath: String?
  /// What could not be understood in the configuration file.
  public var problems: [String]

  public init(
    libraryPath: String? = nil, configurationPath: String? = nil, problems: [String] = []
  ) {
    self.libraryPath = libraryPath
    self.configurationPath = configurationPath
    self.problems = problems
  }
}

/// A row of the settings screen.
enum SettingRow: Hashable {
  case setting(SettingKey)
  /// Something to know, with its name on the first of its rows.
  case fact(name: String, text: String)
  case gap
}

extension Model {
  func makeSettingRows() -> [SettingRow] {
    let width = (geometry.list?.width ?? size.columns) - settingColumn - 1
    var rows: [SettingRow] = [.theme, .layout, .language, .arabicNames, .khatm].map {
      .setting($0)
    }
    rows.append(.gap)
    func add(_ name: String, _ text: String) {
      for (line, text) in wrapped(text, width: width).enumerated() {
        rows.append(.fact(name: line == 0 ? name : "", text: text))
      }
    }
    add(messages.settingLibrary, libraryFact)
    add(messages.syncTitle, syncFact)
    add(messages.settingConfig, machine.configurationPath?.sanitizedLine ?? messages.noHome)
    for problem in machine.problems { add("", problem) }
    return rows
  }

  private var libraryFact: String {
    if let refusal = libraryState.refusal { return messages.explain(refusal) }
    return machine.libraryPath?.sanitizedLine ?? ""
  }

  private var syncFact: String {
    guard sync.phase != .off else { return messages.syncNotConnected }
    let name = sync.account.map { "\($0.name ?? $0.userRecordName) · " } ?? ""
    return "\(name)\(syncCorner.text) (\(key(.syncScreen)))"
  }

  /// Where the values stand.
  private var settingColumn: Int { size.columns < 60 ? 17 : 21 }

  private func name(of setting: SettingKey) -> String {
    switch setting {
    case .theme: messages.settingTheme
    case .layout: messages.settingLayout
    case .language: messages.settingLanguage
    case .arabicNames: messages.settingArabicNames
    case .khatm: messages.plan
    }
  }

  private func value(of setting: SettingKey) -> String {
    switch setting {
    case .theme: messages.theme(theme.id.rawValue)
    case .layout: messages.layout(layout.rawValue)
    case .language:
      libraryState.shown.string(.language) == nil
        ? "\(messages.languageName) (\(messages.languageAutomatic))" : messages.languageName
    case .arabicNames: showsArabicNames ? messages.on : messages.off
    case .khatm:
      libraryState.shown.khatmPlan.map { "\(messages.planDays($0.days)) (\($0.end))" }
        ?? messages.planOff
    }
  }

  func drawSetting(_ index: Int, on canvas: inout Canvas, row: Int, width: Int) {
    guard settingRows.indices.contains(index) else { return }
    let column = settingColumn
    switch settingRows[index] {
    case .setting(let setting):
      canvas.put(name(of: setting), row: row, column: 2, style: theme[.text], width: column - 3)
      canvas.put(
        value(of: setting).fitted(to: width - column - 1), row: row, column: column,
        style: theme[.title])
    case .fact(let name, let text):
      canvas.put(name, row: row, column: 2, style: theme[.faint], width: column - 3)
      canvas.put(text, row: row, column: column, style: theme[.faint])
    case .gap:
      break
    }
  }

  // MARK: Changing

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
}
