import Foundation
import TestSupport

/// A temporary directory with an empty home of a user, deleted at the end of
/// the test.
final class Home {
  private let directory: TemporaryDirectory
  var path: String { directory.path }

  init() throws {
    directory = try TemporaryDirectory()
    for name in ["home", "config", "data", "state", "cache", "runtime"] {
      guard mkdir("\(path)/\(name)", 0o700) == 0 else { throw Failure("mkdir \(name): \(errno)") }
    }
  }

  /// The whole environment of a program that a test starts: it contains no
  /// variables of the user who runs the tests.
  var environment: [String: String] {
    [
      "PATH": "/usr/local/bin:/usr/bin:/bin",
      "HOME": "\(path)/home",
      "XDG_CONFIG_HOME": "\(path)/config",
      "XDG_DATA_HOME": "\(path)/data",
      "XDG_STATE_HOME": "\(path)/state",
      "XDG_CACHE_HOME": "\(path)/cache",
      "XDG_RUNTIME_DIR": "\(path)/runtime",
      "LANG": "vi_VN.UTF-8",
      "TERM": "xterm-256color",
      "EDITOR": "true",
      // No test sends requests to QuranEnc.com.
      "QURAN_VI_QURANENC_URL": "http://127.0.0.1:1",
    ]
  }

  /// The environment with some variables set, and those given as nil unset.
  func environment(with changes: [String: String?]) -> [String: String] {
    environment.merging(changes.compactMapValues { $0 }) { _, new in new }
      .filter { name, _ in changes[name] != .some(nil) }
  }

  func contents(of name: String) throws -> String {
    try String(contentsOfFile: "\(path)/\(name)", encoding: .utf8)
  }

  func write(_ text: String, to name: String) throws {
    try text.write(toFile: "\(path)/\(name)", atomically: false, encoding: .utf8)
  }

  /// Creates a program from lines of shell, for variables such as `EDITOR`.
  ///
  /// - Returns: its path.
  func program(_ name: String, _ script: String) throws -> String {
    try directory.program(name, script)
    return "\(path)/\(name)"
  }

  /// Every file below a directory, as names that `contents(of:)` takes.
  func files(under directory: String) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: "\(path)/\(directory)")
      .map { "\(directory)/\($0)" }
      .filter { name in
        var isDirectory: ObjCBool = false
        let path = "\(path)/\(name)"
        return FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
          && !isDirectory.boolValue
      }.sorted()
  }
}
