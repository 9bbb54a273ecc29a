public import Editions
import Quran

/// Installs and updates editions of QuranEnc.
///
///     let installer = EditionInstaller(editions, try QuranEncClient(), now: { … })
///     try await installer.install(["vietnamese_rwwad"], finished: { … }, progress: { … })
///
/// A download that was interrupted is continued by the next one. An installed edition is replaced
/// only after the new text has been verified to be complete.
public struct EditionInstaller: Sendable {
  /// The result of installing or updating an edition.
  public enum Outcome: Hashable, Sendable {
    case installed(Edition.Info)
    /// The edition was replaced.
    ///
    /// - Parameter previous: The version that was installed before.
    case updated(Edition.Info, previous: String)
    /// The newest version was installed already.
    case unchanged(Edition.Info)
    /// Only for a file, not for a download: its edition was not installed, because it has no
    /// footnotes and the installed one, whose metadata this is, has some.
    case kept(Edition.Info)

    public var info: Edition.Info {
      switch self {
      case .installed(let info), .updated(let info, _), .unchanged(let info), .kept(let info): info
      }
    }
  }

  /// The progress of the downloads.
  public struct Progress: Hashable, Sendable {
    /// QuranEnc's name of the translation that is downloaded.
    public let key: String
    /// The number of responses that have arrived for all translations, including the responses of
    /// earlier, interrupted downloads.
    public let done: Int
    /// The number of responses that are needed for all translations.
    public let total: Int
  }

  private let editions: InstalledEditions
  private let service: QuranEncClient
  private let now: @Sendable () -> Int64

  /// - Parameter now: Returns the time in milliseconds since 1970, UTC.
  public init(
    _ editions: InstalledEditions, _ service: QuranEncClient, now: @escaping @Sendable () -> Int64
  ) {
    self.editions = editions
    self.service = service
    self.now = now
  }

  /// Downloads and installs translations. A translation whose newest version is installed is not
  /// downloaded again.
  ///
  /// - Parameters:
  ///   - keys: QuranEnc's names of the translations.
  ///   - finished: Called with each outcome as soon as it is known. The responses also contain the
  ///     Arabic text. It is installed, with an outcome of its own, if there is none yet or if the
  ///     installed one comes from QuranEnc and differs.
  ///   - progress: Called at the start of each download and after each response.
  /// - Throws: The first failure. Translations that were installed before it remain installed.
  public func install(
    _ keys: [String], finished: (Outcome) -> Void, progress: (Progress) -> Void
  ) async throws(EditionInstallFailure) {
    let catalog = try await self.catalog()
    var entries: [CatalogEntry] = []
    for key in keys {
      guard let entry = catalog.first(where: { $0.key == key }) else {
        throw .download(.notListed(key: key))
      }
      entries.append(entry)
    }
    try await install(entries, finished: finished, progress: progress)
  }

  /// Downloads and installs the newest versions of installed editions.
  ///
  /// - Parameters:
  ///   - installed: The metadata of the editions. An edition without a `quranEncKey`, or one that
  ///     QuranEnc does not publish any more, is skipped without an outcome.
  ///   - finished: The same as for `install`.
  ///   - progress: The same as for `install`.
  public func update(
    _ installed: [Edition.Info], finished: (Outcome) -> Void, progress: (Progress) -> Void
  ) async throws(EditionInstallFailure) {
    let keys = installed.compactMap(\.quranEncKey)
    guard !keys.isEmpty else { return }
    let catalog = try await self.catalog()
    let entries = keys.compactMap { key in catalog.first { $0.key == key } }
    let former = editions.current().edition.info.id
    let result: Result<Void, EditionInstallFailure>
    do {
      result = .success(try await install(entries, finished: finished, progress: progress))
    } catch {
      result = .failure(error)
    }
    // An update does not change the current edition.
    if editions.current().edition.info.id != former {
      do {
        try editions.choose(former)
      } catch {
        try result.get()
        throw .file(error)
      }
    }
    try result.get()
  }

  private func catalog() async throws(EditionInstallFailure) -> [CatalogEntry] {
    do { return try await service.catalog() } catch { throw .download(error) }
  }

  private func install(
    _ entries: [CatalogEntry], finished: (Outcome) -> Void, progress: (Progress) -> Void
  ) async throws(EditionInstallFailure) {
    var due: [CatalogEntry] = []
    var keys: Set<String> = []
    for entry in entries where keys.insert(entry.key).inserted {
      if let info = installedEdition(ofTranslation: entry.key),
        CatalogEntry.areSame(info.version, entry.version)
      {
        finished(.unchanged(info))
      } else {
        due.append(entry)
      }
    }
    let total = due.count * SurahNumber.count
    // All editions get the same time of installation, so that their order in
    // `RecognisedTranslation.all` decides which of them is the default edition.
    let time = now()
    for (index, entry) in due.enumerated() {
      let start = index * SurahNumber.count
      try await download(
        entry, at: time, finished: finished,
        progress: { progress(Progress(key: entry.key, done: start + $0, total: total)) })
    }
  }

  /// The metadata of the installed edition of a translation.
  private func installedEdition(ofTranslation key: String) -> Edition.Info? {
    let items = (try? editions.list()) ?? []
    return items.lazy.compactMap { try? $0.info.get() }.first { $0.quranEncKey == key }
  }

  // MARK: One translation

  private func download(
    _ entry: CatalogEntry, at time: Int64, finished: (Outcome) -> Void, progress: (Int) -> Void
  ) async throws(EditionInstallFailure) {
    do { try editions.createDirectory() } catch { throw .file(error) }
    let directory = editions.directory ?? ""
    var download = QuranEncDownload()
    let partial: PartialDownload
    do throws(DownloadFailure) {
      partial = try PartialDownload(path: "\(directory)/.\(entry.key).download", entry: entry)
      // A stored response that is not usable is fetched again.
      for (surah, bytes) in partial.responses { try? download.add(bytes, of: surah) }
      progress(download.surahs.count)
      for surah in SurahNumber.all where !download.surahs.contains(surah) {
        let response = try await service.response(of: surah, key: entry.key)
        do throws(EditionFailure) {
          try download.add(response, of: surah)
        } catch {
          throw .unusableResponse(surah, error)
        }
        try partial.append(response, of: surah)
        progress(download.surahs.count)
      }
      // Responses of two versions must not be mixed.
      guard try await service.catalog().first(where: { $0.key == entry.key }) == entry else {
        partial.delete()
        throw .changed
      }
    } catch {
      let isPartKept =
        switch error {
        case .changed, .storage: false
        default: !download.surahs.isEmpty
        }
      throw .download(error, isPartKept: isPartKept)
    }
    try install(download, entry, at: time, finished: finished)
    partial.delete()
  }

  private func install(
    _ download: QuranEncDownload, _ entry: CatalogEntry, at time: Int64,
    finished: (Outcome) -> Void
  ) throws(EditionInstallFailure) {
    let parsed: [ParsedEdition]
    do {
      parsed = try download.editions(
        key: entry.key, title: entry.title, version: entry.version, description: entry.description)
    } catch {
      throw .edition(error)
    }
    // The Arabic text is installed before the translation. If either fails, the translation is not
    // current, so that the next attempt installs what is missing from the stored responses.
    for edition in parsed.reversed() {
      let previous = try? editions.edition(edition.info.id)
      if edition.info.kind == .original, let previous, !edition.isNewer(than: previous) { continue }
      let info: Edition.Info
      do { info = try editions.install(edition, at: time).info } catch { throw .file(error) }
      finished(previous.map { .updated(info, previous: $0.info.version) } ?? .installed(info))
    }
  }
}

extension ParsedEdition {
  /// Whether this Arabic text replaces an installed one: it has the same source, and at least one
  /// ayah differs.
  fileprivate func isNewer(than installed: Edition) -> Bool {
    installed.info.source == info.source
      && (AyahID.first...AyahID.last).contains { ayah in
        !content.text(of: ayah).utf8.elementsEqual(installed.bytes(of: ayah))
      }
  }
}
