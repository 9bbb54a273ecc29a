import FoundationEssentials
public import GRDB
import Glibc

/// Records in an SQLite file, through GRDB: one writer, and readers beside it that see what
/// was committed when they began.
public final class SQLiteRecordStorage: RecordStorage {
  /// The file may hold other tables than these: people live in it too.
  public let database: any DatabaseWriter
  /// The permanent id of the service, kept with its data: 32 hexadecimal digits. It is the same
  /// in every copy of the file.
  public let serviceID: String
  private let states = StateCache()
  private let onFailure: @Sendable (StorageFailure) -> Void

  /// How long processes wait for each other, in seconds.
  private static let patience = 5.0

  /// Opens a file, making it where there is none. Only its owner can read a new one.
  ///
  /// - Parameters:
  ///   - onFailure: gets what goes wrong from then on, with its cause, which clients are not told.
  ///   - prepare: gets each connection to it; tests look at the statements there.
  public convenience init(
    path: String, onFailure: @escaping @Sendable (StorageFailure) -> Void = { _ in },
    prepare: (@Sendable (Database) throws -> Void)? = nil
  ) throws(StorageFailure) {
    do {
      // SQLite would make a file that others can read.
      let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else {
        throw StorageFailure.system("open", path)
      }
      Glibc.close(descriptor)
      var configuration = Configuration()
      configuration.busyMode = .timeout(Self.patience)
      // More would wait for each other, each with a cache of its own.
      configuration.maximumReaderCount = max(4, ProcessInfo.processInfo.activeProcessorCount)
      if let prepare { configuration.prepareDatabase(prepare) }
      try Self.refuseForeign(path)
      let pool = try DatabasePool(path: path, configuration: configuration)
      // An acknowledged change outlives a loss of power. GRDB sets NORMAL by itself.
      try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
      try self.init(pool, onFailure)
    } catch {
      throw StorageFailure(error)
    }
  }

  /// Storage that lives in memory and goes with the value.
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
    self.onFailure = onFailure
    try RecordTables.migrator.migrate(database)
    // On the connection that writes: the last one that is closed takes the WAL into the file, and
    // one that only reads cannot do that.
    serviceID = try database.writeWithoutTransaction { [states] in
      try SQLiteTransaction($0, states: states).serviceID()
    }
  }

  /// Looks at a file before it becomes one of this service: it must be that already, or have
  /// nothing in it.
  static func refuseForeign(_ path: String) throws {
    var configuration = Configuration()
    configuration.busyMode = .timeout(patience)
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    defer { try? queue.close() }
    try queue.inDatabase { database in
      let id = try Int32.fetchOne(database, sql: "PRAGMA application_id")
      let count = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_schema")
      guard id == RecordTables.applicationID || id == 0 && count == 0 else {
        throw StorageFailure.failed("\(path) is a database of something else")
      }
      let known = Set(RecordTables.migrator.migrations)
      let applied = try RecordTables.migrator.appliedIdentifiers(database)
      guard applied.allSatisfy({ known.contains($0) || !$0.hasPrefix("records-") }) else {
        throw StorageFailure.failed("\(path) was written by a newer version")
      }
    }
  }

  public func read<Value: Sendable>(
    _ body: @escaping @Sendable (any RecordReading) throws -> Value
  ) async throws -> Value {
    do {
      return try await database.read { [states] in
        try body(SQLiteTransaction($0, states: states))
      }
    } catch {
      throw mapped(error)
    }
  }

  public func write<Value: Sendable>(
    _ body: @escaping @Sendable (any RecordWriting) throws -> Value
  ) async throws -> Value {
    do {
      return try await database.write { [states] in
        try body(SQLiteTransaction($0, states: states))
      }
    } catch {
      throw mapped(error)
    }
  }

  /// Ends all that is going on; afterwards everything fails.
  public func close() throws(StorageFailure) {
    do { try database.close() } catch { throw StorageFailure(error) }
  }

  /// An error of storage as what it is; any other as it came.
  private func mapped(_ error: any Error) -> any Error {
    guard error is DatabaseError || error is CancellationError || error is StorageFailure else {
      return error
    }
    let failure = StorageFailure(error)
    onFailure(failure)
    return failure
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
      // GRDB's description would hold the arguments.
      default: self = .failed("\(error.extendedResultCode): \(error.message ?? "")")
      }
    default: self = .failed("\(type(of: error))")
    }
  }
}
