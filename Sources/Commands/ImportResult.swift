import LegacyImport
import Library
import Messages
import Text

/// The result of an import, independent of the file's format, with messages in the user's language.
struct ImportResult {
  /// An entry that was not imported.
  struct Skip: Encodable {
    /// The raw value of the table.
    let list: String
    /// The place of the entry in the file, for the user.
    let place: String
    /// The one-based position in the list of an export, or 0 for the list itself; and the line at
    /// which the entry begins.
    var number: Int?
    var line: Int?
    /// The identifier of the reason in the JSON output, independent of the language.
    let code: String
    let reason: String
  }

  /// The format of the file, for the JSON output and for the user.
  let format: String
  let kind: String
  /// The encoding of each list; only for legacy dumps.
  var shapes: [ExportDocument.Table: (code: String, name: String)] = [:]
  let counts: [ExportDocument.Table: ImportReport.Count]
  /// The first skipped entries; `counts` includes all.
  let skips: [Skip]
  private static let skipLimit = 10_000
  let unknownKeys: [String]
  let unknownKeyCount: Int
  var unknownFieldCount = 0
  /// The changes, for undo.
  let commit: Commit

  subscript(table: ExportDocument.Table) -> ImportReport.Count {
    counts[table] ?? ImportReport.Count()
  }

  var skippedCount: Int { counts.values.reduce(0) { $0 + $1.skipped } }
  var importedCount: Int { counts.values.reduce(0) { $0 + $1.imported } }

  /// The result of importing an export of this program.
  init(_ report: ImportReport, messages: Messages) {
    format = ExportDocument.format
    kind = messages.kindExport
    counts = report.counts
    skips = report.skips.map { skip in
      let list = messages.name(of: skip.table)
      return Skip(
        list: skip.table.rawValue,
        place: messages.placeInExport(
          skip.number == 0 ? list : "\(list) \(skip.number)", skip.line),
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
    kind = messages.kindLegacy(
      dump.containers.map { messages.name(of: $0) }.joined(separator: ", "))
    var counts = report.counts
    for key in LegacyKey.allCases {
      counts[key.table, default: ImportReport.Count()].addSkipped(
        dump.found(key) - (counts[key.table]?.found ?? 0))
    }
    self.counts = counts
    for (key, shape) in dump.shapes {
      shapes[key.table] = (shape.code, messages.name(of: shape))
    }
    // Limit the list; a real dump has few problems.
    skips = dump.problems.prefix(Self.skipLimit).map {
      Skip(
        list: $0.key.table.rawValue, place: $0.place.sanitizedLine, code: $0.reason.code,
        reason: messages.explain($0.reason))
    }
    unknownKeys = dump.unknownKeys
    unknownKeyCount = dump.unknownKeyCount
    commit = report.commit
  }
}

extension LegacyKey {
  var table: ExportDocument.Table {
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
    case .unfit: "unfit"
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
