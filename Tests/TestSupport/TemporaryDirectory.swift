import Foundation

/// A directory that is deleted after the test.
public final class TemporaryDirectory {
  public let path: String

  public init() throws {
    path = "\(Self.parent)/quran-vi-test-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
  }

  deinit {
    // A program that is just ending may still be adding a file.
    for _ in 0..<10 where FileManager.default.fileExists(atPath: path) {
      try? FileManager.default.removeItem(atPath: path)
    }
  }

  /// The parent of the directories. Its path is short: the path of a socket has a limit.
  private static var parent: String {
    guard let named = ProcessInfo.processInfo.environment["TMPDIR"], named.hasPrefix("/"),
      named.utf8.count < 60
    else { return "/tmp" }
    return named.hasSuffix("/") && named.count > 1 ? String(named.dropLast()) : named
  }

  public var contents: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
  }

  /// Creates a program that runs a shell script.
  public func program(_ name: String, _ script: String = "exit 0", in directory: String = "") throws
  {
    let file = "\(path)/\(directory)\(name)"
    let draft = file + ".draft"
    try "#!/bin/sh\n\(script)\n".write(toFile: draft, atomically: false, encoding: .utf8)
    // Another process writes the program: a child process that another test starts at this moment
    // inherits the open files of this process, and a file open for writing cannot be executed.
    let install = Process()
    install.executableURL = URL(filePath: "/usr/bin/install")
    install.arguments = ["-m", "700", draft, file]
    try install.run()
    install.waitUntilExit()
    try FileManager.default.removeItem(atPath: draft)
  }
}

/// The permissions of a file, as chmod takes them.
public func permissions(of path: String) throws -> Int {
  let attributes = try FileManager.default.attributesOfItem(atPath: path)
  return (attributes[.posixPermissions] as? Int ?? -1) & 0o777
}
