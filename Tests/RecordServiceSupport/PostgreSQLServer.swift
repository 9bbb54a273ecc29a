import Foundation
import NIOConcurrencyHelpers
import TestSupport

@testable import RecordServer

/// A PostgreSQL server in a temporary directory, for the tests of this process. It runs as an
/// ordinary user, listens only on a socket in the directory, and leaves nothing on the disk.
///
/// The server ends and its directory is deleted when this process ends for any reason: a shell
/// waits for the end of its input, which this process holds open. Signals to this process or its
/// group do not reach the shell.
final class PostgreSQLServer: Sendable {
  /// The directory of PostgreSQL's programs; nil if PostgreSQL is not installed.
  static let programs: String? = {
    let parent = "/usr/lib/postgresql"
    let versions = (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
    let newest = versions.compactMap(Int.init).max().map { "\(parent)/\($0)/bin" }
    return
      ([newest]
      + (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
      .map(String.init)).compactMap { $0 }
      .first { FileManager.default.isExecutableFile(atPath: $0 + "/initdb") }
  }()

  /// The server of this process, which is started at its first use.
  static let shared = Result { try PostgreSQLServer() }

  private let directory: String
  private let input = Pipe()
  private let count = NIOLockedValueBox(0)

  /// The error of a server that did not start, or of a process that does not exist.
  struct Failure: Error {
    let output: String
  }

  /// Starts a server. A test that changes the settings of its server needs a server of its own.
  init() throws {
    guard let programs = Self.programs else { throw Failure(output: "PostgreSQL is missing") }
    directory = "/tmp/quran-vi-pg-\(UUID().uuidString.prefix(8))"
    // The server refuses to run as root.
    let user = getuid() == 0 ? "setpriv --reuid=nobody --regid=nogroup --clear-groups" : ""
    let shell = Process()
    shell.executableURL = URL(filePath: "/usr/bin/setsid")
    shell.arguments = [
      "/bin/sh", "-c",
      """
      trap '' INT TERM HUP PIPE
      mkdir -m 700 "$1" && { [ -z "$3" ] || chown nobody "$1"; } && cd "$1" && {
        $3 "$2/initdb" -D "$1/data" -U tests -A trust -E UTF8 --locale=C --no-sync
        $3 "$2/pg_ctl" -D "$1/data" -l "$1/log" -w start -o "-k $1 -c listen_addresses= \
          -c fsync=off -c full_page_writes=off -c synchronous_commit=off -c max_connections=500 \
          -c autovacuum=off -c shared_buffers=64MB"
      } >&2
      echo started
      cat >/dev/null
      $3 "$2/pg_ctl" -D "$1/data" -m immediate stop >&2
      cd /; rm -rf "$1"
      """, "sh", directory, programs, user,
    ]
    let output = Pipe()
    let log = Pipe()
    shell.standardInput = input
    shell.standardOutput = output
    shell.standardError = log
    try shell.run()
    _ = output.fileHandleForReading.availableData
    do {
      try execute("SELECT 1")
    } catch {
      try input.fileHandleForWriting.close()
      let said = String(
        decoding: log.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      throw Failure(output: "\(error)\n\(said)")
    }
  }

  private func address(_ database: String) -> String {
    "postgresql://tests@/\(database)?host=\(directory)"
  }

  /// Creates a database without tables.
  func makeDatabase() throws -> TestDatabase {
    let number = count.withLockedValue { count in
      count += 1
      return count
    }
    let name = "test_\(number)"
    try execute("CREATE DATABASE \(name)")
    return TestDatabase(server: self, name: name, address: address(name))
  }

  /// Sends a signal to all processes of the server. No process may begin during the call.
  func signal(_ signal: Int32) throws {
    let file = try String(contentsOfFile: "\(directory)/data/postmaster.pid", encoding: .utf8)
    let first = file.prefix { $0 != "\n" }
    let children = try String(
      contentsOfFile: "/proc/\(first)/task/\(first)/children", encoding: .utf8)
    for process in [first] + children.split(separator: " ") {
      guard let id = pid_t(process), kill(id, signal) == 0 else {
        throw Failure(output: "no process \(process)")
      }
    }
  }

  fileprivate func execute(_ sql: String) throws {
    try PostgreSQLConnection(address("postgres")).execute(sql)
  }
}

/// A database of a test, which is deleted after the test.
final class TestDatabase: Sendable {
  private let server: PostgreSQLServer
  private let name: String
  let address: String

  fileprivate init(server: PostgreSQLServer, name: String, address: String) {
    self.server = server
    self.name = name
    self.address = address
  }

  deinit { try? drop() }

  func drop() throws { try server.execute("DROP DATABASE IF EXISTS \(name) WITH (FORCE)") }
}
