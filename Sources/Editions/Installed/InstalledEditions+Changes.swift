import Glibc

// Installing, removing and choosing editions.
extension InstalledEditions {
  /// Installs an edition. An edition with the same ID is replaced only after the new one has been
  /// written completely.
  ///
  /// - Parameters:
  ///   - edition: The edition; its metadata must have a valid ID.
  ///   - now: The time in milliseconds since 1970, UTC.
  /// - Returns: The installed edition.
  /// - Throws: `invalidID`, `bundled`, `noDirectory`, `system`, or the reason why the new file
  ///   would not be valid, such as `wrongMetadata` if the metadata is too large.
  @discardableResult
  public func install(
    _ edition: ParsedEdition, at now: Int64
  ) throws(EditionFileFailure) -> Edition {
    var info = edition.info
    info.installedAt = now
    do throws(EditionFileFailure.Reason) {
      let path = try writablePath(of: info.id)
      guard let file = try? EditionFile.encode(info, edition.content), let directory else {
        throw .wrongMetadata
      }
      // A file that cannot be opened must not replace one that can.
      _ = try file.withUnsafeBytes { file in
        Result { () throws(EditionFileFailure.Reason) in try EditionFile.validate(file) }
      }.get()
      try createDirectory(directory)
      try replace(path, by: file, in: directory)
    } catch {
      throw EditionFileFailure(file: info.id + Self.suffix, error)
    }
    return try self.edition(info.id)
  }

  /// Removes an edition, which may be damaged. If the user has chosen it, the choice is deleted,
  /// unless the program came with an edition of the same ID.
  ///
  /// - Throws: `notFound`, `bundled`, `shared`, `invalidID` or `system`.
  public func remove(_ id: String) throws(EditionFileFailure) {
    do throws(EditionFileFailure.Reason) {
      guard id != Edition.bundledID else { throw .bundled }
      let path = try existingPath(of: id)
      guard let directory, path.hasPrefix(directory + "/") else {
        throw Self.exists(path) ? .shared : .notFound
      }
      guard Self.exists(path) else { throw .notFound }
      try whileLocked(directory) { () throws(EditionFileFailure.Reason) in
        guard unlink(path) == 0 else { throw errno == ENOENT ? .notFound : .system(code: errno) }
        if chosenID == id, !Self.exists(try existingPath(of: id)) {
          unlink("\(directory)/\(Self.choice)")
        }
      }
    } catch {
      throw EditionFileFailure(file: id + Self.suffix, error)
    }
  }

  /// Chooses the edition that is read.
  ///
  /// - Returns: The edition.
  /// - Throws: `noDirectory`, `system`, or the reason why the edition cannot be opened. The choice
  ///   is then unchanged.
  @discardableResult
  public func choose(_ id: String) throws(EditionFileFailure) -> Edition {
    let edition = try edition(id)
    do throws(EditionFileFailure.Reason) {
      guard let directory else { throw .noDirectory }
      try createDirectory(directory)
      try replace("\(directory)/\(Self.choice)", by: Array("\(id)\n".utf8), in: directory)
    } catch {
      throw EditionFileFailure(file: Self.choice, error)
    }
    return edition
  }

  /// Creates the user's directory, unless it exists.
  ///
  /// - Throws: `noDirectory` or `system`.
  public func createDirectory() throws(EditionFileFailure) {
    do throws(EditionFileFailure.Reason) {
      guard let directory else { throw .noDirectory }
      try createDirectory(directory)
    } catch {
      throw EditionFileFailure(file: "", error)
    }
  }

  /// The name under which a file is written before it is renamed.
  private static let unfinishedName = ".installing"

  private func writablePath(of id: String) throws(EditionFileFailure.Reason) -> String {
    guard id != Edition.bundledID else { throw .bundled }
    return try path(of: id)
  }

  /// Creates a directory that only the user can access, and the missing directories above it.
  private func createDirectory(_ directory: String) throws(EditionFileFailure.Reason) {
    guard mkdir(directory, 0o700) != 0, errno != EEXIST else { return }
    guard errno == ENOENT, let end = directory.lastIndex(of: "/"), end > directory.startIndex
    else { throw .system(code: errno) }
    try createDirectory(String(directory[..<end]))
    guard mkdir(directory, 0o700) == 0 || errno == EEXIST else { throw .system(code: errno) }
  }

  /// Writes a file under another name, and renames it.
  private func replace(
    _ path: String, by bytes: [UInt8], in directory: String
  ) throws(EditionFileFailure.Reason) {
    try whileLocked(directory) { () throws(EditionFileFailure.Reason) in
      let unfinished = "\(directory)/\(Self.unfinishedName)"
      do throws(EditionFileFailure.Reason) {
        try write(bytes, to: unfinished)
        guard rename(unfinished, path) == 0 else { throw .system(code: errno) }
      } catch {
        unlink(unfinished)
        throw error
      }
    }
  }

  /// Runs `body` with an exclusive lock on the directory, so that no other process changes it
  /// meanwhile. Then writes the changes of the directory to the disk.
  private func whileLocked(
    _ directory: String, _ body: () throws(EditionFileFailure.Reason) -> Void
  ) throws(EditionFileFailure.Reason) {
    let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .system(code: errno) }
    defer { close(descriptor) }
    while flock(descriptor, LOCK_EX) != 0 {
      guard errno == EINTR else { throw .system(code: errno) }
    }
    try body()
    guard fsync(descriptor) == 0 else { throw .system(code: errno) }
  }

  /// Writes a new file to the disk. A file that an interrupted installation left is deleted.
  private func write(
    _ bytes: [UInt8], to path: String
  ) throws(EditionFileFailure.Reason) {
    unlink(path)
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw .system(code: errno) }
    defer { close(descriptor) }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if errno != EINTR {
        throw .system(code: errno)
      }
    }
    guard fsync(descriptor) == 0 else { throw .system(code: errno) }
  }
}
