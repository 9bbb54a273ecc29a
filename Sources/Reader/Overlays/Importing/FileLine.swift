/// A command line with a file name.
struct FileLine {
  let stem: String
  let path: String

  /// Returns nil if the command does not take a file name.
  init?(_ text: String) {
    let line = text.drop { $0 == " " }
    guard let space = line.firstIndex(of: " "),
      let command = TypedCommand(typed: line[..<space]), command.takesFile
    else { return nil }
    stem = line[..<space] + " "
    path = String(line[space...].drop { $0 == " " })
  }
}
