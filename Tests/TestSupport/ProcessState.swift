import Foundation

/// Some fields of /proc/PID/stat.
public struct ProcessState {
  /// `R` running, `D` waiting for the disk, `S` waiting otherwise, `T` stopped, `Z` ended.
  public let letter: Character
  /// The foreground process group of its controlling terminal.
  public let foregroundGroup: Int32
  /// Whether its main thread runs, waits for the disk or waits in write(2).
  public let isWorking: Bool
  /// Whether its main thread waits for another thread, in futex(2).
  public let waitsForThread: Bool

  public init?(pid: Int32) {
    guard let file = fopen("/proc/\(pid)/stat", "r") else { return nil }
    defer { fclose(file) }
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = fread(&buffer, 1, buffer.count, file)
    // The name, in parentheses, may contain any character; the fields follow the last parenthesis.
    guard let end = buffer[..<count].lastIndex(of: UInt8(ascii: ")")) else { return nil }
    let fields = String(decoding: buffer[(end + 1)..<count], as: UTF8.self).split(separator: " ")
    guard fields.count > 5, let letter = fields[0].first, let group = pid_t(fields[5]) else {
      return nil
    }
    self.letter = letter
    let call = Self.systemCall(of: pid)
    isWorking = letter == "R" || letter == "D" || call == Self.write
    waitsForThread = call == Self.futex
    self.foregroundGroup = group
  }

  #if arch(x86_64)
    private static let (write, futex) = (1, 202)
  #else
    private static let (write, futex) = (64, 98)
  #endif

  private static func systemCall(of pid: pid_t) -> Int? {
    let text = try? String(contentsOfFile: "/proc/\(pid)/syscall", encoding: .utf8)
    return text.flatMap { Int($0.prefix { $0 != " " }) }
  }
}
