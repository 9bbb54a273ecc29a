import Glibc

/// The editions that are available on this machine: the editions in the user's directory, the
/// editions in the directory that came with the program, and the bundled edition, which is always
/// available.
///
///     let editions = InstalledEditions(directory: "…/quran-vi/editions")
///     let parsed = try ParsedEdition.parse(bytes)
///     try editions.install(parsed[0], at: now)
///     editions.current().edition.info.id   // "vi.rwwad"
///
/// Each edition is a file `ID.edition` of the format `EditionFile`. Files are opened when they are
/// needed and are not trusted: a damaged file is reported, and the others remain available.
public struct InstalledEditions: Sendable {
  /// The path of the user's directory, which need not exist; nil if there is no place for it, so
  /// that nothing can be installed.
  public let directory: String?
  /// The path of a directory with editions that came with the program, which need not exist.
  /// Nothing in it is changed. An edition in the user's directory takes precedence over an edition
  /// here with the same ID.
  public let sharedDirectory: String?

  /// - Parameters:
  ///   - directory: An absolute path, usually `$XDG_DATA_HOME/quran-vi/editions`.
  ///   - sharedDirectory: An absolute path.
  public init(directory: String?, sharedDirectory: String? = nil) {
    self.directory = directory
    self.sharedDirectory = sharedDirectory
  }

  /// An available edition, or a file that is damaged.
  public struct Item: Sendable {
    /// The ID of the edition according to the name of its file.
    public let id: String
    public let info: Result<Edition.Info, EditionFileFailure>
    /// The size in bytes; 0 if the file cannot be opened.
    public let size: Int
    /// Whether the edition has any footnotes.
    public let hasFootnotes: Bool

    init(id: String, edition: Result<Edition, EditionFileFailure>) {
      self.id = id
      info = edition.map(\.info)
      let edition = try? edition.get()
      size = edition?.fileBytes.count ?? 0
      hasFootnotes = edition?.hasFootnotes ?? false
    }
  }

  /// The bundled edition, which is available even if the user's directory cannot be read.
  public static let bundledItem = Item(id: Edition.bundledID, edition: .success(.bundled))

  static let suffix = ".edition"
  /// The name of the file that contains the ID of the edition that the user has chosen.
  static let choice = "default"

  // MARK: Reading

  /// Returns all editions: the bundled one, then the others by their IDs. All files are validated,
  /// which takes some milliseconds for each.
  ///
  /// - Throws: `system` if the user's directory exists, but cannot be read.
  public func list() throws(EditionFileFailure) -> [Item] {
    var items = [Self.bundledItem]
    for id in try ids() {
      let edition = Result { () throws(EditionFileFailure) in try self.edition(id) }
      items.append(Item(id: id, edition: edition))
    }
    return items
  }

  /// Opens an edition.
  ///
  /// - Throws: `notFound`, or the reason why its file cannot be used.
  public func edition(_ id: String) throws(EditionFileFailure) -> Edition {
    if id == Edition.bundledID { return .bundled }
    do throws(EditionFileFailure.Reason) {
      let edition = try MappedFile.edition(at: try existingPath(of: id))
      guard edition.info.id == id else { throw .otherID(edition.info.id) }
      return edition
    } catch {
      throw EditionFileFailure(file: id + Self.suffix, error)
    }
  }

  /// Returns the current edition: the edition that the user has chosen or, if there is no choice,
  /// the default edition.
  ///
  /// - Parameter language: The language of the default edition, as a BCP 47 language tag.
  /// - Returns: The edition, and the reason why the chosen one cannot be used; nil if it can be
  ///   used, or if there is no choice.
  public func current(
    language: String = Self.defaultLanguage
  ) -> (edition: Edition, problem: EditionFileFailure?) {
    guard let id = chosenID else { return (defaultEdition(language: language), nil) }
    do {
      return (try edition(id), nil)
    } catch {
      return (defaultEdition(language: language), error)
    }
  }

  /// The language of the translation that is read if the user has chosen no edition.
  public static let defaultLanguage = "vi"

  /// The ID of the edition that the user has chosen; nil if there is no choice.
  public var chosenID: String? {
    guard let directory,
      let bytes = try? MappedFile.prefix(of: "\(directory)/\(Self.choice)", count: 80)
    else { return nil }
    let id = String(decoding: bytes.prefix { $0 != 0x0A }, as: UTF8.self)
    return Edition.Info.isValid(id: id) ? id : nil
  }

  /// Returns the Arabic text: the reading of Ḥafṣ or, if it is not available, the Arabic text that
  /// was installed last; nil if there is none.
  public func arabicEdition() -> Edition? {
    if let edition = try? edition(KnownEdition.arabicID) { return edition }
    return newest { $0.kind == .original }
  }

  /// Returns the recognised translation in a language that was installed last and is not damaged,
  /// or the bundled edition if there is none.
  ///
  /// - Parameter language: A BCP 47 language tag. Only its first part is compared.
  public func defaultEdition(language: String) -> Edition {
    func primary(_ tag: String) -> Substring { tag.prefix { $0 != "-" } }
    return newest {
      $0.isRecognised && $0.kind == .translation && primary($0.language) == primary(language)
    } ?? .bundled
  }

  /// Returns the edition that was installed last and is not damaged among those whose metadata
  /// meets a condition.
  private func newest(where isWanted: (Edition.Info) -> Bool) -> Edition? {
    // Only the metadata is read until the edition is chosen.
    let candidates = readableIDs.compactMap { try? metadata(of: $0) }.filter(isWanted)
      .sorted { ($0.installedAt ?? 0, $1.rank, $1.id) > ($1.installedAt ?? 0, $0.rank, $0.id) }
    for candidate in candidates {
      if let edition = try? edition(candidate.id) { return edition }
    }
    return nil
  }

  /// Returns the metadata of an edition without validating its file. It is sufficient to choose an
  /// edition, but must not be trusted further.
  private func metadata(of id: String) throws(EditionFileFailure.Reason) -> Edition.Info {
    let prefix = try MappedFile.prefix(
      of: try existingPath(of: id), count: EditionFile.prefixCount)
    return try prefix.withUnsafeBytes { prefix in
      Result { () throws(EditionFileFailure.Reason) in try EditionFile.info(inPrefix: prefix) }
    }.get()
  }

  /// The IDs of the files in both directories, in ascending order.
  ///
  /// - Throws: `system` if the user's directory exists, but cannot be read.
  private func ids() throws(EditionFileFailure) -> [String] {
    var ids = sharedIDs
    if let directory { ids.formUnion(try Self.ids(in: directory)) }
    return ids.sorted()
  }

  /// The IDs of the files in both directories or, if the user's directory cannot be read, in the
  /// shared one.
  var readableIDs: [String] { (try? ids()) ?? sharedIDs.sorted() }

  /// The IDs of the files in the shared directory. Failures are ignored, because the user cannot
  /// correct them.
  private var sharedIDs: Set<String> {
    Set(sharedDirectory.flatMap { try? Self.ids(in: $0) } ?? [])
  }

  /// The IDs of the files in a directory, without the bundled edition; empty if the directory does
  /// not exist.
  private static func ids(in directory: String) throws(EditionFileFailure) -> [String] {
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
      guard name.hasSuffix(suffix), !name.hasPrefix(".") else { continue }
      let id = String(name.dropLast(suffix.count))
      if id != Edition.bundledID { ids.append(id) }
    }
    return ids
  }

  /// The path of an edition's file in the user's directory.
  func path(of id: String) throws(EditionFileFailure.Reason) -> String {
    guard Edition.Info.isValid(id: id) else { throw .invalidID }
    guard let directory else { throw .noDirectory }
    return "\(directory)/\(id)\(Self.suffix)"
  }

  /// The path of an edition's file, in the user's directory if it exists there.
  func existingPath(of id: String) throws(EditionFileFailure.Reason) -> String {
    guard Edition.Info.isValid(id: id) else { throw .invalidID }
    let paths = [directory, sharedDirectory].compactMap { $0 }.map { "\($0)/\(id)\(Self.suffix)" }
    guard let path = paths.first(where: Self.exists) ?? paths.first else { throw .notFound }
    return path
  }

  /// Whether there is anything at a path, including a symbolic link that leads nowhere.
  static func exists(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0
  }
}

extension Edition.Info {
  /// The order of editions with the same time of installation.
  fileprivate var rank: Int {
    RecognisedTranslation.all.firstIndex { $0.id == id } ?? RecognisedTranslation.all.count
  }
}
