import Library

/// A prompt that has a history.
enum Prompt: String, CaseIterable { case goTo, command, search }

/// The history of a prompt: the lines that the user has entered.
struct PromptHistory: Hashable {
  /// The lines, the oldest first, each once.
  private(set) var lines: [String] = []
  /// The index of the line that was recalled last.
  private var recalled: Int?
  /// What the user had typed when the first line was recalled.
  private var typed = ""

  private static let limit = 50

  /// Adds the lines of earlier sessions before those of this session.
  ///
  /// - Parameter stored: The lines, separated by line feeds.
  mutating func load(_ stored: String) {
    let entered = lines
    lines = stored.split(separator: "\n").map(String.init)
    for line in entered { enter(line) }
  }

  /// The lines as `load` reads them.
  var stored: String { lines.joined(separator: "\n") }

  mutating func enter(_ line: String) {
    recalled = nil
    lines.removeAll { $0 == line }
    lines.append(line)
    lines.removeFirst(max(lines.count - Self.limit, 0))
  }

  /// Returns the line that was entered before the one in the prompt; nil if there is none.
  mutating func older(than line: String) -> String? {
    var index = lines.count
    if let recalled = recalledIndex(of: line) {
      index = recalled
    } else {
      typed = line
      if lines.last == line { index -= 1 }
    }
    guard index > 0 else { return nil }
    recalled = index - 1
    return lines[index - 1]
  }

  /// Returns the line after the recalled one that is in the prompt. After the newest line, returns
  /// what the user had typed. Returns nil if the line in the prompt was not recalled.
  mutating func newer(than line: String) -> String? {
    guard let index = recalledIndex(of: line) else { return nil }
    recalled = index + 1 < lines.count ? index + 1 : nil
    return recalled.map { lines[$0] } ?? typed
  }

  func isRecalled(_ line: String) -> Bool { recalledIndex(of: line) != nil }

  private func recalledIndex(of line: String) -> Int? {
    recalled.flatMap { lines.indices.contains($0) && lines[$0] == line ? $0 : nil }
  }
}

extension Model {
  /// Adds a line to the history of a prompt, and stores it.
  mutating func remember(_ line: String, in prompt: Prompt) {
    guard !line.allSatisfy(\.isWhitespace) else { return }
    input.history[prompt, default: PromptHistory()].enter(line)
    guard libraryState.isOpen, let stored = input.history[prompt]?.stored else { return }
    libraryState.record { $0.device[DeviceKey.history(of: prompt.rawValue)] = .some(stored) }
  }

  /// Loads the histories of an open library.
  mutating func loadHistories() {
    for prompt in Prompt.allCases {
      let stored = libraryState.shown.device[DeviceKey.history(of: prompt.rawValue)]
      if let stored { input.history[prompt, default: PromptHistory()].load(stored) }
    }
  }

  /// Returns the field with the previous or the next line of the history of its prompt; nil if
  /// there is none.
  mutating func recall(_ action: PromptAction?, in prompt: Prompt, _ field: TextField) -> TextField?
  {
    var history = input.history[prompt] ?? PromptHistory()
    defer { input.history[prompt] = history }
    switch action {
    case .up: return history.older(than: field.text).map { TextField($0) }
    case .down: return history.newer(than: field.text).map { TextField($0) }
    default: return nil
    }
  }
}
