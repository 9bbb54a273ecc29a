import Editions
import Library

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

  /// The values that completion offers; empty if any value may follow.
  var choices: [String] {
    switch self {
    case .goto, .search, .import, .export, .help, .quit: []
    case .text:
      ["install"] + RecognisedTranslation.all.map { "install \($0.id)" } + ["update"]
        + ["use ", "remove "]
    case .theme: SettingKey.theme.values
    case .layout: SettingKey.layout.values
    case .set:
      ["on", "choose", "auto"].map { "arabic \($0)" }
        + ArabicMode.allCases.map { "arabic \($0.rawValue)" }
        + SettingKey.language.values.map { "language \($0)" }
        + ["khatm off", "khatm 30", "khatm 60", "khatm 365"]
    }
  }

  var takesArgument: Bool { self != .help && self != .quit }
  /// Whether a file name follows the command.
  var takesFile: Bool { self == .import || self == .export }
}
