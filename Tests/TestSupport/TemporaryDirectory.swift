import Foundation

/// A directory that goes with the test.
public final class TemporaryDirectory {
  public let path: String

  public init() throws {
    var template = Array((NSTemporaryDirectory() + "/quran-vi-XXXXXX").utf8CString)
    guard let made = mkdtemp(&template) else { throw POSIXError(.EIO) }
    path = String(cString: made)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  public var contents: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
  }

  /// A program that runs these lines of shell.
  public func program(_ name: String, _ script: String = "exit 0", in directory: String = "") throws
  {
    let file = "\(path)/\(directory)\(name)"
    try "#!/bin/sh\n\(script)\n".write(toFile: file, atomically: false, encoding: .utf8)
    chmod(file, 0o700)
  }
}

/// The permissions of a file, as chmod takes them.
public func permissions(of path: String) throws -> Int {
  let attributes = try FileManager.default.attributesOfItem(atPath: path)
  return (attributes[.posixPermissions] as? Int ?? -1) & 0o777
}
