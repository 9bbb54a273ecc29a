import Glibc

/// A directory to which imported files are moved.
struct Archive {
  let directory: String

  /// Moves a file to the directory. If the name is taken there, a number is prefixed. For a
  /// symbolic link, the file that it refers to is moved and gets the name of the link; the link
  /// remains.
  ///
  /// - Returns: The new path of the file.
  /// - Throws: The failure; the file then has not moved.
  func moveIn(_ path: String) throws(SystemError) -> String {
    try Self.make(directory)
    guard let resolved = realpath(path, nil) else { throw .last }
    defer { free(resolved) }
    let file = String(cString: resolved)
    let name = path.split(separator: "/").last.map(String.init) ?? path
    for number in 1... {
      let target = "\(directory)/\(number == 1 ? name : "\(number)-\(name)")"
      // Unlike rename(2), link(2) never replaces another file.
      if link(file, target) == 0 {
        guard unlink(file) == 0 else {
          let error = SystemError.last
          unlink(target)
          throw error
        }
        return target
      }
      let error = SystemError.last
      switch error.code {
      case EEXIST: continue
      // A hard link is not possible, for example because the directory is on another file system.
      case EXDEV, EPERM, EOPNOTSUPP, EMLINK:
        if try move(file, to: target) { return target }
      default: throw error
      }
    }
    throw SystemError(code: EEXIST)
  }

  /// Creates a directory that only its owner can access, and the missing directories above it.
  private static func make(_ directory: String) throws(SystemError) {
    var status = stat()
    if stat(directory, &status) == 0 {
      guard status.st_mode & S_IFMT == S_IFDIR else {
        throw SystemError(code: ENOTDIR)
      }
      return
    }
    if let slash = directory.lastIndex(of: "/"), slash > directory.startIndex {
      try make(String(directory[..<slash]))
    }
    guard mkdir(directory, 0o700) != 0 else { return }
    let error = SystemError.last
    if error.code != EEXIST { throw error }
  }

  /// Copies a file, possibly to another file system, and deletes the original. The times of the
  /// file are preserved, because an import can use them as dates of the entries.
  ///
  /// - Returns: False if the target already exists.
  private func move(_ file: String, to target: String) throws(SystemError) -> Bool {
    let source = open(file, O_RDONLY | O_CLOEXEC)
    guard source >= 0 else { throw .last }
    defer { close(source) }
    let copy = open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard copy >= 0 else {
      let error = SystemError.last
      if error.code == EEXIST { return false }
      throw error
    }
    defer { close(copy) }
    do throws(SystemError) {
      try FileDescriptors.copy(source, to: copy)
      var status = stat()
      guard fstat(source, &status) == 0,
        futimens(copy, [status.st_atim, status.st_mtim]) == 0, fsync(copy) == 0, unlink(file) == 0
      else { throw SystemError.last }
    } catch {
      unlink(target)
      throw error
    }
    return true
  }
}
