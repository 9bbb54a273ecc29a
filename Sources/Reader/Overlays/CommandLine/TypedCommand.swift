/// The commands of the `:` line.
enum TypedCommand: String, CaseIterable {
  case goto, search, theme, layout, set, `import`, export, help, quit

  /// The command that a word names: the beginning of its name is enough where no other
  /// begins so.
  init?(typed name: Substring) {
    let named = Self.allCases.filter { $0.rawValue.hasPrefix(name) }
    guard let command = Self(rawValue: String(name)) ?? (named.count == 1 ? named[0] : nil) else {
      return nil
    }
    self = command
  }

  /// What may follow it, as completion offers it; empty where anything may.
  var choices: [String] {
    switch self {
    case .goto, .search, .import, .export, .help, .quit: []
    case .theme: Theme.ID.allCases.map(\.rawValue)
    case .layout: PageLayout.allCases.map(\.rawValue)
    case .set:
      [
        "arabic on", "arabic off", "language vi", "language en", "khatm off", "khatm 30",
        "khatm 60", "khatm 365",
      ]
    }
  }

  var takesArgument: Bool { self != .help && self != .quit }
  /// Whether what follows it is the name of a file.
  var takesFile: Bool { self == .import || self == .export }
}
