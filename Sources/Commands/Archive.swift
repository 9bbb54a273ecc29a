import Glibc

/// A directory to which imported files are moved.
struct Archive {
  let directory: String

  struct Failure: Error, Hashable {
    /// The value of `errno`.
    let code: Int32
  }

  /// Moves a file to the directory. If the name is taken there, a number is prefixed. For a
  /// symbolic link, the file that it refers to is moved.
  ///
  /// - Returns: The new path of the file.
  /// - Throws: `Failure`; the file then has not moved.
  func take(_ path: String) throws(Failure) -> String {
    try Self.make(directory)
    guard let resolved = realpath(path, nil) else { throw Failure(code: errno) }
    defer { free(resolved) }
    let file = String(cString: resolved)
    let name = path.split(separator: "/").last.map(String.init) ?? path
    for number in 1... {
      let target = "\(directory)/\(number == 1 ? name : "\(number)-\(name)")"
      // Unlike rename(2), link(2) never replaces another file.
      if link(file, target) == 0 {
        guard unlink(file) == 0 else {
          let code = errno
          unlink(target)
          throw Failure(code: code)
        }
        return target
      }
      switch errno {
      case EEXIST: continue
      // The directory is on another file system, or the file system has no hard links.
      case EXDEV, EPERM, EOPNOTSUPP, EMLINK:
        if try move(file, to: target) { return target }
      default: throw Failure(code: errno)
      }
    }
    throw Failure(code: EEXIST)
  }

  /// Creates a directory that only its owner can access, and the missing directories above it.
  private static func make(_ directory: String) throws(Failure) {
    var status = stat()
    if stat(directory, &status) == 0 {
      guard status.st_mode & S_IFMT == S_IFDIR else { throw Failure(code: ENOTDIR) }
      return
    }
    if let slash = directory.lastIndex(of: "/"), slash > directory.startIndex {
      try make(String(directory[..<slash]))
    }
    guard mkdir(directory, 0o700) == 0 || errno == EEXIST else { throw Failure(code: errno) }
  }

  /// Copies a file to another file system and deletes the original. The times of the file are
  /// preserved, because an import can use them as dates of the entries.
  ///
  /// - Returns: False if the target already exists.
  private func move(_ file: String, to target: String) throws(Failure) -> Bool {
    let source = open(file, O_RDONLY | O_CLOEXEC)
    guard source >= 0 else { throw Failure(code: errno) }
    defer { close(source) }
    let copy = open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard copy >= 0 else {
      if errno == EEXIST { return false }
      throw Failure(code: errno)
    }
    defer { close(copy) }
    var status = stat()
    guard fstat(source, &status) == 0, Self.copy(source, to: copy),
      futimens(copy, [status.st_atim, status.st_mtim]) == 0, fsync(copy) == 0, unlink(file) == 0
    else {
      let code = errno
      unlink(target)
      throw Failure(code: code)
    }
    return true
  }

  /// Copies all bytes. Returns false on failure, with `errno` set.
  private static func copy(_ source: Int32, to target: Int32) -> Bool {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(source, &buffer, buffer.count)
      if count == 0 { return true }
      if count < 0 {
        guard errno == EINTR else { return false }
        continue
      }
      var rest = buffer[..<count]
      while !rest.isEmpty {
        let written = rest.withUnsafeBytes { write(target, $0.baseAddress, $0.count) }
        guard written > 0 || errno == EINTR else { return false }
        rest = rest.dropFirst(max(written, 0))
      }
    }
  }
}
