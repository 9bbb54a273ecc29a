import FoundationEssentials
import Glibc

/// The process that writes a draft. Other processes do not resume the draft while it runs.
enum DraftWriter {
  /// The ID and start time of this process. The start time is needed because IDs are reused.
  static let current = "\(getpid()).\(startTime(of: getpid()) ?? 0)"

  /// Whether the writer is another process that is running.
  static func isElsewhere(_ writer: String) -> Bool {
    let parts = writer.split(separator: ".").compactMap { UInt64($0) }
    guard writer != current, parts.count == 2, let id = pid_t(exactly: parts[0]), id > 0 else {
      return false
    }
    if let started = startTime(of: id) { return started == parts[1] }
    // Without /proc only the ID is compared.
    return parts[1] == 0 && kill(id, 0) == 0
  }

  /// Returns the start time of a process, in clock ticks since boot (proc(5), field 22).
  private static func startTime(of process: pid_t) -> UInt64? {
    guard let data = try? Data(contentsOf: URL(filePath: "/proc/\(process)/stat")) else {
      return nil
    }
    let line = String(decoding: data, as: UTF8.self)
    // The second field is a name in parentheses, which may hold anything.
    guard let end = line.lastIndex(of: ")") else { return nil }
    let fields = line[end...].split(separator: " ").dropFirst()
    // A zombie does not write.
    guard fields.count > 19, fields.first != "Z" else { return nil }
    return UInt64(fields[fields.startIndex + 19])
  }
}
