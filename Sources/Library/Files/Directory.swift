import Glibc

/// Functions on the paths of directories.
package enum Directory {
  /// Returns the directory of a file; `.` if the path of the file has no slash.
  package static func containing(_ path: String) -> String {
    guard let end = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return end == path.startIndex ? "/" : String(path[..<end])
  }

  /// Returns the space in bytes that files in a directory can still take; 0 if that is not known.
  /// For a directory that does not exist, returns the space in its nearest parent that exists.
  static func freeSpace(in path: String) -> UInt64 {
    var system = statvfs()
    guard statvfs(path, &system) == 0 else {
      let parent = containing(path)
      return parent == path ? 0 : freeSpace(in: parent)
    }
    return UInt64(system.f_bavail) * UInt64(system.f_frsize)
  }

  /// Writes the names in a directory to the disk, so that a renamed file has its new name also
  /// after a power failure. Ignores errors: some file systems cannot do this.
  package static func synchronize(_ path: String) {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }
}
