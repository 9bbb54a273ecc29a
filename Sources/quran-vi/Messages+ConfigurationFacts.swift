import ConfigFile
import Messages
import Reader
import Terminal

extension Messages {
  /// Explains the problems in the configuration file, and those of its keys.
  func explain(_ problems: [Configuration.Problem], keys: [String: [String]]) -> [String] {
    problems.map(explain) + KeyTable.standard.remapped(keys).1.map(explain)
  }

  /// Explains a problem in the configuration file.
  func explain(_ problem: Configuration.Problem) -> String {
    switch problem {
    case .syntax(let line, .parser(let reason)): configurationSyntax(line: line, reason: reason)
    case .syntax(let line, let error): configurationSyntax(line: line, name(of: error))
    case .unreadable(let code): configurationUnreadable(code: code)
    case .notUTF8: configurationNotUTF8
    case .tooLarge: configurationTooLarge
    case .unknownKey(let key): configurationUnknownKey(key)
    case .badValue(let key, let expected): configurationBadValue(key, expected: expected)
    }
  }

  /// Returns the description of a syntax error, for use within a sentence.
  private func name(of error: Configuration.SyntaxError) -> String {
    switch error {
    case .parser(let reason): reason
    case .unexpected(let scalar):
      unexpectedCharacter(
        scalar.properties.generalCategory == .control
          ? "U+\(String(scalar.value, radix: 16, uppercase: true))" : "\(scalar)")
    case .tooDeep(let limit): nestedTooDeep(limit)
    case .missingTableName: missingTableName
    case .incompleteTime: incompleteTime
    case .nullCharacter: nullCharacter
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
