import Terminal
import Text
import Words

/// The commands of the `:` line.
enum TypedCommand: String, CaseIterable {
  case goto, search, theme, layout, set, help, quit

  /// What may follow it, as completion offers it; empty where anything may.
  var choices: [String] {
    switch self {
    case .goto, .search, .help, .quit: []
    case .theme: Theme.ID.allCases.map(\.rawValue)
    case .layout: PageLayout.allCases.map(\.rawValue)
    case .set: ["arabic on", "arabic off"]
    }
  }
}

extension Model {
  mutating func command(_ key: Key, _ field: TextField) -> [Effect] {
    var field = field
    switch key.code {
    case .enter:
      overlay = nil
      return run(field.text)
    case .tab:
      let candidates = Self.completions(of: field.text)
      if let common = Self.commonStart(candidates), common.count > field.text.count {
        field = TextField(common)
      }
      overlay = .command(field, choices: candidates.count > 1 ? candidates : [])
    case .backspace where field.isEmpty:
      overlay = nil
    default:
      if field.handle(key) { overlay = .command(field, choices: []) }
    }
    return []
  }

  /// Whole command lines that the text can become.
  static func completions(of text: String) -> [String] {
    let line = text.drop { $0 == " " }
    let lines = TypedCommand.allCases.flatMap { command in
      command.choices.isEmpty
        ? [command.rawValue + (command == .goto || command == .search ? " " : "")]
        : command.choices.map { "\(command.rawValue) \($0)" }
    }
    if line.contains(" ") { return lines.filter { $0.hasPrefix(line) } }
    return TypedCommand.allCases.filter { $0.rawValue.hasPrefix(line) }.map {
      $0 == .help || $0 == .quit ? $0.rawValue : $0.rawValue + " "
    }
  }

  private static func commonStart(_ texts: [String]) -> String? {
    guard var common = texts.first else { return nil }
    for text in texts.dropFirst() {
      while !text.hasPrefix(common) { common.removeLast() }
    }
    return common
  }

  private mutating func run(_ line: String) -> [Effect] {
    let words = line.split(separator: " ", maxSplits: 1)
    guard let name = words.first else { return [] }
    let argument = words.count > 1 ? words[1].trimmed : ""
    let named = TypedCommand.allCases.filter { $0.rawValue.hasPrefix(name) }
    guard let command = TypedCommand(rawValue: String(name)) ?? (named.count == 1 ? named[0] : nil)
    else {
      // `:2:255` is short for `:goto 2:255`, as in editors a number is a line.
      if line.first(where: { $0 != " " })?.isNumber == true {
        goTo(line, reopen: .command(TextField(line), choices: []))
      } else {
        complain(self.words.unknownCommand(String(name)))
      }
      return []
    }
    switch command {
    case .goto: goTo(argument, reopen: .command(TextField(line), choices: []))
    case .search:
      showTab(.search)
      search.field = TextField(argument)
      runSearch()
    case .theme:
      guard let theme = Theme.ID(rawValue: argument) else { return refuse(argument, command) }
      set(theme)
    case .layout:
      guard let layout = PageLayout(rawValue: argument) else { return refuse(argument, command) }
      set(layout)
    case .set:
      guard command.choices.contains(argument) else { return refuse(argument, command) }
      if showsArabicNames != argument.hasSuffix("on") { return perform(.arabicNames) }
    case .help: return perform(.help)
    case .quit: return [.quit]
    }
    return []
  }

  private mutating func refuse(_ argument: String, _ command: TypedCommand) -> [Effect] {
    complain(words.badValue(argument, choices: command.choices.joined(separator: ", ")))
    return []
  }
}

extension Substring {
  fileprivate var trimmed: String {
    var text = self
    while text.last == " " { text.removeLast() }
    return String(text.drop { $0 == " " })
  }
}
