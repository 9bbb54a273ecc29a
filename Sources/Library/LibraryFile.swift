import Glibc

/// The library's file as it lies there, looked at without opening it as a database:
/// that would change the bytes of a damaged one and fill an empty one.
struct LibraryFile: Sendable {
  enum Condition: Hashable {
    case absent
    /// A library of this version or an older one.
    case library(version: Int)
    /// A database on which nothing was written yet, or whose header is still in the WAL.
    case unmarked
    case newer
    /// A database of something else.
    case foreign
    case empty
    case notADatabase
    /// A check found it damaged: see `markDamaged`.
    case damaged
    /// Another library is to take its place: see `replace`.
    case interrupted(Replacement)
    case unreadable(Int32)
  }

  /// What one look told of the file.
  struct Look: Hashable {
    let condition: Condition
    /// Whether the file, or where there is none its directory, may be written.
    let isWritable: Bool
    /// Nil where there is none.
    let identity: FileIdentity?
  }

  /// What takes a library's place, whole on the disk beside it, by the ending of its name.
  enum Replacement: String, CaseIterable {
    /// What could be read of a damaged library.
    case salvaged
    /// A backup.
    case restored
  }

  /// Without symbolic links.
  let path: String
  /// The path as it was given, symbolic links not resolved.
  let namedPath: String

  init(path: String) {
    self.path = Library.resolved(path)
    namedPath = path
  }

  var walPath: String { path + "-wal" }
  var lockPath: String { path + ".lock" }
  /// Where a library is made that is not whole yet.
  var unfinishedPath: String { path + ".new" }
  private var markPath: String { path + ".damaged" }
  private func path(_ replacement: Replacement) -> String { "\(path).\(replacement.rawValue)" }

  /// The path without `.sqlite`.
  var stem: String { path.hasSuffix(".sqlite") ? String(path.dropLast(7)) : path }

  var directory: String { Self.directory(of: path) }

  /// The file's name without `.sqlite`.
  var name: String {
    let start = stem.utf8.lastIndex(of: Self.slash).map(stem.utf8.index(after:))
    return String(stem[(start ?? stem.startIndex)...])
  }

  private static let slash = UInt8(ascii: "/")

  static func directory(of path: String) -> String {
    guard let end = path.utf8.lastIndex(of: slash) else { return "." }
    return end == path.startIndex ? "/" : String(path[..<end])
  }

  // MARK: Looking

  func look() -> Look {
    OpenFile.looking(at: path) { identity, known in
      // Nobody else can have changed what this process holds open.
      if let known {
        return isMarked
          ? Look(condition: .damaged, isWritable: known.isWritable, identity: identity) : known
      }
      return Look(condition: condition(), isWritable: isWritable(), identity: identity)
    }
  }

  private var isMarked: Bool { access(markPath, F_OK) == 0 }

  private func condition() -> Condition {
    for replacement in Replacement.allCases where access(path(replacement), F_OK) == 0 {
      if case .library = LibraryFile(path: path(replacement)).header() {
        return .interrupted(replacement)
      }
    }
    let condition = header()
    if case .library = condition, isMarked { return .damaged }
    return condition
  }

  private func header() -> Condition {
    // Not to wait for a writer where it is a pipe.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      let code = errno
      // A symbolic link to what is not there is not ours to replace.
      return code == ENOENT && !isLink ? .absent : .unreadable(code)
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return .unreadable(errno) }
    switch status.st_mode & S_IFMT {
    case S_IFREG: break
    case S_IFDIR: return .unreadable(EISDIR)
    default: return .unreadable(EINVAL)
    }
    var header = [UInt8](repeating: 0, count: 100)
    let count = read(descriptor, &header, header.count)
    guard count >= 0 else { return .unreadable(errno) }
    if count == 0 { return .empty }
    guard count == 100, header.starts(with: Array("SQLite format 3\0".utf8)) else {
      return .notADatabase
    }
    // https://www.sqlite.org/fileformat.html, 1.3: both are big-endian.
    func number(at offset: Int) -> UInt32 {
      header[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }
    let version = Int(Int32(bitPattern: number(at: 60)))
    switch number(at: 68) {
    case Schema.applicationID:
      return version > Schema.version ? .newer : .library(version: version)
    case 0 where version == 0:
      return status.st_size <= 4096 || size(walPath) > 0 ? .unmarked : .foreign
    default:
      return .foreign
    }
  }

  /// Whether the file was named by a symbolic link.
  var isLink: Bool {
    var status = stat()
    return lstat(namedPath, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
  }

  /// Whether a lock file (ours is empty) or the mark of a damaged library shows that a library was
  /// at this path, whatever is there now.
  var hasCompanion: Bool {
    var status = stat()
    return isMarked
      || lstat(lockPath, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && status.st_size == 0
  }

  /// Whether what lies here is something else, or nothing says that it is a library.
  func isForeign(_ condition: Condition) -> Bool {
    switch condition {
    case .foreign: true
    case .notADatabase: !hasCompanion
    case .empty: !hasCompanion && (isLink || !isDefaultPlace)
    default: false
    }
  }

  /// Whether the path ends like the default one.
  var isDefaultPlace: Bool { path.hasSuffix("/quran-vi/library.sqlite") }

  /// The replacement's own file: see `replace`.
  func replacing(_ replacement: Replacement) -> LibraryFile {
    LibraryFile(path: path(replacement))
  }

  func size(_ path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : 0
  }

  private func isWritable() -> Bool {
    let descriptor = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK)
    guard descriptor < 0 else {
      close(descriptor)
      return true
    }
    return errno == ENOENT && access(directory, W_OK) == 0
  }

  // MARK: Changing

  /// Makes the directory, for its owner alone.
  func makeDirectory(_ directory: String) throws(LibraryFailure) {
    guard access(directory, F_OK) != 0 else { return }
    let parent = Self.directory(of: directory)
    if parent != directory { try makeDirectory(parent) }
    guard mkdir(directory, 0o700) == 0 || errno == EEXIST else {
      throw LibraryFailure(code: errno, path: directory)
    }
    Self.synchronize(parent)
  }

  /// Makes an empty file in which a library can be made, to `install` or to `replace`.
  func beginUnfinished() throws(LibraryFailure) {
    discardUnfinished()
    let descriptor = open(unfinishedPath, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw LibraryFailure(code: errno, path: unfinishedPath) }
    close(descriptor)
  }

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

  /// Copies into a new file, or an empty one, which only its owner can read.
  ///
  /// - Returns: `errno`, 0 where all of it was copied.
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

  /// Gives the unfinished library its place, where there is none.
  ///
  /// - Returns: the new name of the WAL that a lost library left; nil where there was none.
  func install(at now: Int64) throws(LibraryFailure) -> String? {
    try synchronizeUnfinished()
    // SQLite would take what a lost library left for a part of this one.
    let hasWAL = size(walPath) > 0
    let name = nameAside(at: now, suffix: "-wal")
    try moveCompanions(to: name)
    guard rename(unfinishedPath, path) == 0 else { throw LibraryFailure(code: errno, path: path) }
    Self.synchronize(directory)
    return hasWAL ? name + "-wal" : nil
  }

  /// Sets the file aside and gives its place to the unfinished library. Where this is
  /// stopped, `finish` goes on with it.
  ///
  /// - Returns: where the file lies now; nil where there was none.
  func replace(_ replacement: Replacement, at now: Int64) throws(LibraryFailure) -> String? {
    // The name to set the file aside under is the same whoever ends this.
    let time = timespec(tv_sec: Int(now / 1000), tv_nsec: 0)
    _ = [time, time].withUnsafeBufferPointer {
      utimensat(AT_FDCWD, unfinishedPath, $0.baseAddress, 0)
    }
    try synchronizeUnfinished()
    guard rename(unfinishedPath, path(replacement)) == 0 else {
      throw LibraryFailure(code: errno, path: path(replacement))
    }
    Self.synchronize(directory)
    return try finish(replacement)
  }

  /// Goes on with a replacement that is whole on the disk.
  func finish(_ replacement: Replacement) throws(LibraryFailure) -> String? {
    var status = stat()
    guard stat(path(replacement), &status) == 0 else {
      throw LibraryFailure(code: errno, path: path(replacement))
    }
    let aside = try setAside(at: Int64(status.st_mtim.tv_sec) * 1000)
    unlink(markPath)
    guard rename(path(replacement), path) == 0 else {
      throw LibraryFailure(code: errno, path: path)
    }
    Self.synchronize(directory)
    return aside
  }

  /// Moves the file, and what belongs to it, out of the way; no byte is changed.
  ///
  /// - Returns: its new name, also where it had been moved before; nil where there is none.
  private func setAside(at time: Int64) throws(LibraryFailure) -> String? {
    guard access(path, F_OK) == 0 else {
      let name = firstNameAside(at: time)
      return access(name, F_OK) == 0 ? name : nil
    }
    let name = nameAside(at: time)
    // The file last: as long as it is here, this can be ended under the same name.
    try moveCompanions(to: name)
    guard rename(path, name) == 0 else { throw LibraryFailure(code: errno, path: path) }
    return name
  }

  /// Moves the WAL out of the way of a file that it does not belong to.
  ///
  /// - Returns: its new name.
  func setWALAside(at time: Int64) throws(LibraryFailure) -> String {
    let name = nameAside(at: time, suffix: "-wal")
    try moveCompanions(to: name)
    return name + "-wal"
  }

  /// Moves what SQLite put beside the file and has something in it; the rest is deleted.
  private func moveCompanions(to name: String) throws(LibraryFailure) {
    for suffix in ["-wal", "-journal"] {
      if size(path + suffix) == 0 {
        unlink(path + suffix)
      } else if rename(path + suffix, name + suffix) != 0 {
        throw LibraryFailure(code: errno, path: path + suffix)
      }
    }
    unlink(path + "-shm")
    unlink(markPath)
  }

  private func firstNameAside(at time: Int64) -> String {
    "\(stem)-set-aside-\(Stamp(time)).sqlite"
  }

  /// A name that nothing has yet, and that says when.
  ///
  /// - Parameter suffix: what is to be added to it.
  func nameAside(at time: Int64, suffix: String = "") -> String {
    var name = firstNameAside(at: time)
    var copy = 1
    while access(name + suffix, F_OK) == 0 {
      copy += 1
      name = "\(stem)-set-aside-\(Stamp(time))-\(copy).sqlite"
    }
    return name
  }

  /// Has the next start set the file aside and salvage it.
  func markDamaged() {
    let descriptor = open(markPath, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    if descriptor >= 0 { close(descriptor) }
  }

  private func synchronizeUnfinished() throws(LibraryFailure) {
    let descriptor = open(unfinishedPath, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw LibraryFailure(code: errno, path: unfinishedPath) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw LibraryFailure(code: errno, path: unfinishedPath) }
  }

  /// Has the names in a directory outlive a loss of power, where its file system can.
  static func synchronize(_ directory: String) {
    let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }
}

/// A time as it stands in file names: `2026-11-22T031530`, in UTC.
struct Stamp: CustomStringConvertible {
  let description: String

  /// - Parameter time: milliseconds since 1970, UTC.
  init(_ time: Int64) {
    let seconds = Int(time / 1000)
    func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
    let ofDay = ((seconds % 86_400) + 86_400) % 86_400
    let day = Day(number: (seconds - ofDay) / 86_400)
    description = "\(day)T\(two(ofDay / 3600))\(two(ofDay / 60 % 60))\(two(ofDay % 60))"
  }

  /// Whether a text is a time in this form.
  static func isStamp(_ text: Substring) -> Bool {
    let form = "0000-00-00T000000".utf8
    return text.utf8.count == form.count
      && zip(text.utf8, form).allSatisfy {
        $1 == UInt8(ascii: "0") ? (48...57).contains($0) : $0 == $1
      }
  }
}

extension LibraryFailure {
  /// What the system refused.
  init(code: Int32, path: String) {
    self =
      switch code {
      case EROFS, EACCES, EPERM: .readOnly
      case ENOSPC, EDQUOT, EFBIG: .diskFull
      default: .unreadable(path: path, code: code)
      }
  }
}
