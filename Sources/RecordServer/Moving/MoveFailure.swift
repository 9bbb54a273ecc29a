/// The reason why a service cannot be moved. The service is unchanged, and the copy is discarded.
public enum MoveFailure: Error, Hashable, Sendable {
  /// The PostgreSQL database to which the service was to be moved has tables.
  case databaseNotEmpty
  /// The directory to which the service was to be moved has files.
  case directoryNotEmpty(path: String)
  /// A server or a command is using the service in the PostgreSQL database.
  case databaseInUse
  /// The rows of a table are not the same after they were copied.
  case differs(table: String)
}
