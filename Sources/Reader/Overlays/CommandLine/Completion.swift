/// The ways in which a line being typed can continue, with one word after the other.
struct Completion: Hashable {
  /// The part of the line before the choices.
  let stem: String
  /// The part of the line that the choices begin with.
  let typed: String
  /// The words or paths that may follow the stem. A word that another word may follow ends in a
  /// space.
  let choices: [String]
  /// The index of the choice that is on the line; nil until Tab is pressed a second time.
  var chosen: Int?

  /// Finds the commands or, after a space, the values that a line can continue with. Returns nil if
  /// nothing matches.
  init?(of text: String) {
    let line = String(text.drop { $0 == " " })
    guard let space = line.firstIndex(of: " ") else {
      stem = ""
      typed = line
      choices = TypedCommand.allCases.filter { $0.rawValue.hasPrefix(line) }
        .map { $0.takesArgument ? "\($0.rawValue) " : $0.rawValue }
      if choices.isEmpty { return nil }
      return
    }
    // `split` drops empty words, so several spaces between two words do not matter.
    let typedWords = line[space...].split(separator: " ")
    typed = line.last == " " ? "" : typedWords.last.map(String.init) ?? ""
    let earlierWords = typedWords.dropLast(typed.isEmpty ? 0 : 1).map { "\($0) " }.joined()
    stem = "\(line[..<space]) \(earlierWords)"
    let values = TypedCommand(typed: line[..<space])?.choices ?? []
    var words: [String] = []
    for value in values where value.hasPrefix(earlierWords + typed) {
      let rest = value.dropFirst(earlierWords.count)
      let word = rest.firstIndex(of: " ").map { String(rest[...$0]) } ?? String(rest)
      if !words.contains(word) { words.append(word) }
    }
    // A word that may be the last one is offered once, with the space for the next one.
    choices = words.filter { !words.contains($0 + " ") }
    if choices.isEmpty { return nil }
  }

  /// Creates a completion with known choices. Returns nil if there are none.
  ///
  /// - Parameters:
  ///   - stem: the part of the line before the choices.
  ///   - choices: the strings that may follow the stem.
  init?(stem: String, choices: [String]) {
    guard !choices.isEmpty else { return nil }
    self.stem = stem
    typed = ""
    self.choices = choices
  }

  /// The stem, followed by the longest beginning that all choices have in common.
  var commonLine: String {
    let common = choices.dropFirst().reduce(choices[0]) { common, choice in
      String(zip(common, choice).prefix { $0 == $1 }.map(\.0))
    }
    return stem + common
  }
}
