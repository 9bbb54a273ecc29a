public import Library
import Terminal
import Text

/// The facts about this machine that the settings screen shows.
public struct MachineFacts: Hashable, Sendable {
  public var libraryPath: String?
  public var configurationPath: String?
  /// The problems that were found in the configuration file, as sentences.
  public var problems: [String] = []
  /// Whether to offer the recognised translations, because none of them is installed.
  public var offersTexts = false
  /// The setting for Arabic. It does not contain the user's choice, which is read from the library
  /// later.
  public var arabic = ArabicSetting(terminal: "unknown", isKnownToReorder: false)

  /// Creates the facts about a machine of which nothing is known.
  public init() {}
}

/// The settings in use, and the screen that shows them.
struct SettingsState {
  var theme = Theme(.terminal)
  /// Whether the terminal shows the colours of a theme.
  var hasColors = true
  var layout = PageLayout.verse
  var textWidth = TextWidth.standard
  /// Whether a blank row follows each ayah in verse layout.
  var hasBlankRows = false
  var marks = DivisionMarks.juz
  var showsArabicNames = true
  /// How Arabic is shown, and why.
  var arabic: ArabicSetting
  let machine: MachineFacts
  /// The language that the user chose; nil for that of the system.
  var language: Language?
  /// Whether the language was chosen on the command line, which takes precedence over the setting.
  let isLanguageFixed: Bool
  /// The language of the system, or the one that was chosen on the command line.
  let systemLanguage: Language
  /// The rows of the screen while it is shown.
  var rows: [SettingRow] = []

  init(machine: MachineFacts, isLanguageFixed: Bool, systemLanguage: Language) {
    self.machine = machine
    arabic = machine.arabic
    self.isLanguageFixed = isLanguageFixed
    self.systemLanguage = systemLanguage
  }

  /// Sets a setting, other than the plan, to a value in the form in which users type it.
  ///
  /// - Returns: False if the value is not allowed; nothing is changed then.
  @discardableResult
  mutating func use(_ value: String, for setting: SettingKey) -> Bool {
    let width = Int(value).flatMap { TextWidth.columns.contains($0) ? $0 : nil }
    guard setting == .width ? width != nil : setting.values.contains(value) else { return false }
    switch setting {
    case .theme: theme = Theme(ThemeName(rawValue: value) ?? theme.id)
    case .layout: layout = PageLayout(rawValue: value) ?? layout
    case .width: textWidth = width ?? textWidth
    case .blankRows: hasBlankRows = Bool(value) ?? hasBlankRows
    case .marks: marks = DivisionMarks(rawValue: value) ?? marks
    case .language: language = Language(rawValue: value)
    case .arabicNames: showsArabicNames = Bool(value) ?? showsArabicNames
    // The snapshot of the library has the plan.
    case .khatm: break
    }
    return true
  }

  /// How Arabic is sent to the terminal; nil if it is not shown.
  var arabicDisplay: ArabicDisplay? { ArabicDisplay(arabic.mode) }
}

extension ArabicDisplay {
  /// Returns the display for a mode; nil if Arabic is not shown.
  init?(_ mode: ArabicMode) {
    switch mode {
    case .terminal: self = .terminal
    case .shaped: self = .shaped
    case .off: return nil
    }
  }
}

/// A row of the settings screen.
enum SettingRow: Hashable {
  case setting(SettingKey)
  /// How Arabic is shown in this terminal, which is not synced.
  case arabicDisplay
  /// A fact, or its first row if it takes several.
  ///
  /// - Parameter action: The action that opens the screen for it; nil if there is none.
  case fact(name: String, text: String, action: Action?)
  /// A further row of the fact above it. It is not selected on its own.
  case continuation(String)
  /// A blank row, which is not selected.
  case gap

  fileprivate var isContinuation: Bool {
    if case .continuation = self { true } else { false }
  }
}

extension SettingsState {
  /// Returns the row to select for a row that the cursor was moved to.
  ///
  /// - Parameter current: The row that was selected before.
  func selectableRow(for row: Int, after current: Int) -> Int {
    guard rows.indices.contains(row) else { return row }
    if rows[row] == .gap { return row < current ? row - 1 : row + 1 }
    let first = rows[...row].lastIndex { !$0.isContinuation } ?? row
    // The cursor moves down from the first row of a fact to the next fact, if there is one.
    guard first == current, row > current else { return first }
    return rows[row...].firstIndex { !$0.isContinuation } ?? first
  }

  /// The rows of the fact or setting that begins at a row.
  func wholeRow(at row: Int) -> ClosedRange<Int> {
    let next = rows.dropFirst(row + 1).firstIndex { !$0.isContinuation } ?? rows.endIndex
    return row...max(next - 1, row)
  }
}
