import GRDB
import Glibc

extension Library {
  /// Closes a library whose file was replaced or removed, and keeps what it held: where nothing
  /// lies in its place, there.
  ///
  /// - Parameter now: milliseconds since 1970, UTC.
  /// - Returns: what became of it; the place is to be opened anew. Nil where it stays open, because
  ///   this process alone has what it holds, and there is no room to write it.
  func closeReplaced(at now: Int64) -> Notice? {
    // Where the content was overwritten, what is read is a mixture.
    guard fileGuard?.isGone == true else {
      close()
      return .replaced(former: nil)
    }
    guard let copy = copyBeside() else { return nil }
    close()
    let file = LibraryFile(path: path)
    // Nobody else opens what is in the place meanwhile.
    let lock = try? FileLock.exclusive(file.lockPath)
    defer { withExtendedLifetime(lock) {} }
    if lock != nil, access(path, F_OK) != 0 {
      // All that the WAL has is in the copy. Where another process still writes into the WAL, it is
      // set aside by whoever opens the copy.
      for suffix in ["-wal", "-shm"] { unlink(path + suffix) }
    }
    // Takes nobody's place.
    if link(copy, path) == 0 {
      unlink(copy)
      LibraryFile.synchronize(file.directory)
      return .removed
    }
    let name = file.nameAside(at: now)
    guard rename(copy, name) == 0 else { return .replaced(former: copy) }
    LibraryFile.synchronize(file.directory)
    return .replaced(former: name)
  }

  /// Writes all that is committed to a file beside the library's.
  ///
  /// - Returns: its path; nil where there is no room for one.
  private func copyBeside() -> String? {
    let file = LibraryFile(path: path)
    let copy = "\(path).\(UInt64.random(in: .min ... .max)).new"
    do throws(any Error) {
      try file.makeDirectory(file.directory)
      let descriptor = Glibc.open(copy, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else { return nil }
      defer { Glibc.close(descriptor) }
      try database.writeWithoutTransaction { try $0.vacuum(into: copy) }
      guard fsync(descriptor) == 0 else { throw LibraryFailure(code: errno, path: copy) }
      return copy
    } catch {
      unlink(copy)
      unlink(copy + "-journal")
      return nil
    }
  }
}
