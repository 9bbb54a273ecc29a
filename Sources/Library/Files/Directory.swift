import Glibc

/// Functions on the paths of directories.
package enum Directory {
  /// Returns the directory of a file; `.` if the path of the file names none.
  package static func containing(_ path: String) -> String {
    guard let end = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return end == path.startIndex ? "/" : String(path[..<end])
  }

  /// Writes the names in a directory to the disk, so that a renamed file has its new name also after
  /// a power failure. Ignores errors: some file systems cannot do this.
  package static func synchronize(_ path: String) {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }
}
