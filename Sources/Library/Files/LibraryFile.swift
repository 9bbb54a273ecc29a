import Glibc

/// The file of a library, inspected without opening it as a database: SQLite would change a damaged
/// file and write to an empty one.
struct LibraryFile: Sendable {
  enum Condition: Hashable {
    case absent
    /// A library of this version or an older one.
    case library(version: Int)
    /// A database without content, or with a header that is only in the WAL.
    case unmarked
    case newer
    /// A database of another program.
    case foreign
    case empty
    case notADatabase
    /// A library that a check found damaged: see `markDamaged`.
    case damaged
    /// A library whose replacement was interrupted: see `replace`.
    case interrupted(Replacement)
    case unreadable(Int32)
  }

  /// The result of an inspection.
  struct Inspection: Hashable {
    let condition: Condition
    /// Whether the file can be written, or its directory if there is no file.
    let isWritable: Bool
    /// Nil if there is no file.
    let identity: FileIdentity?
  }

  /// A complete library beside the file, which is to replace it. The raw value is the extension of
  /// its name.
  enum Replacement: String, CaseIterable {
    /// The rows that could be read of a damaged library.
    case salvaged
    /// A backup.
    case restored
  }

  /// The path without symbolic links.
  let path: String
  /// The path as it was given, with symbolic links.
  let namedPath: String

  init(path: String) {
    self.path = Library.resolved(path)
    namedPath = path
  }

  var walPath: String { path + "-wal" }
  var journalPath: String { path + "-journal" }
  var lockPath: String { path + ".lock" }
  /// The path of a library that is not complete yet.
  var unfinishedPath: String { path + ".new" }
  var damageMarkPath: String { path + ".damaged" }
  var credentialsPath: String { path + ".credentials" }
  func path(_ replacement: Replacement) -> String { "\(path).\(replacement.rawValue)" }

  /// The paths of the library and of the files that belong to it.
  var ownPaths: [String] {
    [
      path, walPath, path + "-shm", journalPath, lockPath, unfinishedPath, damageMarkPath,
      credentialsPath, Generation.path(beside: path),
    ] + Replacement.allCases.map(path)
  }

  /// The path without `.sqlite`.
  var stem: String { path.hasSuffix(".sqlite") ? String(path.dropLast(7)) : path }

  var directory: String { Directory.containing(path) }

  /// The file's name without `.sqlite`.
  var name: String {
    let start = stem.utf8.lastIndex(of: Self.slash).map(stem.utf8.index(after:))
    return String(stem[(start ?? stem.startIndex)...])
  }

  private static let slash = UInt8(ascii: "/")

  // MARK: Inspecting

  /// Inspects the file. If this process has it open, the result is from before it was opened:
  /// reading the file again would release SQLite's locks. See `OpenFile`.
  func inspect() -> Inspection {
    OpenFile.inspecting(at: path) { identity, known in
      if let known {
        return hasDamageMark
          ? Inspection(condition: .damaged, isWritable: known.isWritable, identity: identity)
          : known
      }
      return Inspection(condition: condition(), isWritable: isWritable(), identity: identity)
    }
  }

  private var hasDamageMark: Bool { access(damageMarkPath, F_OK) == 0 }

  private func condition() -> Condition {
    for replacement in Replacement.allCases where access(path(replacement), F_OK) == 0 {
      if case .library = LibraryFile(path: path(replacement)).header() {
        return .interrupted(replacement)
      }
    }
    let condition = header()
    if case .library = condition, hasDamageMark { return .damaged }
    return condition
  }

  private func header() -> Condition {
    // O_NONBLOCK: does not wait for the writer of a pipe.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      let code = errno
      // A symbolic link to a missing file is not replaced.
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
    // The version and the application ID are big-endian: https://www.sqlite.org/fileformat.html,
    // 1.3
    func number(at offset: Int) -> UInt32 {
      header[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }
    let version = Int(Int32(bitPattern: number(at: 60)))
    switch number(at: 68) {
    case LibrarySchema.applicationID:
      return version > LibrarySchema.version ? .newer : .library(version: version)
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

  /// Whether files beside this one show that a library is or was at this path: the mark of a
  /// damaged library, a generation or backups. An empty lock file counts only at the default path,
  /// because other programs create such files as well.
  var hasCompanion: Bool {
    hasDamageMark || isDefaultPath && hasLockFile || Generation(beside: path) != nil
      || !Backups(of: self).isEmpty
  }

  /// Whether there is an empty lock file.
  private var hasLockFile: Bool {
    var status = stat()
    return lstat(lockPath, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
      && status.st_size == 0
  }

  /// Whether the file belongs to another program, or nothing shows that it is a library.
  func isForeign(_ condition: Condition) -> Bool {
    switch condition {
    case .foreign: true
    case .notADatabase: !hasCompanion
    case .empty: !hasCompanion && (isLink || !isDefaultPath)
    default: false
    }
  }

  /// Whether the path ends as the default path does.
  var isDefaultPath: Bool { path.hasSuffix("/quran-vi/library.sqlite") }

  /// Returns the size of a file in bytes; 0 if it is missing.
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
}

extension LibraryFailure {
  /// Creates the failure of a system call.
  ///
  /// - Parameter code: `errno`.
  init(code: Int32, path: String) {
    self =
      switch code {
      case EROFS, EACCES, EPERM: .readOnly
      case ENOSPC, EDQUOT, EFBIG: .diskFull
      default: .unreadable(path: path, code: code)
      }
  }
}
