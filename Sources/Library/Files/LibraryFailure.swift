/// The reason why a request to the library failed. `Messages` makes a sentence of it.
public enum LibraryFailure: Error, Hashable, Sendable {
  /// There is no home directory in which the library could be stored.
  case noPlace
  /// The directory or the file cannot be written.
  case readOnly
  /// The file cannot be read; `errno`.
  case unreadable(path: String, code: Int32)
  /// The disk or a quota is full.
  case diskFull
  /// Another process locked the library for longer than `Library.busyTimeout`.
  case busy
  /// The file was made by a newer version of the program. It is left unchanged.
  case newer(path: String)
  /// The file belongs to another program, or nothing shows that it is a library. It is left
  /// unchanged.
  case foreign(path: String)
  /// The file is marked as a library, but has a schema of another program. It is left unchanged.
  case strangeSchema(path: String)
  /// The file is damaged, and another process has it open.
  case damagedInUse(path: String)
  /// The file is damaged, and was named by a symbolic link. It is left unchanged.
  case damagedBehindLink(path: String)
  /// The file is damaged.
  case damaged(path: String)
  /// The backup is damaged, and does not replace the library.
  case damagedBackup(path: String)
  /// The file was replaced or removed while the library was open.
  case replaced(path: String)
  /// The thing was changed after the commit that was to be reversed.
  case changedMeanwhile(Thing)
  /// There is no such thing, or it was deleted.
  case missing(Thing)
  /// The string is not the text of a note.
  case note(NoteText.Problem)
  /// Another error of SQLite, with its result code and message.
  case database(code: Int32, message: String)

  /// Whether the failure ends when another process closes or unlocks the library, so that
  /// `LibraryOwner` tries again.
  public var isForMoments: Bool {
    switch self {
    case .busy, .damagedInUse: true
    default: false
    }
  }
}
