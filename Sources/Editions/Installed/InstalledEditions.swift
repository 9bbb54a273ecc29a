import Glibc

/// The editions that are installed in a directory, and the bundled edition, which is always
/// available.
///
///     let editions = InstalledEditions(directory: "…/quran-vi/editions")
///     let parsed = try ParsedEdition.parse(bytes)
///     try editions.install(parsed[0], at: now)
///     editions.defaultEdition(language: "vi").info.id   // "vi.rwwad"
///
/// Each edition is a file `ID.edition` of the format `EditionFile`. Files are opened when they are
/// needed and are not trusted: a damaged file is reported, and the others remain available.
public struct InstalledEditions: Sendable {
  /// The path of the directory, which need not exist; nil if there is no place for it. Then only
  /// the bundled edition is available.
  public let directory: String?

  /// - Parameter directory: An absolute path, usually `$XDG_DATA_HOME/quran-vi/editions`.
  public init(directory: String?) {
    self.directory = directory
  }

  /// An installed edition, or a file that is damaged.
  public struct Item: Sendable {
    /// The ID of the edition according to the name of its file.
    public let id: String
    public let info: Result<Edition.Info, EditionFileFailure>
  }

  private static let suffix = ".edition"
  /// The name under which a file is written before it is renamed.
  private static let draft = ".installing"

  // MARK: Reading

  /// Returns all editions: the bundled one, then those of the directory by their IDs. All files are
  /// validated, which takes some milliseconds for each.
  ///
  /// - Throws: `system` if the directory exists, but cannot be read.
  public func list() throws(EditionFileFailure) -> [Item] {
    var items = [Item(id: Edition.bundledID, info: .success(Edition.bundled.info))]
    for id in try ids() {
      let info = Result { () throws(EditionFileFailure) in try edition(id).info }
      items.append(Item(id: id, info: info))
    }
    return items
  }

  /// Opens an edition.
  ///
  /// - Throws: `notFound`, or the reason why its file cannot be used.
  public func edition(_ id: String) throws(EditionFileFailure) -> Edition {
    if id == Edition.bundledID { return .bundled }
    do throws(EditionFileFailure.Reason) {
      let edition = try MappedFile.map(
        try path(of: id), limit: EditionFile.byteLimit, Edition.init(file:))
      guard edition.info.id == id else { throw .otherID(edition.info.id) }
      return edition
    } catch {
      throw EditionFileFailure(file: id + Self.suffix, error)
    }
  }

  /// Returns the recognised translation in a language that was installed last and is not damaged,
  /// or the bundled edition if there is none.
  ///
  /// - Parameter language: A BCP 47 language tag. Only its first part is compared.
  public func defaultEdition(language: String) -> Edition {
    func primary(_ tag: String) -> Substring { tag.prefix { $0 != "-" } }
    // Only the metadata is read until the edition is chosen.
    let candidates = ((try? ids()) ?? []).compactMap { try? metadata(of: $0) }
      .filter {
        $0.isRecognised && $0.kind == .translation && primary($0.language) == primary(language)
      }
      .sorted { ($0.installedAt ?? 0, $1.id) > ($1.installedAt ?? 0, $0.id) }
    for candidate in candidates {
      if let edition = try? edition(candidate.id) { return edition }
    }
    return .bundled
  }

  /// Returns the metadata of an edition without validating its file. It is sufficient to choose an
  /// edition, but must not be trusted further.
  private func metadata(of id: String) throws(EditionFileFailure.Reason) -> Edition.Info {
    let prefix = try MappedFile.prefix(of: try path(of: id), count: EditionFile.prefixCount)
    return try prefix.withUnsafeBytes { prefix in
      Result { () throws(EditionFileFailure.Reason) in try EditionFile.info(inPrefix: prefix) }
    }.get()
  }

  /// The IDs of the files in the directory, in ascending order; empty if the directory does not
  /// exist.
  private func ids() throws(EditionFileFailure) -> [String] {
    guard let directory else { return [] }
    guard let stream = opendir(directory) else {
      if errno == ENOENT { return [] }
      throw EditionFileFailure(file: "", .system(code: errno))
    }
    defer { closedir(stream) }
    var ids: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      guard name.hasSuffix(Self.suffix), !name.hasPrefix(".") else { continue }
      ids.append(String(name.dropLast(Self.suffix.count)))
    }
    return ids.filter { $0 != Edition.bundledID }.sorted()
  }

  private func path(of id: String) throws(EditionFileFailure.Reason) -> String {
    guard Edition.Info.isValid(id: id) else { throw .invalidID }
    guard let directory else { throw .notFound }
    return "\(directory)/\(id)\(Self.suffix)"
  }

  // MARK: Changing

  /// Installs an edition. An edition with the same ID is replaced only after the new one was
  /// written completely.
  ///
  /// - Parameters:
  ///   - edition: The edition; its metadata must have a valid ID.
  ///   - now: The time in milliseconds since 1970, UTC.
  /// - Returns: The installed edition.
  /// - Throws: `invalidID`, `bundled`, `wrongMetadata` if the metadata is too large, or `system`.
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
      try whileLocked(directory) { () throws(EditionFileFailure.Reason) in
        let draft = "\(directory)/\(Self.draft)"
        do throws(EditionFileFailure.Reason) {
          try write(file, to: draft)
          guard rename(draft, path) == 0 else {
            throw .system(code: errno)
          }
        } catch {
          unlink(draft)
          throw error
        }
      }
    } catch {
      throw EditionFileFailure(file: info.id + Self.suffix, error)
    }
    return try self.edition(info.id)
  }

  /// Removes an edition, which may be damaged.
  ///
  /// - Throws: `notFound`, `bundled`, `invalidID` or `system`.
  public func remove(_ id: String) throws(EditionFileFailure) {
    do throws(EditionFileFailure.Reason) {
      let path = try writablePath(of: id)
      guard let directory else { throw .notFound }
      guard access(path, F_OK) == 0 else { throw .notFound }
      try whileLocked(directory) { () throws(EditionFileFailure.Reason) in
        guard unlink(path) == 0 else { throw errno == ENOENT ? .notFound : .system(code: errno) }
      }
    } catch {
      throw EditionFileFailure(file: id + Self.suffix, error)
    }
  }

  private func writablePath(of id: String) throws(EditionFileFailure.Reason) -> String {
    guard id != Edition.bundledID else { throw .bundled }
    return try path(of: id)
  }

  /// Creates a directory and those around it, for the user only.
  private func createDirectory(_ directory: String) throws(EditionFileFailure.Reason) {
    guard mkdir(directory, 0o700) != 0, errno != EEXIST else { return }
    guard errno == ENOENT, let end = directory.lastIndex(of: "/"), end > directory.startIndex
    else { throw .system(code: errno) }
    try createDirectory(String(directory[..<end]))
    guard mkdir(directory, 0o700) == 0 || errno == EEXIST else { throw .system(code: errno) }
  }

  /// Runs `body` while other processes do not change the directory. Then the changes are written to
  /// the disk.
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
