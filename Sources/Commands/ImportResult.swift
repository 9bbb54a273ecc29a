import LegacyImport
import Library
import Messages
import Text

/// The result of an import, independent of the file's format, with messages in the user's language.
struct ImportResult {
  /// An entry that was not imported.
  struct Skip: Encodable {
    /// The name of the entry's list in an export.
    let list: String
    /// A description of the entry's position in the file, in the user's language.
    let place: String
    /// The one-based position in the list; 0 for the list itself; nil for a legacy dump.
    var number: Int?
    /// The line at which the entry begins; nil for a legacy dump.
    var line: Int?
    /// The identifier of the reason in the JSON output, independent of the language.
    let code: String
    let reason: String
  }

  /// The identifier of the file's format in the JSON output.
  let format: String
  /// The name of the file's format in the user's language.
  let formatName: String
  /// The encoding of each list; only for legacy dumps.
  var encodings: [ExportDocument.List: (code: String, name: String)] = [:]
  let counts: [ExportDocument.List: ImportReport.Count]
  /// The first skipped entries; `counts` includes all.
  let skips: [Skip]
  private static let skipLimit = 10_000
  let unknownKeys: [String]
  let unknownKeyCount: Int
  var unknownFieldCount = 0
  /// The changes of the import, which undo reverses.
  let commit: Commit

  subscript(list: ExportDocument.List) -> ImportReport.Count {
    counts[list] ?? ImportReport.Count()
  }

  var skippedCount: Int { counts.values.reduce(0) { $0 + $1.skipped } }
  var importedCount: Int { counts.values.reduce(0) { $0 + $1.imported } }

  /// The result of importing an export of this program.
  init(_ report: ImportReport, messages: Messages) {
    format = ExportDocument.format
    formatName = messages.kindExport
    counts = report.counts
    skips = report.skips.map { skip in
      let name = messages.name(of: skip.list)
      return Skip(
        list: skip.list.rawValue,
        place: messages.placeInExport(
          skip.number == 0 ? name : "\(name) \(skip.number)", skip.line),
        number: skip.number, line: skip.line, code: skip.reason.code,
        reason: messages.explain(skip.reason))
    }
    unknownKeys = report.unknownKeys
    unknownKeyCount = report.unknownKeyCount
    unknownFieldCount = report.unknownFieldCount
    commit = report.commit
  }

  /// The result of importing a dump of the iOS app.
  init(_ dump: LegacyDump, _ report: ImportReport, messages: Messages) {
    format = "legacy"
    formatName = messages.kindLegacy(
      dump.formats.map { messages.name(of: $0) }.joined(separator: ", "))
    var counts = report.counts
    for key in LegacyKey.allCases {
      counts[key.list, default: ImportReport.Count()].addSkipped(
        dump.entryCount(of: key) - (counts[key.list]?.found ?? 0))
    }
    self.counts = counts
    for (key, shape) in dump.shapes {
      encodings[key.list] = (shape.code, messages.name(of: shape))
    }
    // Limit the list; a real dump has few problems.
    skips = dump.problems.prefix(Self.skipLimit).map {
      Skip(
        list: $0.key.list.rawValue, place: $0.place.sanitizedLine, code: $0.reason.code,
        reason: messages.explain($0.reason))
    }
    unknownKeys = dump.unknownKeys
    unknownKeyCount = dump.unknownKeyCount
    commit = report.commit
  }
}

extension LegacyKey {
  var list: ExportDocument.List {
    switch self {
    case .favorites: .favorites
    case .notes: .notes
    case .progress: .progress
    }
  }
}

extension ImportReport.Reason {
  fileprivate var code: String {
    switch self {
    case .notAList: "not-a-list"
    case .wrongType: "wrong-type"
    case .missing: "missing"
    case .invalidValue: "invalid-value"
    case .noSuchAyah: "no-such-ayah"
    case .noSuchSurah: "no-such-surah"
    case .badID: "bad-id"
    case .note(.empty): "empty-note"
    case .note(.tooLong): "note-too-long"
    case .tooLarge: "too-large"
    case .notText: "not-text"
    }
  }
}
