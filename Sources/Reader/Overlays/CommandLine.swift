import Library
import Messages
import Terminal
import Text

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

/// What a line being typed can become.
struct Completion: Hashable {
  /// What stands before the choices on the line.
  let stem: String
  let choices: [String]
  /// The one on the line now, once Tab went on to it.
  var chosen: Int?

  /// Nil where nothing fits.
  init?(of text: String) {
    let line = String(text.drop { $0 == " " })
    guard let space = line.firstIndex(of: " ") else {
      stem = ""
      choices = TypedCommand.allCases.filter { $0.rawValue.hasPrefix(line) }
        .map { $0.takesArgument ? "\($0.rawValue) " : $0.rawValue }
      if choices.isEmpty { return nil }
      return
    }
    let typed = line[line.index(after: space)...].drop { $0 == " " }
    stem = line[..<space] + " "
    choices = (TypedCommand(rawValue: String(line[..<space]))?.choices ?? [])
      .filter { $0.hasPrefix(typed) }
    if choices.isEmpty { return nil }
  }

  /// - Parameter choices: what may stand after the stem. Nil where there is nothing.
  init?(stem: String, choices: [String]) {
    guard !choices.isEmpty else { return nil }
    self.stem = stem
    self.choices = choices
  }

  /// The line as far as the choices agree on it.
  var commonLine: String {
    let common = choices.dropFirst().reduce(choices[0]) { common, choice in
      String(zip(common, choice).prefix { $0 == $1 }.map(\.0))
    }
    return stem + common
  }
}

extension Model {
  mutating func command(
    _ key: Key, _ field: TextField, _ completion: Completion?
  ) -> [Effect] {
    var field = field
    switch key.code {
    case .enter:
      overlay = nil
      return run(field.text)
    case .tab:
      if completion == nil, let line = FileLine(field.text) { return [.listFiles(line.path)] }
      complete(field, completion, key.modifiers == .shift ? -1 : 1)
    case .backspace where field.isEmpty:
      overlay = nil
    default:
      if field.handle(key) { overlay = .command(field, nil) }
    }
    return []
  }

  /// The first Tab completes what is certain and shows the choices; the next ones
  /// go through them.
  private mutating func complete(_ field: TextField, _ completion: Completion?, _ step: Int) {
    if var completion {
      let count = completion.choices.count
      let chosen = completion.chosen.map { ($0 + step + count) % count } ?? 0
      completion.chosen = chosen
      overlay = .command(TextField(completion.stem + completion.choices[chosen]), completion)
    } else if let completion = Completion(of: field.text) {
      let line = TextField(completion.commonLine)
      overlay = .command(line, completion.choices.count > 1 ? completion : nil)
    }
  }

  private mutating func run(_ line: String) -> [Effect] {
    let words = line.split(separator: " ", maxSplits: 1)
    guard let name = words.first else { return [] }
    let argument = words.count > 1 ? words[1].trimmed : ""
    guard let command = TypedCommand(typed: name) else {
      // `:2:255` is short for `:goto 2:255`, as in editors a number is a line.
      if name.first?.isNumber == true {
        goTo(line, reopen: .command(TextField(line), nil))
      } else {
        refuse(line, messages.unknownCommand(name.fitted(to: 30)))
      }
      return []
    }
    switch command {
    case .goto: goTo(argument, reopen: .command(TextField(line), nil))
    case .search:
      openSearch()
      search.field = TextField(argument)
      runSearch()
    case .theme:
      if let theme = Theme.ID(rawValue: argument) { return set(theme) }
      refuse(line, command)
    case .layout:
      if let layout = PageLayout(rawValue: argument) { return set(layout) }
      refuse(line, command)
    case .set:
      let parts = argument.split(separator: " ").map(String.init)
      let value = parts.count == 2 ? parts[1] : ""
      switch (parts.first, value) {
      case ("arabic", "on"), ("arabic", "off"): return setArabicNames(value == "on")
      case ("language", _) where Language(rawValue: value) != nil:
        return Language(rawValue: value).map { set($0) } ?? []
      case ("khatm", "off"): return setPlan(days: nil)
      case ("khatm", _) where Int(value).map(KhatmPlan.days.contains) == true:
        return setPlan(days: Int(value))
      default: refuse(line, command)
      }
    // Names of files may end in spaces.
    case .import: return exchange(importing(FileLine(line)?.path ?? ""), line: line)
    case .export: return exchange(exporting(FileLine(line)?.path ?? ""), line: line)
    case .help: return perform(.help)
    case .quit: return [.quit]
    }
    return []
  }

  /// Says what is wrong with a line and leaves it to be mended.
  mutating func refuse(_ line: String, _ reason: String) {
    overlay = .command(TextField(line), nil)
    complain(reason)
  }

  private mutating func refuse(_ line: String, _ command: TypedCommand) {
    refuse(line, messages.choose(command.choices.joined(separator: ", ")))
  }
}

extension Substring {
  fileprivate var trimmed: String {
    var text = self
    while text.last == " " { text.removeLast() }
    return String(text.drop { $0 == " " })
  }

  fileprivate func fitted(to width: Int) -> String { String(self).fitted(to: width) }
}
