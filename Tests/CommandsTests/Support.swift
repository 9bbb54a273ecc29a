import Foundation

@testable import Commands

/// What a command wrote.
final class Output {
  private(set) var text = ""

  var lines: [String] {
    text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map { String($0) }
  }

  func console(isTerminal: Bool = false, columns: Int = 80, hasStyles: Bool = false) -> Console {
    Console(isTerminal: isTerminal, columns: columns, hasStyles: hasStyles) { self.text += $0 }
  }
}

/// A directory that goes with the test.
final class TemporaryDirectory {
  let path: String

  init() throws {
    var template = Array((NSTemporaryDirectory() + "/quran-vi-XXXXXX").utf8CString)
    guard let made = mkdtemp(&template) else { throw POSIXError(.EIO) }
    path = String(cString: made)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  var contents: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
  }

  /// A program that runs these lines of shell.
  func program(_ name: String, _ script: String = "exit 0", in directory: String = "") throws {
    let file = "\(path)/\(directory)\(name)"
    try "#!/bin/sh\n\(script)\n".write(toFile: file, atomically: false, encoding: .utf8)
    chmod(file, 0o700)
  }
}

/// The permissions of a file, as chmod takes them.
func permissions(of path: String) throws -> Int {
  let attributes = try FileManager.default.attributesOfItem(atPath: path)
  return (attributes[.posixPermissions] as? Int ?? -1) & 0o777
}

/// An ayah as `--json` prints it.
struct DecodedAyah: Decodable, Equatable {
  let ayah: String
  let surah: Int
  let number: Int
  let edition: String
  let text: String
}
