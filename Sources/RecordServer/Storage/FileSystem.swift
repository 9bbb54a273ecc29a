import Glibc

extension StorageFailure {
  /// The failure of an operation on a file for the current value of `errno`.
  static func file(_ operation: FileOperation, _ path: String) -> StorageFailure {
    switch errno {
    case ENOSPC, EDQUOT: .full
    case let code: .failed(.file(operation, path: path, code: code))
    }
  }
}

/// Writes bytes to a file, repeating `write` until all are written.
///
/// - Returns: false if a call has failed; then `errno` is its error.
func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
  var rest = bytes[...]
  while !rest.isEmpty {
    let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    if count >= 0 { rest = rest.dropFirst(count) } else if errno != EINTR { return false }
  }
  return true
}

/// Writes the directory of a file to the disk, so that a new name in it survives a loss of power.
/// Errors are ignored, as some file systems do not support this.
func synchronizeDirectory(of path: String) {
  let end = path.utf8.lastIndex(of: UInt8(ascii: "/"))
  let directory = end.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
  let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
  guard descriptor >= 0 else { return }
  fsync(descriptor)
  close(descriptor)
}
