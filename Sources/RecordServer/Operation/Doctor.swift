import CloudRecords
import Glibc

/// Checks everything that a record service depends on: files, the database and its schemas. It
/// creates and repairs nothing, except that opening a database of an older version migrates it.
///
///     let findings = await Doctor(directory: …, database: …, key: …, apiToken: …).findings()
public struct Doctor: Sendable {
  /// The result of one check.
  public struct Finding: Codable, Hashable, Sendable {
    /// The name of the check. It does not change between versions, so that scripts can rely on it.
    public let id: String
    /// Whether the check passed.
    public let ok: Bool
    /// A sentence that describes the result.
    public let found: String
  }

  /// The minimum free space, in bytes.
  static let scarce = 100 << 20

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
    // Must precede the opening of the database by this process; see `process(using:)`.
    let process = SQLiteRecordStorage.process(using: database)
    var findings = [mode("directory", directory, 0o700), keyFile]
    findings += [("database", database), ("api-token", apiToken)].map { mode($0, $1, 0o600) }
    findings.append(freeSpace)
    if access(database, F_OK) == 0 { findings += await contents() }
    let running =
      process.map { "A server seems to be running: process \($0) has the database open." }
      ?? "No server seems to be running."
    findings.append(Finding(id: "server", ok: true, found: running))
    return findings
  }

  // MARK: Files

  /// Checks the permissions and the owner of a file or directory.
  ///
  /// - Parameter wanted: the permissions that it may have at most.
  private func mode(_ id: String, _ path: String, _ wanted: mode_t) -> Finding {
    var status = stat()
    guard stat(path, &status) == 0 else {
      let reason = String(cString: strerror(errno))
      // The server creates this file when it starts.
      let mayLack = id == "api-token" && errno == ENOENT
      return Finding(id: id, ok: mayLack, found: "\(path): \(reason).")
    }
    let found = status.st_mode & 0o777
    guard found & ~wanted == 0 else {
      return Finding(
        id: id, ok: false,
        found: "\(path) has mode \(octal(found)): others may use it. Run chmod \(octal(wanted)) "
          + "on it.")
    }
    var home = stat()
    // A file created by a command that root ran may not be readable for the server.
    guard stat(directory, &home) != 0 || home.st_uid == status.st_uid else {
      return Finding(
        id: id, ok: false,
        found: "\(path) belongs to another user than \(directory); run chown on it.")
    }
    return Finding(id: id, ok: true, found: "\(path) has mode \(octal(found)).")
  }

  private func octal(_ mode: mode_t) -> String { "0" + String(mode, radix: 8) }

  private var keyFile: Finding {
    // Loading the key would create a missing file.
    guard access(key, F_OK) == 0 else {
      return Finding(
        id: "key", ok: false,
        found: "\(key) is missing; put it back from your copy. Encrypted fields cannot be read "
          + "without it.")
    }
    let file = mode("key", key, 0o600)
    guard file.ok else { return file }
    do {
      _ = try ServerKey.load(path: key) { [UInt8](repeating: 0, count: $0) }
      return Finding(id: "key", ok: true, found: "\(key) holds a key that only its owner reads.")
    } catch {
      return Finding(id: "key", ok: false, found: error.sentence)
    }
  }

  private var freeSpace: Finding {
    var system = statvfs()
    guard statvfs(directory, &system) == 0 else {
      return Finding(id: "space", ok: false, found: "Free space cannot be told.")
    }
    let free = Int(system.f_bavail) * Int(system.f_frsize)
    return Finding(
      id: "space", ok: free >= Self.scarce,
      found: "\(free >> 20) MiB are free" + (free < Self.scarce ? "; make room." : "."))
  }

  // MARK: Contents

  private func contents() async -> [Finding] {
    do {
      let storage = try SQLiteRecordStorage(path: database)
      defer { try? storage.close() }
      var findings = try await storage.problems().map {
        Finding(id: "contents", ok: false, found: "The database has a fault: \($0).")
      }
      if findings.isEmpty {
        findings.append(Finding(id: "contents", ok: true, found: "The database has no fault."))
      }
      return try await findings + schemas(storage) + [counts(storage), history(storage)]
    } catch {
      return [Finding(id: "contents", ok: false, found: error.sentence)]
    }
  }

  private func schemas(_ storage: SQLiteRecordStorage) async throws(StorageFailure) -> [Finding] {
    do {
      return try await storage.read { transaction in
        try transaction.containers().map { container in
          let states = try ContainerEnvironment.allCases.map { environment in
            try transaction.state(of: container, environment)?.schema
          }
          guard let development = states[0], let production = states[1] else {
            return Finding(id: "schema", ok: false, found: "\(container) lacks a schema.")
          }
          let changes = Schema.changes(from: production, to: development).count
          return Finding(
            id: "schema", ok: true,
            found: "\(container) has \(production.recordTypes.count) record types in production"
              + (changes == 0 ? "." : "; changes that are not deployed: \(changes)."))
        }
      }
    } catch {
      throw StorageFailure(error)
    }
  }

  private func history(_ storage: SQLiteRecordStorage) async throws(StorageFailure) -> Finding {
    let count: Int
    do { count = try await storage.read { try $0.forkCount() } } catch {
      throw StorageFailure(error)
    }
    let found =
      count == 0
      ? "No client knew of changes that this database has lost."
      : "Answers that told a client that this database has lost changes it knew, as after files "
        + "were put back: \(count)."
    return Finding(id: "history", ok: true, found: found)
  }

  private func counts(_ storage: SQLiteRecordStorage) async throws(StorageFailure) -> Finding {
    let accounts = try await SQLitePeopleStorage(storage.database).accounts().count
    let counts = try await storage.counts()
    return Finding(
      id: "counts", ok: true,
      found: "Accounts: \(accounts), records: \(counts.records), unfinished jobs: \(counts.jobs)"
        + (counts.jobs == 0 ? "." : "; a server goes on with them when it starts."))
  }
}
