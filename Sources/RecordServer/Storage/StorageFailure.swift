public import CloudRecords

/// The reason why a storage operation failed. Nothing was changed. After `commitUnanswered`,
/// however, the database server may have committed the changes.
public enum StorageFailure: Error, Hashable, Sendable {
  /// Another connection is using the database; the operation can be tried again.
  case busy
  /// The disk or the database is full.
  case full
  /// There is no connection to the database server; the operation can be tried again. The message
  /// is that of the server or of the system.
  case disconnected(message: String)
  /// The database server has not answered a COMMIT. Whether it has carried it out is unknown.
  case commitUnanswered
  /// The database server does not answer; the operation can be tried again.
  case unresponsive
  /// The task was cancelled.
  case cancelled
  /// A statement on PostgreSQL has reached its time limit (`PostgreSQLRowMeter`), although it has
  /// not looked at too many rows; the operation can be tried again.
  case slow
  /// The transaction has looked at more rows than its budget allows.
  case exhausted
  /// An error that repeating the request does not remove.
  case failed(Fault)

  /// The values of `sslmode` in the address of a PostgreSQL database.
  static let sslModes = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"]

  /// Whether the failure is that the database's address is invalid.
  public var isInvalidAddress: Bool {
    [.failed(.unreadableAddress), .failed(.invalidPort), .failed(.invalidSSLMode)].contains(self)
  }

  /// What failed. Contains no record names, so that it can be logged.
  public enum Fault: Hashable, Sendable {
    /// SQLite has reported an error, with its extended result code and its message.
    case sqlite(code: Int32, message: String)
    /// PostgreSQL has reported an error, with its SQLSTATE and its message.
    case postgresql(state: String, message: String)
    /// An operation on a file has failed with an `errno`.
    case file(FileOperation, path: String, code: Int32)
    /// The file is a database of another application.
    case foreignDatabase(path: String)
    /// The file was written by a newer version of the service.
    case newerDatabase(path: String)
    /// The PostgreSQL database was used by a newer version of the service.
    case newerTables
    /// The PostgreSQL database has no tables of a service.
    case noTables
    /// libpq, the client library of PostgreSQL, is not installed in version 14 or later.
    case missingPostgreSQLClient
    /// libpq cannot read the address of the database.
    case unreadableAddress
    /// The port in the address of the database is not from 1 to 65,535.
    case invalidPort
    /// The `sslmode` in the address of the database is not one of `sslModes`.
    case invalidSSLMode
    /// The text of the PostgreSQL database is not in UTF-8.
    case encoding
    /// Something that is stored cannot be decoded.
    case damaged(StoredItem)
    /// A row that must exist does not exist.
    case missing(StoredItem)
    /// A transaction was going to change rows of two owners.
    case severalOwners
    /// An unexpected error; the type is its Swift type.
    case unexpected(type: String)
  }

  /// An operation on a file.
  public enum FileOperation: Hashable, Sendable {
    case open, read, create, write
  }

  /// Something that is stored.
  public enum StoredItem: Hashable, Sendable {
    case serviceID
    /// The secret key of a service whose data is in a PostgreSQL database.
    case serverKey
    case container(ContainerID)
    case schema(ContainerID, ContainerEnvironment)
    case owner, zone, record, asset, encryptedFields, subscription, job
    /// A column of a row, by its name.
    case column(String)
    /// The ID of an indexed field.
    case fieldID
    case account(Account.ID)
    case session(WebSession.ID)
    case pushChannel(PushChannel.ID)
    case apiToken(APIToken.ID)
    case serverToServerKey(ServerToServerKey.ID)
  }
}

extension StorageFailure {
  /// The error that a client gets: TRY_AGAIN_LATER if repeating the request can help, BAD_REQUEST
  /// if it looks at too many rows, otherwise INTERNAL_ERROR.
  public var serviceError: ServiceError {
    switch self {
    case .busy, .disconnected, .commitUnanswered, .unresponsive, .cancelled, .slow:
      ServiceError(.tryAgainLater, cause: .storageBusy, retryAfter: 1)
    case .full: ServiceError(.tryAgainLater, cause: .storageFull, retryAfter: 60)
    case .exhausted: ServiceError(.badRequest, cause: .invalidPredicate(.tooManyRows))
    case .failed: ServiceError(.internalError, cause: .internalFailure)
    }
  }
}
