/// A command line that names a file.
struct FileLine {
  let stem: String
  let path: String

  /// Nil where it does not.
  init?(_ text: String) {
    let line = text.drop { $0 == " " }
    guard let space = line.firstIndex(of: " "),
      let command = TypedCommand(typed: line[..<space]), command.takesFile
    else { return nil }
    stem = line[..<space] + " "
    path = String(line[space...].drop { $0 == " " })
  }
}
