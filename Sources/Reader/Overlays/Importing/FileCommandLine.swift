/// A typed command that takes a file, such as `:import ~/no`.
struct FileCommandLine {
  /// The text before the path.
  let stem: String
  /// The path as it was typed; it may be incomplete.
  let path: String

  /// Returns nil if the command does not take a file. That of `text install` begins with `~`, `/`
  /// or `.`, because the IDs of editions are allowed there as well.
  init?(_ text: String) {
    let line = text.drop { $0 == " " }
    let install = "\(TypedCommand.text) install "
    if line.hasPrefix(install) {
      let path = line.dropFirst(install.count)
      guard let first = path.first, "~/.".contains(first) else { return nil }
      stem = install
      self.path = String(path)
      return
    }
    guard let space = line.firstIndex(of: " "),
      let command = TypedCommand(typed: line[..<space]), command.takesFile
    else { return nil }
    stem = line[..<space] + " "
    path = String(line[space...].drop { $0 == " " })
  }
}
