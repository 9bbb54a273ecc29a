import GRDB
import Glibc

extension Library {
  /// Closes a library whose file was replaced or removed, and saves its contents: at its path, or
  /// beside it if there is another file at the path.
  ///
  /// - Parameter now: Milliseconds since 1970, UTC.
  /// - Returns: A notice of what happened to the library. Nil if it stays open, because its
  ///   contents cannot be written and are not stored elsewhere.
  func closeReplaced(at now: Int64) -> Notice? {
    // If the file was overwritten in place, its contents cannot be saved: SQLite would read a
    // mixture of the previous and the new pages.
    guard fileGuard?.isDetached == true else {
      close()
      return .replaced(former: nil)
    }
    guard let copy = copyBeside() else { return nil }
    close()
    let file = LibraryFile(path: path)
    // Prevents other processes from opening the file at the path.
    let lock = try? FileLock.exclusive(file.lockPath)
    defer { withExtendedLifetime(lock) {} }
    if lock != nil, access(path, F_OK) != 0 {
      // The copy has the contents of the WAL. If another process still writes to the WAL, the WAL
      // is set aside when the copy is opened.
      for suffix in ["-wal", "-shm"] { unlink(path + suffix) }
    }
    // Fails if there is a file.
    if link(copy, path) == 0 {
      unlink(copy)
      Directory.synchronize(file.directory)
      return .removed
    }
    let name = file.unusedNameAside(at: now)
    guard rename(copy, name) == 0 else { return .replaced(former: copy) }
    Directory.synchronize(file.directory)
    return .replaced(former: name)
  }

  /// Writes everything that is committed to a file beside the library.
  ///
  /// - Returns: The path of the file; nil if it cannot be written.
  private func copyBeside() -> String? {
    let file = LibraryFile(path: path)
    do throws(any Error) {
      try file.makeDirectory(file.directory)
      return try database.writeWithoutTransaction { try $0.writeCopy(beside: path) }
    } catch {
      return nil
    }
  }
}
