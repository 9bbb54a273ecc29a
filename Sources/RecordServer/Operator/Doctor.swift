public import CloudRecords
import Glibc

/// Checks everything that a record service depends on: files, the database and its schemas. It
/// creates and repairs nothing, except that opening a database of an older version migrates it.
///
///     let findings = await Doctor(directory: …, database: …, key: …, apiToken: …).findings()
public struct Doctor: Sendable {
  /// The result of one check.
  public struct Finding: Hashable, Sendable {
    /// The check.
    public let check: Check
    /// What was found.
    public let fact: Fact

    /// Whether the check passed.
    public var isOK: Bool { fact.isOK }
  }

  /// The checks. Their names do not change between versions, so that scripts can rely on them.
  public enum Check: String, Sendable {
    case directory, key, database
    case apiToken = "api-token"
    case space, contents, schema, counts, history, server
  }

  /// What a check found.
  public enum Fact: Hashable, Sendable {
    /// The file or directory has these permissions, and they are not too wide.
    case mode(path: String, UInt32)
    /// Users other than the owner may use the file or directory; `allowed` has the widest
    /// permissions that are not reported.
    case exposed(path: String, UInt32, allowed: UInt32)
    /// The file or directory belongs to another user than the data directory.
    case otherOwner(path: String, directory: String)
    /// The file or directory cannot be examined; `code` is an `errno`.
    case inaccessible(path: String, code: Int32)
    /// The server has not created the file yet.
    case notCreated(path: String)
    /// There is no key file.
    case missingKey(path: String)
    /// The key file has a key.
    case key(path: String)
    /// The PostgreSQL database has the key.
    case keyInDatabase
    /// The key file cannot be read, or it does not contain a key.
    case keyFailure(ServerKeyFailure)
    /// The number of free bytes in the file system of the data directory, and whether they are
    /// enough.
    case space(bytes: Int, isEnough: Bool)
    /// Free space cannot be determined.
    case unknownSpace
    /// The database has no fault.
    case sound
    /// The database has a fault.
    case fault(DatabaseFault)
    /// The database cannot be read.
    case storageFailure(StorageFailure)
    /// The container has a schema. `types` is the number of record types in production, `changes`
    /// the number of changes in development that are not deployed.
    case schema(ContainerID, types: Int, changes: Int)
    /// The container lacks the schema of an environment.
    case missingSchema(ContainerID)
    /// The numbers of accounts, records and unfinished jobs.
    case counts(accounts: Int, records: Int, jobs: Int)
    /// The number of responses that told a client that the database has lost changes.
    case forks(Int)
    /// The process that has the database open; nil if there is none.
    case server(process: Int32?)
  }

  /// The minimum free space, in bytes.
  static let minimumFreeBytes = 100 << 20

  private let directory: String
  private let database: String
  private let key: String
  private let apiToken: String

  /// Creates a doctor for the files at these paths.
  ///
  /// - Parameters:
  ///   - directory: the data directory.
  ///   - database: the database file.
  ///   - key: the file of the server key.
  ///   - apiToken: the file with the secret of the first API token.
  public init(directory: String, database: String, key: String, apiToken: String) {
    self.directory = directory
    self.database = database
    self.key = key
    self.apiToken = apiToken
  }

  /// Runs all checks.
  public func findings() async -> [Finding] {
    // Do this before this process opens the database; see `process(using:)`.
    let process = SQLiteRecordStorage.process(using: database)
    var findings = [
      Finding(check: .directory, fact: mode(directory, 0o700)),
      Finding(check: .key, fact: keyFile),
      Finding(check: .database, fact: mode(database, 0o600)),
      Finding(check: .apiToken, fact: apiTokenFile),
      Finding(check: .space, fact: freeSpace),
    ]
    if access(database, F_OK) == 0 { findings += await contents() }
    return findings + [Finding(check: .server, fact: .server(process: process))]
  }

  // MARK: Files

  /// Checks the permissions and the owner of a file or directory.
  ///
  /// - Parameter wanted: the permissions that it may have at most.
  private func mode(_ path: String, _ wanted: mode_t) -> Fact {
    var status = stat()
    guard stat(path, &status) == 0 else { return .inaccessible(path: path, code: errno) }
    let found = status.st_mode & 0o777
    guard found & ~wanted == 0 else { return .exposed(path: path, found, allowed: wanted) }
    var home = stat()
    // A file created by a command that root ran may not be readable for the server.
    guard stat(directory, &home) != 0 || home.st_uid == status.st_uid else {
      return .otherOwner(path: path, directory: directory)
    }
    return .mode(path: path, found)
  }

  private var keyFile: Fact {
    guard access(key, F_OK) == 0 else { return .missingKey(path: key) }
    let file = mode(key, 0o600)
    guard file.isOK else { return file }
    do {
      _ = try ServerKey.existing(path: key)
      return .key(path: key)
    } catch {
      return .keyFailure(error)
    }
  }

  private var apiTokenFile: Fact {
    let file = mode(apiToken, 0o600)
    return file == .inaccessible(path: apiToken, code: ENOENT) ? .notCreated(path: apiToken) : file
  }

  private var freeSpace: Fact {
    var system = statvfs()
    guard statvfs(directory, &system) == 0 else { return .unknownSpace }
    let free = Int(system.f_bavail) * Int(system.f_frsize)
    return .space(bytes: free, isEnough: free >= Self.minimumFreeBytes)
  }

  // MARK: Contents

  private func contents() async -> [Finding] {
    do {
      let storage = try SQLiteRecordStorage(path: database)
      defer { try? storage.close() }
      return try await Self.contents(
        of: storage, AccountStorage(storage.database), faults: storage.faults())
    } catch {
      return [Finding(check: .contents, fact: .storageFailure(StorageFailure(error)))]
    }
  }

  /// Checks a service whose data is in a PostgreSQL database.
  ///
  /// - Parameter address: the address of the database.
  public static func findings(inPostgreSQL address: String) async -> [Finding] {
    do {
      let storage = try await PostgreSQLRecordStorage(address, createsTables: false)
      _ = try await storage.serverKey()
      let faults = try await storage.read { try $0.inconsistencies() }
      return try await [Finding(check: .key, fact: .keyInDatabase)]
        + contents(of: storage, AccountStorage(storage), faults: faults)
    } catch {
      return [Finding(check: .contents, fact: .storageFailure(StorageFailure(error)))]
    }
  }

  private static func contents(
    of storage: any RecordStorage, _ accounts: AccountStorage, faults: [DatabaseFault]
  ) async throws -> [Finding] {
    let faults = faults.map(Fact.fault)
    return try await (faults.isEmpty ? [.sound] : faults).map {
      Finding(check: .contents, fact: $0)
    }
      + schemas(storage).map { Finding(check: .schema, fact: $0) }
      + [
        Finding(check: .counts, fact: counts(storage, accounts)),
        Finding(check: .history, fact: .forks(storage.read { try $0.forkCount() })),
      ]
  }

  private static func schemas(_ storage: any RecordStorage) async throws -> [Fact] {
    try await storage.read { transaction in
      try transaction.containers().map { container in
        guard let development = try transaction.state(of: container, .development)?.schema,
          let production = try transaction.state(of: container, .production)?.schema
        else { return .missingSchema(container) }
        return .schema(
          container, types: production.recordTypes.count,
          changes: Schema.changes(from: production, to: development).count)
      }
    }
  }

  private static func counts(
    _ storage: any RecordStorage, _ accounts: AccountStorage
  ) async throws -> Fact {
    let counts = try await storage.read { try $0.counts() }
    return .counts(
      accounts: try await accounts.accounts().count, records: counts.records, jobs: counts.jobs)
  }
}

extension Doctor.Fact {
  /// Whether nothing has to be done.
  var isOK: Bool {
    switch self {
    case .mode, .notCreated, .key, .keyInDatabase, .space(_, isEnough: true), .sound, .schema,
      .counts, .forks,
      .server:
      true
    case .exposed, .otherOwner, .inaccessible, .missingKey, .keyFailure, .space, .unknownSpace,
      .fault, .storageFailure, .missingSchema:
      false
    }
  }
}
