import ConfigFile
import Messages
import Reader
import Terminal

extension Messages {
  /// Explains a problem in the configuration file.
  func explain(_ problem: Configuration.Problem) -> String {
    switch problem {
    case .syntax(let line, let reason): configurationSyntax(line: line, reason: reason)
    case .unreadable(let code): configurationUnreadable(code: code)
    case .notText: configurationNotText
    case .tooLarge: configurationTooLarge
    case .unknownKey(let key): configurationUnknownKey(key)
    case .badValue(let key, let expected): configurationBadValue(key, expected: expected)
    }
  }

  /// Explains a problem of the keys in the configuration file.
  func explain(_ problem: KeyTable.RemappingProblem) -> String {
    switch problem {
    case .unknownAction(let action): configurationUnknownAction(action)
    case .unknownKey(let action, let key): configurationUnknownKeyName(key, action: action)
    case .taken(let key, let owner, let other):
      configurationKeyTaken(key, by: owner, insteadOf: other)
    case .fixed(let action):
      configurationFixedAction(
        action,
        keys: KeyTable.standard.keys(for: .interrupt).map(\.description).joined(separator: " "))
    }
  }
}
