import Glibc

/// A directory for files that have served.
struct Archive {
  let directory: String

  struct Failure: Error, Hashable {
    /// `errno`.
    let code: Int32
  }

  /// Moves a file here, beside others of its name. Of a link it is what that leads to.
  ///
  /// - Returns: where it is now.
  /// - Throws: `Failure`; then the file is where it was.
  func take(_ path: String) throws(Failure) -> String {
    try Self.make(directory)
    guard let resolved = realpath(path, nil) else { throw Failure(code: errno) }
    defer { free(resolved) }
    let file = String(cString: resolved)
    let name = path.split(separator: "/").last.map(String.init) ?? path
    for number in 1... {
      let target = "\(directory)/\(number == 1 ? name : "\(number)-\(name)")"
      // Unlike rename(2), link(2) never takes the place of another file.
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
      // Another file system, or one without links.
      case EXDEV, EPERM, EOPNOTSUPP, EMLINK:
        if try move(file, to: target) { return target }
      default: throw Failure(code: errno)
      }
    }
    throw Failure(code: EEXIST)
  }

  /// Makes a directory for its owner alone, and those above it.
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

  /// Moves a file to another file system, its times included: they are what an import
  /// dates by.
  ///
  /// - Returns: false where there is another file already.
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
