public import Editions
import FoundationEssentials
import Messages
import QuranEnc
import RecordClient
import Text

/// Installs editions from QuranEnc.com and from files.
public struct EditionSource: Sendable {
  /// The environment variable that contains an address to use instead of `QuranEncClient.origin`.
  static let addressVariable = "QURAN_VI_QURANENC_URL"

  /// The metadata that the user gives for a file; nil values are taken from the file.
  public struct Description: Sendable {
    /// The ID of the edition, which replaces the ID that the file contains.
    public var id: String?
    /// The title. It stays if the edition is installed from a file again and no title is given.
    public var title: String?
    /// A BCP 47 language tag.
    public var language: String?

    public init(id: String? = nil, title: String? = nil, language: String? = nil) {
      self.id = id
      self.title = title
      self.language = language
    }

    var isEmpty: Bool { id == nil && title == nil && language == nil }
  }

  let editions: InstalledEditions
  private let environment: [String: String]
  private let now: @Sendable () -> Int64

  /// - Parameters:
  ///   - editions: The installed editions.
  ///   - environment: The environment variables of the process.
  ///   - now: Returns the time in milliseconds since 1970, UTC.
  public init(
    _ editions: InstalledEditions, environment: [String: String],
    now: @escaping @Sendable () -> Int64
  ) {
    self.editions = editions
    self.environment = environment
    self.now = now
  }

  // MARK: Downloads

  /// What is downloaded.
  enum Download {
    /// Translations, by QuranEnc's names for them.
    case translations([String])
    /// The newest versions of installed editions.
    case updates([Edition.Info])
  }

  /// Downloads and installs editions of QuranEnc.
  ///
  /// - Parameters:
  ///   - finished: Called for each edition when it is done.
  ///   - progress: Called after each part of a download.
  func download(
    _ download: Download, finished: (EditionInstaller.Outcome) -> Void,
    progress: (EditionInstaller.Progress) -> Void
  ) async throws(EditionInstallFailure) {
    let service: QuranEncClient
    do throws(DownloadFailure) {
      let options: ClientOptions
      do { options = try .environment(environment) } catch { throw .environment(error) }
      let origin = environment[Self.addressVariable].flatMap { $0.isEmpty ? nil : $0 }
      service = try QuranEncClient(origin: origin ?? QuranEncClient.origin, options: options)
    } catch {
      throw .download(error)
    }
    let result: Result<Void, EditionInstallFailure>
    do throws(EditionInstallFailure) {
      let installer = EditionInstaller(editions, service, now: now)
      switch download {
      case .translations(let keys):
        try await installer.install(keys, finished: finished, progress: progress)
      case .updates(let infos):
        try await installer.update(infos, finished: finished, progress: progress)
      }
      result = .success(())
    } catch {
      result = .failure(error)
    }
    await service.shutdown()
    try result.get()
  }

  // MARK: Files

  /// Installs all editions of a file.
  ///
  /// - Parameters:
  ///   - file: The file.
  ///   - description: The metadata that the user gives for it.
  ///   - messages: The language of error messages.
  /// - Throws: Status 2 if an ID is needed or cannot be used, 3 if the file is not an edition or
  ///   cannot be installed. If a file has several editions and one cannot be installed, those
  ///   before it remain installed.
  func install(
    _ file: InputFile, _ description: Description, messages: Messages
  ) throws(CommandFailure) -> [EditionInstaller.Outcome] {
    let bytes: [UInt8]
    do {
      bytes = try file.bytes(upTo: EditionFormat.byteLimit)
    } catch {
      throw CommandFailure(.badData, messages.fileNotRead(file.name, error.code))
    }
    var parsed: [ParsedEdition]
    do {
      parsed = try ParsedEdition.parse(bytes)
    } catch {
      throw CommandFailure(.badData, messages.explain(error, in: file.name))
    }
    guard parsed.count == 1 || description.isEmpty else {
      throw CommandFailure(.usage, messages.fileHasSeveralTexts(file.name, parsed.count))
    }
    for index in parsed.indices { try describe(&parsed[index], file, description, messages) }
    var outcomes: [EditionInstaller.Outcome] = []
    for edition in parsed {
      let previous = try? editions.edition(edition.info.id)
      if let previous, previous.hasFootnotes, !edition.content.hasFootnotes, description.id == nil {
        outcomes.append(.kept(previous.info))
        continue
      }
      let info = try messages.convertingFailures {
        try editions.install(edition, at: now()).info
      }
      outcomes.append(
        previous.map { .updated(info, previous: $0.info.version) } ?? .installed(info))
    }
    return outcomes
  }

  /// Replaces metadata of an edition with what the user gives. A title that the user gave at an
  /// earlier installation also replaces that of the file. If the edition has no ID then, makes one
  /// from the file name.
  ///
  /// - Throws: Status 2 if the given ID is invalid, or if the name gives no ID or that of an
  ///   installed edition, which is replaced only if its ID is given.
  private func describe(
    _ edition: inout ParsedEdition, _ file: InputFile, _ description: Description,
    _ messages: Messages
  ) throws(CommandFailure) {
    if let language = description.language { edition.info.language = language.sanitizedLine }
    if let id = description.id {
      guard Edition.Info.isValid(id: id) else {
        throw CommandFailure(EditionFileFailure(file: id, .invalidID), messages: messages)
      }
      // An edition with another ID than its publisher's does not count as recognised.
      edition.info.isRecognised = edition.info.isRecognised && edition.info.id == id
      edition.info.id = id
    } else if edition.info.id.isEmpty {
      guard !file.isStandardInput,
        let id = Self.id(fileName: file.name, language: edition.info.language)
      else { throw CommandFailure(.usage, messages.textNeedsID(file.name.sanitizedLine)) }
      // The bundled edition, which cannot be replaced, is refused when the text is installed.
      if let installed = try? editions.edition(id), !installed.info.isBundled {
        throw CommandFailure(.usage, messages.textIDIsTaken(id))
      }
      edition.info.id = id
    }
    let previous = try? editions.edition(edition.info.id).info
    if let title = description.title ?? (previous?.isTitleGiven == true ? previous?.title : nil) {
      edition.info.title = title.sanitizedLine
      edition.info.isTitleGiven = true
    }
    if edition.info.title.isEmpty { edition.info.title = edition.info.id }
  }

  /// Makes an ID from a file name. Returns nil if no valid ID can be made.
  ///
  ///     id(fileName: "en.own.txt", language: "")          // en.own
  ///     id(fileName: "My text.csv.gz", language: "en")    // en.my-text
  ///     id(fileName: "Bản của tôi.txt", language: "")     // ban-cua-toi
  static func id(fileName: String, language: String) -> String? {
    var stem = String(fileName.split(separator: "/").last ?? "").folded[...]
    while let dot = stem.lastIndex(of: "."), extensions.contains(stem[dot...].dropFirst()) {
      stem = stem[..<dot]
    }
    if stem.contains("."), Edition.Info.isValid(id: String(stem)) { return String(stem) }
    let words = stem.split { !$0.isASCII || !($0.isLetter || $0.isNumber) }
    let prefix = language.isEmpty ? "" : "\(language.lowercased())."
    let id = prefix + words.joined(separator: "-")
    return !words.isEmpty && Edition.Info.isValid(id: id) ? id : nil
  }

  private static let extensions: Set<Substring> = [
    "txt", "xml", "csv", "json", "gz", "zip", "whl",
  ]
}
