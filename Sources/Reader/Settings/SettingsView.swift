import Editions
import Library
import Messages
import Sync
import Terminal
import Text

extension Model {
  func makeSettingRows() -> [SettingRow] {
    let width = (geometry.list?.width ?? size.columns) - settingColumn - 1
    var rows: [SettingRow] = [
      .setting(.theme), .setting(.layout), .setting(.width), .setting(.blankRows),
      .setting(.marks), .setting(.language), .setting(.arabicNames), .arabicDisplay,
      .setting(.khatm), .gap,
    ]
    func add(_ name: String, _ text: String, opens action: Action? = nil) {
      let lines = wrapped(text, width: width)
      rows.append(.fact(name: name, text: lines.first ?? "", action: action))
      rows += lines.dropFirst().map(SettingRow.continuation)
    }
    add(
      messages.tabTexts, "\(messages.fullTitle(of: edition.info)) (\(key(.texts)))", opens: .texts)
    add(messages.settingLibrary, libraryFact)
    add(messages.syncTitle, syncFact, opens: .syncScreen)
    add(
      messages.settingConfig, settings.machine.configurationPath?.sanitizedLine ?? messages.noHome
    )
    for problem in settings.machine.problems { add("", problem) }
    return rows
  }

  private var libraryFact: String {
    if let refusal = libraryState.refusal { return messages.explain(refusal) }
    return settings.machine.libraryPath?.sanitizedLine ?? ""
  }

  private var syncFact: String {
    guard syncScreen.status.phase != .off else { return reasonForNoSync }
    let name = syncScreen.status.account.map { "\($0.name ?? $0.userRecordName) · " } ?? ""
    return "\(name)\(syncCorner.text) (\(key(.syncScreen)))"
  }

  /// The column of the values.
  private var settingColumn: Int { size.columns < 60 ? 18 : 21 }

  func name(of setting: SettingKey) -> String {
    switch setting {
    case .theme: messages.settingTheme
    case .layout: messages.settingLayout
    case .width: messages.settingWidth
    case .blankRows: messages.settingBlankRows
    case .marks: messages.settingMarks
    case .language: messages.settingLanguage
    case .arabicNames: messages.settingArabicNames
    case .khatm: messages.plan
    }
  }

  func value(of setting: SettingKey) -> String {
    switch setting {
    case .theme: messages.theme(theme.id)
    case .layout: messages.layout(layout)
    case .width: messages.columns(settings.textWidth)
    case .blankRows: settings.hasBlankRows ? messages.on : messages.off
    case .marks: messages.marks(settings.marks)
    case .language:
      settings.language == nil && !settings.isLanguageFixed
        ? "\(messages.languageName) (\(messages.languageAutomatic))" : messages.languageName
    case .arabicNames: settings.showsArabicNames ? messages.on : messages.off
    case .khatm:
      libraryState.shown.khatmPlan.map(messages.description(of:)) ?? messages.planOff
    }
  }

  func drawSetting(_ index: Int, on canvas: inout Canvas, row: Int, width: Int) {
    let column = settingColumn
    func draw(_ name: String, _ value: String) {
      canvas.put(name, row: row, column: 2, style: theme[.text], width: column - 3)
      canvas.put(
        value.fitted(to: width - column - 1), row: row, column: column, style: theme[.title])
    }
    switch settings.rows[index] {
    case .setting(let setting): draw(name(of: setting), value(of: setting))
    case .arabicDisplay: draw(messages.settingArabicDisplay, messages.explain(settings.arabic))
    case .fact(let name, let text, _):
      canvas.put(name, row: row, column: 2, style: theme[.faint], width: column - 3)
      canvas.put(text, row: row, column: column, style: theme[.faint])
    case .continuation(let text):
      canvas.put(text, row: row, column: column, style: theme[.faint])
    case .gap:
      break
    }
  }

  var settingsHints: [String] {
    let row = list.state.selection
    guard settings.rows.indices.contains(row) else { return [helpHint] }
    return switch settings.rows[row] {
    case .setting, .arabicDisplay: [messages.settingsHint(openKey), helpHint]
    case .fact(_, _, .some): ["\(openKey) \(messages.hintOpen)", helpHint]
    case .fact, .continuation, .gap: [helpHint]
    }
  }
}
