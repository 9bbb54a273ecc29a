import Foundation
import TestSupport

/// The paths of the programs that tests start.
enum Program {
  /// The reader under test.
  static func reader() throws -> String {
    if let named = ProcessInfo.processInfo.environment["QURAN_VI_BINARY"], !named.isEmpty {
      guard access(named, X_OK) == 0 else {
        throw Failure("QURAN_VI_BINARY names \(named), which cannot be executed")
      }
      return named
    }
    let built = "\(checkout.path)/.build-reader/release/quran-vi"
    guard access(built, X_OK) == 0 else {
      throw Failure(
        "there is no reader to test: `make test` builds it, or set QURAN_VI_BINARY"
          + " (looked for \(built))")
    }
    return built
  }

  /// The record service, built beside the tests.
  static func service() throws -> String {
    let named = ProcessInfo.processInfo.environment["RECORD_SERVICE_BINARY"] ?? ""
    let path = named.isEmpty ? programBesideTests("record-service") : named
    guard access(path, X_OK) == 0 else { throw Failure("there is no service to test: \(path)") }
    return path
  }

  /// Whether a test may mount in a namespace of its own, as root may in most containers.
  static let canMount: Bool = {
    guard let directory = try? TemporaryDirectory() else { return false }
    let script = #"mount --bind "$0" "$0" && mount -o remount,ro,bind "$0""#
    return withExtendedLifetime(directory) {
      let outcome = try? Outcome.of(
        "/usr/bin/unshare", ["-m", "sh", "-c", script, directory.path],
        environment: ["PATH": "/usr/local/bin:/usr/bin:/bin"], directory: "/")
      return outcome?.ending == .exited(0)
    }
  }()

  /// Returns the path of an installed program, which is found in PATH.
  static func installed(_ name: String) throws -> String {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    for directory in path.split(separator: ":") where access("\(directory)/\(name)", X_OK) == 0 {
      return "\(directory)/\(name)"
    }
    throw Failure("the tests need \(name), which is not installed")
  }
}
