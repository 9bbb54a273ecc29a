/// The reason why a request to the library failed. `Messages` makes a sentence of it.
public enum LibraryFailure: Error, Hashable, Sendable {
  /// There is no home directory in which the library could be stored.
  case noHomeDirectory
  /// The directory or the file cannot be written.
  case readOnly
  /// The library or its lock file cannot be opened or read. `code` is the `errno`.
  case unreadable(path: String, code: Int32)
  /// The disk or a quota is full.
  case diskFull
  /// Another process locked the library for longer than 5 seconds, or has it open when a backup is
  /// to be restored.
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
  /// The file is damaged, and it was not replaced by a new library.
  case damaged(path: String)
  /// The backup is damaged, and does not replace the library.
  case damagedBackup(path: String)
  /// The file was replaced or removed while the library was open.
  case replaced(path: String)
  /// The thing was changed after the commit that was to be reversed.
  case changedMeanwhile(Thing)
  /// The text is empty or too long for a note.
  case note(NoteText.Problem)
  /// Another error. `code` is the extended result code of SQLite; -1 if the error is not one of
  /// SQLite, and `message` then names its type.
  case database(code: Int32, message: String)

  /// Whether the failure ends when another process closes or unlocks the library. `LibraryOwner`
  /// then tries again.
  public var isTransient: Bool {
    switch self {
    case .busy, .damagedInUse: true
    default: false
    }
  }
}
