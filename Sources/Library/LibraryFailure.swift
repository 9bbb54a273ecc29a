/// Why the library did not do what was asked. Commands and Reader make a sentence of it.
public enum LibraryFailure: Error, Hashable, Sendable {
  /// There is no home directory to keep it in.
  case noPlace
  /// The place or the file may not be written.
  case readOnly
  /// The place may not be read; `errno`.
  case unreadable(path: String, code: Int32)
  case diskFull
  /// Another process held the library for longer than one waits.
  case busy
  /// The file comes from a newer version of the program. It is left as it is.
  case newer(path: String)
  /// The file is something else, or nothing says that it is a library. It is left as it is.
  case foreign(path: String)
  /// The file says that it is a library, but its tables are not ours. It is left as it is.
  case strangeSchema(path: String)
  /// The file is damaged, and another process has it open.
  case damagedInUse(path: String)
  /// The file is damaged, and a symbolic link led to it. It is left as it is.
  case damagedBehindLink(path: String)
  /// What was read is not what was written.
  case damaged(path: String)
  /// While the library was open, its file was replaced or removed.
  case replaced(path: String)
  /// What was to be undone was changed since.
  case changedMeanwhile(Thing)
  /// There is no such thing (any more).
  case missing(Thing)
  case note(NoteText.Problem)
  /// SQLite's result code and what it says.
  case database(code: Int32, message: String)

  /// Whether it ends as soon as another process lets the library go: `LibraryOwner` tries again.
  public var isForMoments: Bool {
    switch self {
    case .busy, .damagedInUse: true
    default: false
    }
  }
}
