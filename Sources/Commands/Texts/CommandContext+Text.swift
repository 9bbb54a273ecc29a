public import Editions
import Library
import Messages
import Text

// `quran-vi text`
extension CommandContext {
  // MARK: Choosing a text

  /// Returns the edition with an ID, or the current one if the ID is nil.
  ///
  /// - Throws: Status 1 if no edition has the ID, 3 if its file is damaged.
  public func edition(_ id: String?) throws(CommandFailure) -> Edition {
    guard let id else {
      let (edition, problem) = editions.current()
      if let problem { warn(messages.explain(problem)) }
      return edition
    }
    do {
      return try editions.edition(id)
    } catch {
      guard [.notFound, .invalidID, .noDirectory].contains(error.reason) else {
        throw CommandFailure(error, messages: messages)
      }
      let ids = ((try? editions.list()) ?? []).map(\.id).joined(separator: ", ")
      throw CommandFailure(.notFound, messages.noSuchEdition(id.sanitizedLine, ids))
    }
  }

  /// Returns several editions.
  ///
  /// - Parameter ids: The IDs of the editions. A string can contain several, separated by commas.
  ///   Empty for the current edition.
  /// - Throws: The same as `edition(_:)`.
  public func editions(_ ids: [String]) throws(CommandFailure) -> [Edition] {
    var editions: [Edition] = []
    for id in ids.flatMap({ $0.split(separator: ",") }) {
      let edition = try edition(String(id))
      if !editions.contains(where: { $0.info.id == edition.info.id }) { editions.append(edition) }
    }
    guard editions.isEmpty else { return editions }
    // `--edition ,` contains no ID. Fail as for an empty ID instead of using the current edition.
    return [try edition(ids.first.map { _ in "" })]
  }

  /// Returns the Arabic text.
  ///
  /// - Throws: Status 1 if no Arabic text is installed.
  public func arabicEdition() throws(CommandFailure) -> Edition {
    guard let edition = editions.arabicEdition() else {
      throw CommandFailure(.notFound, messages.noArabicText)
    }
    return edition
  }

  /// The texts whose files can be opened.
  public var readableTexts: [Edition] {
    ((try? editions.list()) ?? []).compactMap { try? editions.edition($0.id) }
  }

  // MARK: Listing

  /// Prints the available texts, and warns of damaged ones.
  ///
  /// - Throws: Status 3 if the directory of the texts cannot be read.
  public func listTexts() throws(CommandFailure) {
    let items = try convertingFailures { try editions.list() }
    let current = editions.current().edition.info.id
    guard !asJSON else {
      return try console.json(items.map { TextEntry($0, isDefault: $0.id == current) })
    }
    for item in items {
      if case .failure(let failure) = item.info { warn(messages.explain(failure)) }
    }
    let rows = items.map { item in
      guard let info = try? item.info.get() else { return ["!", item.id, "", "", "", "", ""] }
      return [
        info.id == current ? "*" : " ", info.id, info.language, messages.fullTitle(of: info),
        info.version, info.publisher.isEmpty ? info.source : info.publisher,
        messages.fileSize(item.size),
      ].map(\.sanitizedLine)
    }
    // The last column is not padded.
    let widths = (0..<6).map { column in rows.map { $0[column].columns }.max() ?? 0 }
    try console.lines(
      rows.map { row in
        let cells = zip(row, widths).map { $0.padded(to: $1) } + [row[6]]
        return cells[0] + " " + cells[1...].joined(separator: "  ")
      })
  }

  /// Prints the metadata of a text.
  ///
  /// - Throws: Status 1 if there is no such text, 3 if its file is damaged.
  public func showText(_ id: String) throws(CommandFailure) {
    let edition = try edition(id)
    let items = try convertingFailures { try editions.list() }
    guard let item = items.first(where: { $0.id == edition.info.id }) else { return }
    let isDefault = editions.current().edition.info.id == edition.info.id
    if asJSON {
      try console.json([TextEntry(item, isDefault: isDefault)])
    } else {
      let facts = messages.provenance(of: edition.info, hasFootnotes: item.hasFootnotes)
      let width = facts.map(\.name.columns).max() ?? 0
      for (name, text) in facts {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
          try console.line((index == 0 ? name : "").padded(to: width) + "  \(line)")
        }
      }
    }
  }

  // MARK: Changing

  /// Chooses the current edition.
  ///
  /// - Throws: Status 1 if there is no such text, 3 if it cannot be opened or the choice cannot be
  ///   stored.
  public func useText(_ id: String) throws(CommandFailure) {
    let edition = try edition(id)
    _ = try convertingFailures { try editions.choose(edition.info.id) }
    try report(messages.textChosen(messages.fullTitle(of: edition.info)), edition.info.id)
  }

  /// Removes an installed text.
  ///
  /// - Throws: Status 1 if there is no such text, 2 if it cannot be removed by the user, 3 if
  ///   removing fails.
  public func removeText(_ id: String) throws(CommandFailure) {
    try convertingFailures { try editions.remove(id) }
    let current = messages.fullTitle(of: editions.current().edition.info)
    try report(messages.textRemoved(id.sanitizedLine, reading: current), id)
  }

  private func report(_ sentence: String, _ id: String) throws(CommandFailure) {
    if asJSON { try console.json([ChangedText(id: id)]) } else { try console.line(sentence) }
  }
}

private struct ChangedText: Encodable {
  let id: String
}

/// A text in the JSON output.
struct TextEntry: Encodable {
  let id: String
  let language: String?
  let direction: TextDirection?
  let kind: Edition.Kind?
  let title: String?
  let translator: String?
  let publisher: String?
  let source: String?
  let version: String?
  let licence: String?
  let notes: String?
  let recognised: Bool?
  let bundled: Bool
  let isDefault: Bool
  let footnotes: Bool
  /// The size in bytes.
  let size: Int
  /// Milliseconds since 1970, UTC.
  let installedAt: Int64?
  let checksum: String?
  /// The reason why the text cannot be used.
  let problem: String?

  private enum CodingKeys: String, CodingKey {
    case id, language, direction, kind, title, translator, publisher, source, version, licence
    case notes, recognised, bundled, footnotes, size, installedAt, checksum, problem
    case isDefault = "default"
  }

  init(_ item: InstalledEditions.Item, isDefault: Bool) {
    let info = try? item.info.get()
    id = item.id
    language = info?.language
    direction = info?.direction
    kind = info?.kind
    title = info?.title
    translator = info?.translator
    publisher = info?.publisher
    source = info?.source
    version = info?.version
    licence = info?.licence
    notes = info?.notes
    recognised = info?.isRecognised
    bundled = info?.isBundled ?? false
    self.isDefault = isDefault
    footnotes = item.hasFootnotes
    size = item.size
    installedAt = info?.installedAt
    checksum = info?.sourceChecksum
    problem = if case .failure(let failure) = item.info { failure.reason.code } else { nil }
  }
}

extension EditionFileFailure.Reason {
  /// The identifier of the reason in the JSON output, independent of the language.
  fileprivate var code: String {
    switch self {
    case .notFound: "notFound"
    case .invalidID: "invalidID"
    case .bundled: "bundled"
    case .shared: "shared"
    case .noDirectory: "noDirectory"
    case .system: "system"
    case .notRegularFile: "notRegularFile"
    case .notAnEdition: "notAnEdition"
    case .otherVersion: "otherVersion"
    case .tooLarge: "tooLarge"
    case .wrongSize: "wrongSize"
    case .wrongChecksum: "wrongChecksum"
    case .wrongMetadata: "wrongMetadata"
    case .otherID: "otherID"
    case .wrongTable: "wrongTable"
    case .emptyAyah: "emptyAyah"
    case .notUTF8: "notUTF8"
    case .controlCharacter: "controlCharacter"
    }
  }
}
