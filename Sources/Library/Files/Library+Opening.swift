import Glibc

extension Library {
  /// The time for which processes wait for each other, in seconds.
  static let busyTimeout = 5.0

  /// Opens a library, and creates it if there is none.
  ///
  /// - Parameters:
  ///   - path: The path of the library; nil if there is no home directory.
  ///   - now: Milliseconds since 1970, UTC.
  ///   - setsAside: Whether a damaged library is renamed and salvaged. False for commands that only
  ///     read.
  /// - Throws: `noHomeDirectory` if `path` is nil. `busy` or `damagedInUse` if another process
  ///   keeps the library locked. `newer`, `foreign`, `strangeSchema` or `unreadable` if the file is
  ///   not a library that this version can open. `damaged`, `damagedBehindLink`, `diskFull` or
  ///   `readOnly` if the library cannot be created, migrated or repaired.
  public static func open(
    _ path: String?, at now: Int64, setsAside: Bool = true
  ) throws(LibraryFailure) -> OpenedLibrary {
    guard let path else { throw .noHomeDirectory }
    var opener = LibraryOpener(file: LibraryFile(path: path), now: now, setsAside: setsAside)
    // Another process holds the exclusive lock only while it creates, migrates or repairs the
    // library.
    let end = ContinuousClock.now + .seconds(busyTimeout)
    repeat {
      for _ in 0..<3 {
        if let opening = try opener.attempt() { return opening }
        // An attempt waits for a lock for as long as this.
        if ContinuousClock.now >= end { break }
      }
      usleep(10_000)
    } while ContinuousClock.now < end
    throw opener.isDamaged ? .damagedInUse(path: opener.file.path) : .busy
  }
}
