import Editions
import Library
import Messages

/// A command of the `:` line.
enum TypedCommand: String, CaseIterable {
  case goto, search, theme, layout, set, text, `import`, export, help, quit

  /// Finds a command by its name, or by the beginning of the name if that is unambiguous.
  init?(typed name: Substring) {
    let named = Self.allCases.filter { $0.rawValue.hasPrefix(name) }
    guard let command = Self(rawValue: String(name)) ?? (named.count == 1 ? named[0] : nil) else {
      return nil
    }
    self = command
  }

  /// The values that completion offers, word by word; empty if any value may follow.
  var choices: [String] {
    switch self {
    case .goto, .search, .import, .export, .help, .quit: []
    case .text:
      ["install"] + RecognisedTranslation.all.map { "install \($0.id)" } + ["update"]
        + ["use ", "remove "]
    case .theme: SettingKey.theme.values
    case .layout: SettingKey.layout.values
    case .set:
      SettingKey.allCases.flatMap { key in key.suggestions.map { "\(key.rawValue) \($0)" } }
        + Self.arabicValues.map { "arabic \($0)" }
    }
  }

  /// The values of `:set arabic`.
  static let arabicValues = ["on", "choose", "auto"] + ArabicMode.allCases.map(\.rawValue)

  /// What the command does, in a word or two.
  func name(_ messages: Messages) -> String {
    switch self {
    case .goto: messages.commandGoTo
    case .search: messages.hintSearch
    case .theme: messages.settingTheme.lowercased()
    case .layout: messages.settingLayout.lowercased()
    case .set: messages.actSettings
    case .text: messages.tabTexts.lowercased()
    case .import: messages.commandImport
    case .export: messages.commandExport
    case .help: messages.hintHelp
    case .quit: messages.commandQuit
    }
  }

  var takesArgument: Bool { self != .help && self != .quit }
  /// Whether a file name follows the command.
  var takesFile: Bool { self == .import || self == .export }
}
