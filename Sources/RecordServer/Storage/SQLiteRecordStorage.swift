import FoundationEssentials
public import GRDB
import Glibc

/// Stores records in an SQLite file with GRDB. There is one writer at a time. Concurrent readers
/// see the state that was committed when they began.
public final class SQLiteRecordStorage: RecordStorage {
  /// The database. It may have other tables, such as those of accounts.
  public let database: any DatabaseWriter
  /// The permanent ID of the service, stored with its data: 32 hexadecimal digits. All copies of
  /// the file have the same ID.
  public let serviceID: String
  private let transactions: SQLTransactions

  /// How long connections wait for a lock, in seconds.
  private static let busyTimeout = 5.0

  /// Opens a database file, or creates one that only its owner can read.
  ///
  /// - Parameters:
  ///   - path: the path of the file.
  ///   - onFailure: called with each failure after the file is opened, including its cause, which
  ///     is not sent to clients.
  ///   - prepare: called with each new connection; tests use it to inspect statements.
  /// - Throws: a `StorageFailure`, also if the file belongs to another application or was written
  ///   by a newer version.
  public convenience init(
    path: String, onFailure: @escaping @Sendable (StorageFailure) -> Void = { _ in },
    prepare: (@Sendable (Database) throws -> Void)? = nil
  ) throws(StorageFailure) {
    do {
      // SQLite would create a file that other users can read.
      let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else {
        throw StorageFailure.file(.open, path)
      }
      Glibc.close(descriptor)
      var configuration = Configuration()
      configuration.busyMode = .timeout(Self.busyTimeout)
      configuration.maximumReaderCount = SQLiteDatabase.readerCount
      if let prepare { configuration.prepareDatabase(prepare) }
      try Self.refuseForeign(path)
      let pool = try DatabasePool(path: path, configuration: configuration)
      // Committed changes must survive a loss of power. GRDB sets NORMAL by default.
      try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
      try self.init(pool, onFailure)
    } catch {
      throw StorageFailure(error)
    }
  }

  /// Creates an empty storage in memory.
  ///
  /// - Parameter prepare: called with each new connection.
  public convenience init(
    inMemory prepare: (@Sendable (Database) throws -> Void)? = nil
  ) throws(StorageFailure) {
    do {
      var configuration = Configuration()
      if let prepare { configuration.prepareDatabase(prepare) }
      try self.init(DatabaseQueue(configuration: configuration))
    } catch {
      throw StorageFailure(error)
    }
  }

  private init(
    _ database: any DatabaseWriter,
    _ onFailure: @escaping @Sendable (StorageFailure) -> Void = { _ in }
  ) throws {
    self.database = database
    transactions = SQLTransactions(
      database: SQLiteDatabase(database: database), onFailure: onFailure)
    try RecordTables.migrator.migrate(database)
    // Uses the writer connection. A reader connection opened here could be the last one that is
    // closed, and it could not move the WAL into the database file.
    serviceID = try database.writeWithoutTransaction {
      try SQLTransaction(SQLiteConnection($0), cache: StorageCache())
        .serviceID()
    }
  }

  /// Checks that a file is either a database of this service or empty.
  ///
  /// - Throws: a `StorageFailure` if it belongs to another application or was written by a newer
  ///   version.
  static func refuseForeign(_ path: String) throws {
    var configuration = Configuration()
    configuration.busyMode = .timeout(busyTimeout)
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    defer { try? queue.close() }
    try queue.inDatabase { database in
      let id = try Int32.fetchOne(database, sql: "PRAGMA application_id")
      let count = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_schema")
      guard id == RecordTables.applicationID || id == 0 && count == 0 else {
        throw StorageFailure.failed(.foreignDatabase(path: path))
      }
      let known = Set(RecordTables.migrator.migrations)
      let applied = try RecordTables.migrator.appliedIdentifiers(database)
      guard applied.allSatisfy({ known.contains($0) || !$0.hasPrefix("records-") }) else {
        throw StorageFailure.failed(.newerDatabase(path: path))
      }
    }
  }

  public func read<Value: Sendable>(
    within budget: RowBudget?, _ body: @escaping @Sendable (SQLTransaction) throws -> Value
  ) async throws -> Value {
    try await transactions.read(within: budget, body)
  }

  public func write<Value: Sendable>(
    for account: Int64?, _ body: @escaping @Sendable (SQLWriteTransaction) throws -> Value
  ) async throws -> Value {
    try await transactions.write(for: account, body)
  }

  /// Closes the database. Later operations fail.
  public func close() throws(StorageFailure) {
    // The last connection that is closed moves the WAL into the file, which readers cannot do.
    (database as? DatabasePool)?.invalidateReadOnlyConnections()
    do { try database.close() } catch { throw StorageFailure(error) }
  }
}

extension StorageFailure {
  init(_ error: any Error) {
    switch error {
    case let failure as StorageFailure: self = failure
    case is CancellationError: self = .cancelled
    case let error as DatabaseError:
      switch error.resultCode {
      case .SQLITE_BUSY, .SQLITE_LOCKED: self = .busy
      case .SQLITE_FULL: self = .full
      case .SQLITE_INTERRUPT, .SQLITE_ABORT: self = .cancelled
      // GRDB's own description would include the arguments.
      default:
        self = .failed(
          .sqlite(code: error.extendedResultCode.rawValue, message: error.message ?? ""))
      }
    default: self = .failed(.unexpected(type: "\(type(of: error))"))
    }
  }
}
