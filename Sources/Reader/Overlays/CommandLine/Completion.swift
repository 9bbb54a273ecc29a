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
