import Foundation

/// Where the programs are that tests start.
enum Program {
  /// The checkout that this file is part of.
  static let checkout: String = {
    var url = URL(fileURLWithPath: #filePath)
    for _ in 0..<4 { url.deleteLastPathComponent() }
    return url.path
  }()

  /// The reader under test.
  static func reader() throws -> String {
    if let named = ProcessInfo.processInfo.environment["QURAN_VI_BINARY"], !named.isEmpty {
      guard access(named, X_OK) == 0 else {
        throw Failure("QURAN_VI_BINARY names \(named), which cannot be executed")
      }
      return named
    }
    let built = "\(checkout)/.build/release/quran-vi"
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
    let tests =
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    let built = URL(filePath: tests).deletingLastPathComponent().path + "/record-service"
    let path = named.isEmpty ? built : named
    guard access(path, X_OK) == 0 else { throw Failure("there is no service to test: \(path)") }
    return path
  }

  /// A program that the machine has, looked for in PATH.
  static func named(_ name: String) throws -> String {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    for directory in path.split(separator: ":") where access("\(directory)/\(name)", X_OK) == 0 {
      return "\(directory)/\(name)"
    }
    throw Failure("the tests need \(name), which is not installed")
  }
}
