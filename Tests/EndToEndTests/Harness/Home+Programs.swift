import TestSupport
import Testing

/// Columns and rows of a terminal.
struct Size: Hashable, CustomStringConvertible {
  let columns: Int
  let rows: Int

  init(_ columns: Int, _ rows: Int) {
    self.columns = columns
    self.rows = rows
  }

  static let standard = Size(80, 24)

  var description: String { "\(columns)×\(rows)" }
}

extension PseudoTerminal {
  convenience init(
    _ program: String, _ arguments: [String], in home: Home, with changes: [String: String?] = [:],
    size: Size = .standard, input: ChildProcess.Descriptor = .terminal, pipesOutput: Bool = false,
    hasSignalKeys: Bool = true
  ) throws {
    try self.init(
      program, arguments, environment: home.environment(with: changes), directory: home.path,
      retaining: home, columns: size.columns, rows: size.rows, input: input,
      pipesOutput: pipesOutput, hasSignalKeys: hasSignalKeys)
  }

  /// The reader on a terminal.
  convenience init(
    reader arguments: [String] = [], in home: Home, with changes: [String: String?] = [:],
    size: Size = .standard, input: ChildProcess.Descriptor = .terminal, pipesOutput: Bool = false
  ) throws {
    try self.init(
      Program.reader(), arguments, in: home, with: changes, size: size, input: input,
      pipesOutput: pipesOutput)
  }

  func resize(to size: Size) { resize(columns: size.columns, rows: size.rows) }

  /// Quits the plain reader, and expects the status 0.
  func quitPlain() throws {
    try type("q\n")
    #expect(try end() == .exited(0))
  }
}

extension Home {
  /// Runs the reader's program without a terminal.
  func quranVi(
    _ arguments: String..., with changes: [String: String?] = [:],
    input: Outcome.Input = .nothing
  ) throws -> Outcome {
    try quranVi(arguments, with: changes, input: input)
  }

  func quranVi(
    _ arguments: [String], with changes: [String: String?] = [:], input: Outcome.Input = .nothing
  ) throws -> Outcome {
    try Outcome.of(
      Program.reader(), arguments, environment: environment(with: changes), directory: path,
      input: input)
  }

  /// Runs the reader's program where every copy of libcurl is covered by an empty file.
  ///
  /// - Parameter arguments: Words for the shell.
  func quranViWithoutLibcurl(
    _ arguments: String, with changes: [String: String?] = [:], input: Outcome.Input = .nothing
  ) throws -> Outcome {
    try Outcome.of(
      "/usr/bin/unshare",
      [
        "-m", "/bin/bash", "-c",
        """
        for file in $(/sbin/ldconfig -p | sed -n 's/.*libcurl.* => //p'); do
          mount --bind /dev/null "$file"
        done
        exec "$0" \(arguments)
        """,
        Program.reader(),
      ], environment: environment(with: changes), directory: path, input: input)
  }
}
