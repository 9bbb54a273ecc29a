import TOMLKit

extension Configuration {
  /// Parses TOML. Returns the configuration and the problems found, sorted by key.
  public static func parse(_ text: String) -> (Configuration, [Problem]) {
    // TOMLKit treats NUL as the end of the text.
    guard !text.utf8.contains(0) else { return (Configuration(), [.notUTF8]) }
    let refusal = TOMLPrecheck.check(text)
    do {
      // Parse the text before the rejected position, because an error there has precedence.
      let table = try TOMLTable(string: refusal?.before ?? text)
      if let refusal { return (Configuration(), [refusal.problem]) }
      var state = ParseState()
      state.apply(table)
      return (state.configuration, state.problems)
    } catch {
      return (Configuration(), [problem(of: error, before: refusal?.problem)])
    }
  }

  /// Converts an error of the parser to a problem.
  ///
  /// - Parameter refusal: The reason why the parsed text was cut, or nil if it was not.
  private static func problem(of error: any Error, before refusal: Problem?) -> Problem {
    let error = error as? TOMLParseError
    let reason = error?.description ?? ""
    if let refusal, reason.hasSuffix("encountered end-of-file") { return refusal }
    return .syntax(line: error?.source.begin.line ?? 1, .parser(reason: oneLine(reason)))
  }

  /// The message of the parser on one line. It is shortened because it can quote any amount of the
  /// file.
  private static func oneLine(_ reason: String) -> String {
    let line = reason.prefix(160).map { $0.isNewline || $0 == "\t" ? " " : $0 }
    let shortened = String(line) + (reason.count > line.count ? "…" : "")
    let opening = "Error while "
    return shortened.hasPrefix(opening) ? String(shortened.dropFirst(opening.count)) : shortened
  }
}

/// The configuration and the problems found so far.
private struct ParseState {
  var configuration = Configuration()
  var problems: [Configuration.Problem] = []

  mutating func apply(_ table: TOMLTable) {
    for (key, value) in table {
      switch key {
      case "mouse":
        if let isOn = value.bool ?? ["on": true, "off": false][value.string ?? ""] {
          configuration.mouse = isOn
        } else {
          refuse([key], #""on""#, #""off""#, "true", "false")
        }
      case "arabic":
        if let way = value.string.flatMap(Configuration.Arabic.init) {
          configuration.arabic = way
        } else {
          refuse([key], Configuration.Arabic.allCases.map { "\"\($0.rawValue)\"" })
        }
      case "editor":
        if let command = value.string, !command.allSatisfy(\.isWhitespace) {
          configuration.editor = command
        } else {
          refuse([key], #""nano""#, #""emacs -nw""#, "…")
        }
      case "escape-delay":
        if let delay = value.int, (0...1000).contains(delay) {
          configuration.escapeDelay = delay
        } else {
          refuse([key], "0…1000")
        }
      case "keys":
        if let keys = value.table { applyKeys(keys, of: key) } else { refuse([key], "[keys]") }
      default: report(value, at: [key])
      }
    }
  }

  private mutating func applyKeys(_ table: TOMLTable, of name: String) {
    for (action, value) in table {
      if let key = value.string {
        configuration.keys[action] = [key]
      } else if let array = value.array, case let keys = array.compactMap(\.string),
        keys.count == array.count
      {
        configuration.keys[action] = keys
      } else {
        refuse([name, action], #""f""#, #"["f", "F2"]"#, "[]")
      }
    }
  }

  /// Reports an unknown key; for a table, each key in it.
  private mutating func report(_ value: any TOMLValueConvertible, at path: [String]) {
    guard let table = value.table, !table.isEmpty else {
      problems.append(.unknownKey(dotted(path)))
      return
    }
    for (key, value) in table { report(value, at: path + [key]) }
  }

  private mutating func refuse(_ path: [String], _ expected: String...) {
    refuse(path, expected)
  }

  private mutating func refuse(_ path: [String], _ expected: [String]) {
    problems.append(.badValue(dotted(path), expected: expected))
  }
}

/// Formats a path of keys as a dotted TOML key, quoted where necessary.
private func dotted(_ path: [String]) -> String {
  path.map { key in
    let isPlain = key.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" }
    guard !isPlain || key.isEmpty else { return key }
    let escaped = key.unicodeScalars.map { scalar in
      switch scalar {
      case "\"", "\\": "\\\(scalar)"
      case _ where scalar.properties.generalCategory == .control: " "
      default: "\(scalar)"
      }
    }
    return "\"\(escaped.joined())\""
  }
  .joined(separator: ".")
}
