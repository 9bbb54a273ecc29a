import Glibc

extension LibraryFile {
  /// Creates a directory and its parents with permissions 0700.
  func makeDirectory(_ directory: String) throws(LibraryFailure) {
    guard access(directory, F_OK) != 0 else { return }
    let parent = Directory.containing(directory)
    if parent != directory { try makeDirectory(parent) }
    guard mkdir(directory, 0o700) == 0 || errno == EEXIST else {
      throw LibraryFailure(code: errno, path: directory)
    }
    Directory.synchronize(parent)
  }

  /// Creates an empty file for a new library, which `install` or `replace` moves to the path.
  ///
  /// - Throws: `foreign` if another program's file is in its place.
  func beginUnfinished() throws(LibraryFailure) {
    try refuseForeign(unfinishedPath, beginnings: [Array("SQLite format 3\0".utf8)])
    discardUnfinished()
    let descriptor = open(unfinishedPath, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw LibraryFailure(code: errno, path: unfinishedPath) }
    close(descriptor)
  }

  /// Throws `foreign` if there is a file of another program at the path of a companion file.
  /// Creating a library would remove or rename that file.
  func refuseForeignCompanions() throws(LibraryFailure) {
    // https://www.sqlite.org/fileformat.html, 3 and 4.1, and walformat.html, 2.1
    try refuseForeign(walPath, beginnings: [[0x37, 0x7F, 0x06, 0x82], [0x37, 0x7F, 0x06, 0x83]])
    try refuseForeign(journalPath, beginnings: [[0xD9, 0xD5, 0x05, 0xF9]])
    try refuseForeign(
      path + "-shm", beginnings: [[0x18, 0xE2, 0x2D, 0x00], [0x00, 0x2D, 0xE2, 0x18]])
    try refuseForeign(damageMarkPath, beginnings: [])
  }

  /// Throws `foreign` if a file is not empty and does not begin with one of `beginnings`. Unless
  /// `beginnings` is empty, four zeros are accepted as well: SQLite leaves them in files that are
  /// not in use.
  private func refuseForeign(
    _ path: String, beginnings: [[UInt8]]
  ) throws(LibraryFailure) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 16)
    let count = read(descriptor, &bytes, bytes.count)
    guard count != 0 else { return }
    let isOurs =
      count > 0
      && (bytes.prefix(4).allSatisfy { $0 == 0 } && !beginnings.isEmpty
        || beginnings.contains { bytes.starts(with: $0) })
    guard isOurs else { throw .foreign(path: path) }
  }

  /// Deletes the unfinished library.
  func discardUnfinished() {
    for suffix in ["", "-wal", "-shm", "-journal"] { unlink(unfinishedPath + suffix) }
  }

  /// Makes the unfinished library a copy of another file.
  func copyUnfinished(from source: String) throws(LibraryFailure) {
    try beginUnfinished()
    let code = Self.copyBytes(of: source, to: unfinishedPath)
    guard code == 0 else {
      discardUnfinished()
      throw LibraryFailure(code: code, path: source)
    }
  }

  /// Copies a file to a new or empty one with permissions 0600.
  ///
  /// - Returns: `errno`; 0 if the whole file was copied.
  static func copyBytes(of source: String, to target: String) -> Int32 {
    let input = open(source, O_RDONLY | O_CLOEXEC)
    guard input >= 0 else { return errno }
    defer { close(input) }
    let output = open(target, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    guard output >= 0 else { return errno }
    defer { close(output) }
    var buffer = [UInt8](repeating: 0, count: 1 << 18)
    while true {
      let count = read(input, &buffer, buffer.count)
      guard count > 0 else { return count == 0 ? 0 : errno }
      var start = 0
      while start < count {
        let written = buffer.withUnsafeBytes { bytes in
          write(output, bytes.baseAddress.map { $0 + start }, count - start)
        }
        guard written > 0 else { return written == 0 ? ENOSPC : errno }
        start += written
      }
    }
  }

  /// Moves the unfinished library to the path, where there is no file.
  ///
  /// - Returns: The new path of the WAL of a missing library; nil if there was none.
  func install(at now: Int64) throws(LibraryFailure) -> String? {
    try synchronizeUnfinished()
    // SQLite would use the WAL of a missing library for this one.
    let hasWAL = size(walPath) > 0
    let name = unusedNameAside(at: now)
    try moveCompanions(to: name)
    guard rename(unfinishedPath, path) == 0 else { throw LibraryFailure(code: errno, path: path) }
    Directory.synchronize(directory)
    return hasWAL ? name + "-wal" : nil
  }

  /// Sets the file aside and moves the unfinished library to the path. If the process ends before
  /// that is done, `finish` completes it.
  ///
  /// - Returns: The new path of the file; nil if there was none.
  func replace(_ replacement: Replacement, at now: Int64) throws(LibraryFailure) -> String? {
    // The time is part of the new name, which has to be the same if another process completes this.
    let time = timespec(tv_sec: Int(now / 1000), tv_nsec: 0)
    _ = [time, time].withUnsafeBufferPointer {
      utimensat(AT_FDCWD, unfinishedPath, $0.baseAddress, 0)
    }
    try synchronizeUnfinished()
    guard rename(unfinishedPath, path(replacement)) == 0 else {
      throw LibraryFailure(code: errno, path: path(replacement))
    }
    Directory.synchronize(directory)
    return try finish(replacement)
  }

  /// Completes the replacement of the file.
  ///
  /// - Returns: The new path of the file; nil if there was none.
  func finish(_ replacement: Replacement) throws(LibraryFailure) -> String? {
    var status = stat()
    guard stat(path(replacement), &status) == 0 else {
      throw LibraryFailure(code: errno, path: path(replacement))
    }
    let aside = try setAside(at: Int64(status.st_mtim.tv_sec) * 1000)
    unlink(damageMarkPath)
    guard rename(path(replacement), path) == 0 else {
      throw LibraryFailure(code: errno, path: path)
    }
    Directory.synchronize(directory)
    return aside
  }

  /// Renames the file and the files that belong to it, without changing a byte.
  ///
  /// - Returns: The new path of the file, even if an interrupted call renamed it; nil if there is
  ///   no file.
  private func setAside(at time: Int64) throws(LibraryFailure) -> String? {
    guard access(path, F_OK) == 0 else {
      let name = firstNameAside(at: time)
      return access(name, F_OK) == 0 ? name : nil
    }
    // An interrupted call has already moved the WAL to the new name, so a WAL with that name is the
    // library's own, unless the library still has one at its old name.
    let name = nameAside(at: time) { name in
      access(name, F_OK) != 0
        && Self.companions.allSatisfy { access(name + $0, F_OK) != 0 || size(path + $0) == 0 }
    }
    // The file is renamed last, so that an interrupted call is repeated with the same name.
    try moveCompanions(to: name)
    guard rename(path, name) == 0 else { throw LibraryFailure(code: errno, path: path) }
    return name
  }

  /// Renames a WAL that does not belong to the file.
  ///
  /// - Returns: Its new path.
  func setWALAside(at time: Int64) throws(LibraryFailure) -> String {
    let name = unusedNameAside(at: time)
    try moveCompanions(to: name)
    return name + "-wal"
  }

  /// Renames the WAL and the journal, or deletes those that are empty. Also deletes the `-shm` file
  /// and the mark of a damaged library.
  private func moveCompanions(to name: String) throws(LibraryFailure) {
    for suffix in Self.companions {
      if size(path + suffix) == 0 {
        unlink(path + suffix)
      } else if rename(path + suffix, name + suffix) != 0 {
        throw LibraryFailure(code: errno, path: path + suffix)
      }
    }
    unlink(path + "-shm")
    unlink(damageMarkPath)
  }

  private func firstNameAside(at time: Int64) -> String {
    "\(stem)-set-aside-\(FileTimestamp(time)).sqlite"
  }

  /// The suffixes of the files that SQLite keeps beside a database that is not open.
  private static let companions = ["-wal", "-journal"]

  /// Returns a new path for a file that is set aside. The path contains the time. No file has this
  /// path yet, and there is no WAL or journal that SQLite would open together with it.
  ///
  /// - Parameter time: Milliseconds since 1970, UTC.
  func unusedNameAside(at time: Int64) -> String {
    nameAside(at: time) { name in
      ([""] + Self.companions).allSatisfy { access(name + $0, F_OK) != 0 }
    }
  }

  private func nameAside(at time: Int64, isFree: (String) -> Bool) -> String {
    var name = firstNameAside(at: time)
    var copy = 1
    while !isFree(name) {
      copy += 1
      name = "\(stem)-set-aside-\(FileTimestamp(time))-\(copy).sqlite"
    }
    return name
  }

  /// Marks the file as damaged, so that it is salvaged when it is opened next.
  func markDamaged() {
    let descriptor = open(damageMarkPath, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    if descriptor >= 0 { close(descriptor) }
  }

  private func synchronizeUnfinished() throws(LibraryFailure) {
    let descriptor = open(unfinishedPath, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw LibraryFailure(code: errno, path: unfinishedPath) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw LibraryFailure(code: errno, path: unfinishedPath) }
  }
}
