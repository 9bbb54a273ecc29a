import Library
import Messages
import Terminal
import Text

extension Model {
  mutating func handleCommandLine(
    _ key: Key, _ field: TextField, _ completion: Completion?
  ) -> [Effect] {
    var field = field
    let action = KeyContext.commandLine.action(for: key)
    switch action {
    case .submit:
      overlay = nil
      remember(field.text, in: .command)
      let effects = run(field.text)
      // A line that was refused stays as it was typed, with its cursor.
      if case .command(let refused, nil) = overlay, refused.text == field.text {
        overlay = .command(field, nil)
      }
      return effects
    case .complete, .completeBackward:
      if completion == nil, let line = FileCommandLine(field.text) {
        return [.listFiles(line.path)]
      }
      complete(field, completion, action == .complete ? 1 : -1)
    case .closeIfEmpty where field.isEmpty:
      overlay = nil
    case .up, .down:
      if let line = recall(action, in: .command, field) { overlay = .command(line, nil) }
    default:
      if field.handle(key, limit: TextField.commandLineLimit) { overlay = .command(field, nil) }
    }
    return []
  }

  /// Completes the line. The first Tab completes the beginning that all choices have in common, and
  /// shows the choices; the next ones insert them in turn.
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

  mutating func run(_ line: String) -> [Effect] {
    let words = line.split(separator: " ", maxSplits: 1)
    guard let name = words.first else { return [] }
    let argument = words.count > 1 ? words[1].trimmed : ""
    guard let command = TypedCommand(typed: name) else {
      // `:2:255` is short for `:goto 2:255`. In the text, a number alone is an ayah of the surah,
      // as it is a line in editors such as vi.
      if name.first?.isNumber == true {
        let isAyah = pane == .text && name.allSatisfy(\.isNumber) && argument.isEmpty
        goTo(isAyah ? ":\(name)" : line, reopen: .command(TextField(line), nil))
      } else {
        refuse(
          line,
          messages.unknownCommand(name.fitted(to: 30), complete: key(.complete, in: .commandLine)))
      }
      return []
    }
    guard argument.isEmpty || command.takesArgument else {
      refuse(line, messages.unexpectedArgument(argument.fitted(to: 30), of: command.rawValue))
      return []
    }
    switch command {
    case .goto where argument.isEmpty: refuse(line, messages.goToNeedsAyah)
    case .goto: goTo(argument, reopen: .command(TextField(line), nil))
    case .search:
      remember(argument, in: .search)
      return openSearch(for: argument)
    case .theme: return set(.theme, to: argument, line: line)
    case .layout: return set(.layout, to: argument, line: line)
    case .set: return runSet(argument, line: line)
    case .text: return runTextCommand(argument, line: line)
    // The path is read from the whole line, because a file name may end in spaces.
    case .import: return startTransfer(importRequest(FileCommandLine(line)?.path ?? ""), line: line)
    case .export:
      defer { selectionStart = nil }
      return startTransfer(exportRequest(FileCommandLine(line)?.path ?? ""), line: line)
    case .help: return perform(.help)
    case .quit: return [.quit]
    }
    return []
  }

  /// Runs `:set NAME VALUE`.
  private mutating func runSet(_ argument: String, line: String) -> [Effect] {
    let words = argument.split(separator: " ", maxSplits: 1).map(\.trimmed)
    let value = words.count == 2 ? words[1] : ""
    if words.first == "arabic" { return setArabic(value, line: line) }
    if let setting = words.first.flatMap(SettingKey.init) {
      return set(setting, to: value, line: line)
    }
    let names = SettingKey.allCases.map(\.rawValue) + ["arabic"]
    refuse(line, messages.choose(names.joined(separator: ", ")))
    return []
  }

  private mutating func set(_ setting: SettingKey, to value: String, line: String) -> [Effect] {
    if let effects = set(setting, to: value) { return effects }
    refuse(line, messages.choose(messages.values(of: setting).joined(separator: ", ")))
    return []
  }

  private mutating func setArabic(_ value: String, line: String) -> [Effect] {
    switch value {
    case "on":
      if settings.arabic.chosen == .off { chooseArabic(nil) }
      return texts.shown.showsArabic ? [] : toggleArabic()
    case "choose": return openArabicDisplay()
    case "auto": chooseArabic(nil)
    default:
      if let mode = ArabicMode(rawValue: value) {
        chooseArabic(mode)
      } else {
        refuse(line, messages.choose(TypedCommand.arabicValues.joined(separator: ", ")))
      }
    }
    return []
  }

  /// Reports an error in a line, and keeps the line open for correction.
  mutating func refuse(_ line: String, _ reason: String) {
    overlay = .command(TextField(line), nil)
    showError(reason)
  }

  /// The commands or values that the line can continue with; on a wide screen, commands with what
  /// they do.
  private func summary(of completion: Completion) -> String {
    guard completion.stem.isEmpty, size.columns >= 60 else {
      return completion.choices.map { Substring($0).trimmed }.joined(separator: "  ")
    }
    return TypedCommand.allCases.filter { $0.rawValue.hasPrefix(completion.typed) }
      .map { command in
        let name = command.name(messages)
        // In English, the names of some commands only repeat the commands.
        return name.hasPrefix(command.rawValue) ? command.rawValue : "\(command.rawValue) \(name)"
      }.joined(separator: " · ")
  }

  func drawCommand(
    _ field: TextField, _ completion: Completion?, on canvas: inout Canvas, _ geometry: Geometry
  ) {
    let row = geometry.status
    if let message {
      draw(message, on: &canvas, lastRow: row - 1)
    } else if let completion {
      // Of many choices, those around the chosen one are shown.
      let first = max((completion.chosen ?? 0) - 3, 0)
      let choices = completion.choices.enumerated().dropFirst(first).prefix(60).map {
        index, choice in
        let name = Substring(choice).trimmed
        return index == completion.chosen ? "[\(name)]" : name
      }
      draw(Message(text: choices.joined(separator: "  ")), on: &canvas, lastRow: row - 1)
    } else if let completion = Completion(of: field.text) {
      draw(Message(text: summary(of: completion)), on: &canvas, lastRow: row - 1)
    }
    canvas.fill(row: row, columns: 0..<size.columns, style: theme[.text])
    drawField(
      field, prompt: ":", on: &canvas, row: row, column: 0, width: statusWidth - 1,
      showsCursor: true)
  }
}

extension Substring {
  /// The string without spaces at both ends.
  var trimmed: String {
    var text = self
    while text.last == " " { text.removeLast() }
    return String(text.drop { $0 == " " })
  }

  func fitted(to width: Int) -> String { String(self).fitted(to: width) }
}
