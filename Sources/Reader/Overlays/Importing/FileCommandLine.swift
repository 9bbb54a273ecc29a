/// A typed command that takes a file, such as `:import ~/no`.
struct FileCommandLine {
  /// The text before the path.
  let stem: String
  /// The path as it was typed; it may be incomplete.
  let path: String

  /// Returns nil if the command does not take a file. After `text install`, only a word that begins
  /// with `~`, `/` or `.` is a path, because IDs of editions are allowed there as well.
  init?(_ text: String) {
    let line = text.drop { $0 == " " }
    guard let space = line.firstIndex(of: " "), let command = TypedCommand(typed: line[..<space])
    else { return nil }
    var path = line[space...].drop { $0 == " " }
    if command == .text, path.hasPrefix("install ") {
      path = path.dropFirst("install ".count).drop { $0 == " " }
      guard let first = path.first, "~/.".contains(first) else { return nil }
    } else if !command.takesFile {
      return nil
    }
    stem = String(line[..<path.startIndex])
    self.path = String(path)
  }
}
