import CloudRecords
import FoundationEssentials
import Glibc
import RecordServer

/// Where everything of a record service lies: one directory that only its owner may enter.
struct ServiceHome: Hashable, Sendable {
  let directory: String

  /// The database: records and people.
  var database: String { "\(directory)/records.sqlite" }
  /// What tokens and encrypted fields are made with. No backup has it.
  var key: String { "\(directory)/server.key" }
  /// The secret of the first API token, so that it can be told at every start.
  var apiToken: String { "\(directory)/api-token" }

  /// - Parameter data: as `--data` has it. Without it $RECORD_SERVICE_DATA, then
  ///   record-service in $XDG_DATA_HOME, then in ~/.local/share.
  /// - Throws: where none of them is set.
  init(
    data: String?, environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(CommandFailure) {
    func value(_ name: String) -> String? {
      environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }
    // The XDG specification has relative paths ignored.
    let xdg = value("XDG_DATA_HOME").flatMap { $0.hasPrefix("/") ? $0 : nil }
    let shared = xdg ?? value("HOME").map { "\($0)/.local/share" }
    guard
      let path = data ?? value("RECORD_SERVICE_DATA") ?? shared.map({ "\($0)/record-service" }),
      !path.isEmpty
    else {
      throw CommandFailure(.usage, "No directory is known for the data; name one with --data.")
    }
    directory = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
  }

  /// Whether a service was ever started here.
  var isThere: Bool { access(database, F_OK) == 0 }

  /// Makes the directory where it is missing, with mode 0700.
  func makeDirectory() throws(CommandFailure) {
    let parent = URL(filePath: directory).deletingLastPathComponent().path
    // What is wrong shows with the directory itself.
    try? FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
    guard mkdir(directory, 0o700) == 0 || errno == EEXIST else {
      let reason = String(cString: strerror(errno))
      throw CommandFailure(.refused, "The directory \(directory) cannot be made: \(reason).")
    }
  }

  /// Does something while no other process does: two that make or upgrade the tables at once
  /// would be in each other's way.
  func exclusively<Value>(_ body: () async throws -> Value) async throws -> Value {
    let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    // What is wrong with the directory shows with its files.
    defer { if descriptor >= 0 { close(descriptor) } }
    while flock(descriptor, LOCK_EX) < 0, errno == EINTR {}
    return try await body()
  }
}
