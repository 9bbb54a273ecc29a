import Glibc

extension StorageFailure {
  /// What the system just refused.
  static func system(_ deed: String, _ path: String) -> StorageFailure {
    switch errno {
    case ENOSPC, EDQUOT: .full
    case let code: .failed("cannot \(deed) \(path): \(String(cString: strerror(code)))")
    }
  }
}

/// Has the names in a file's directory outlive a loss of power, where its file system can.
func synchronizeDirectory(of path: String) {
  let end = path.utf8.lastIndex(of: UInt8(ascii: "/"))
  let directory = end.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
  let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
  guard descriptor >= 0 else { return }
  fsync(descriptor)
  close(descriptor)
}
