import CloudRecords
import FoundationEssentials
import Glibc
import RecordServer

/// The data directory of a record service. Only its owner can access it.
struct ServiceHome: Hashable, Sendable {
  /// The path of the directory.
  let directory: String

  /// The path of the database, which has the records and the accounts.
  var database: String { "\(directory)/records.sqlite" }
  /// The path of the key file, which tokens and encrypted fields depend on. Backups do not contain
  /// it.
  var key: String { "\(directory)/server.key" }
  /// The path of the file with the secret of the first API token. The server prints the secret
  /// only when it creates it.
  var apiToken: String { "\(directory)/api-token" }

  /// Determines the directory: the value of `--data`, or `record-service` in `$XDG_DATA_HOME` or
  /// `~/.local/share`.
  ///
  /// - Parameters:
  ///   - data: the value of `--data`.
  ///   - environment: the environment variables.
  /// - Throws: a `ServiceCommandFailure` if neither the option nor any of the variables, including
  ///   `$HOME`, is set.
  init(
    data: String?, environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(ServiceCommandFailure) {
    func value(_ name: String) -> String? {
      environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }
    // The XDG Base Directory Specification says that relative paths are ignored.
    let xdg = value("XDG_DATA_HOME").flatMap { $0.hasPrefix("/") ? $0 : nil }
    let shared = xdg ?? value("HOME").map { "\($0)/.local/share" }
    guard
      let path = data ?? shared.map({ "\($0)/record-service" }),
      !path.isEmpty
    else {
      throw ServiceCommandFailure(.usage, CommandMessages.noDataDirectory)
    }
    directory = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
  }

  /// Whether the directory has a database.
  var isThere: Bool { access(database, F_OK) == 0 }

  /// Creates the directory with mode 0700 if it does not exist.
  func makeDirectory() throws(ServiceCommandFailure) {
    let parent = URL(filePath: directory).deletingLastPathComponent().path
    // Ignore a failure here: the creation of the directory itself then fails, and that is reported.
    try? FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
    guard mkdir(directory, 0o700) == 0 || errno == EEXIST else {
      throw ServiceCommandFailure(
        .refused, CommandMessages.cannotCreateDirectory(directory, code: errno))
    }
  }

  /// Runs a closure under an exclusive lock on the directory, so that two processes never create or
  /// upgrade the tables at the same time.
  func exclusively<Value>(_ body: () async throws -> Value) async throws -> Value {
    let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    // Ignore a directory that cannot be opened: opening its files then fails, and that is reported.
    defer { if descriptor >= 0 { close(descriptor) } }
    while flock(descriptor, LOCK_EX) < 0, errno == EINTR {}
    return try await body()
  }
}
