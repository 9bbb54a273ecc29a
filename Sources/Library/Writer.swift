import FoundationEssentials
import Glibc

/// Which process writes a draft: as long as it lives, the draft is its own.
enum Writer {
  /// This process, as others can look for it: its number and when it was started, since
  /// numbers are given again.
  static let current = "\(getpid()).\(startTime(of: getpid()) ?? 0)"

  /// Whether another process than this one, which lives, is the writer.
  static func isElsewhere(_ writer: String) -> Bool {
    let parts = writer.split(separator: ".").compactMap { UInt64($0) }
    guard writer != current, parts.count == 2, let id = pid_t(exactly: parts[0]), id > 0 else {
      return false
    }
    if let started = startTime(of: id) { return started == parts[1] }
    // Where the system tells no times, the number has to do.
    return parts[1] == 0 && kill(id, 0) == 0
  }

  /// When a process was started, in ticks since the system was; proc(5), field 22.
  private static func startTime(of process: pid_t) -> UInt64? {
    guard let data = try? Data(contentsOf: URL(filePath: "/proc/\(process)/stat")) else {
      return nil
    }
    let line = String(decoding: data, as: UTF8.self)
    // The second field is a name in parentheses, which may hold anything.
    guard let end = line.lastIndex(of: ")") else { return nil }
    let fields = line[end...].split(separator: " ").dropFirst()
    // One that is dead and not yet fetched by its parent writes no more.
    guard fields.count > 19, fields.first != "Z" else { return nil }
    return UInt64(fields[fields.startIndex + 19])
  }
}
