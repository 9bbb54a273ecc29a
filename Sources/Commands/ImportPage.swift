import Library
import Text
import Words

/// What is said of an import.
struct ImportPage {
  let name: String
  let report: ImportReport
  let isDryRun: Bool
  let words: Words

  /// How many of the elements left out are told one by one; `--json` tells more.
  private static let limit = 10

  var lines: [String] {
    var lines = [isDryRun ? words.wouldImport(name) : words.importedFrom(name)]
    for table in ExportDocument.Table.allCases {
      let count = report[table]
      guard count.found > 0 || count.skipped > 0 else { continue }
      lines.append(
        "  "
          + words.importCounts(
            words.name(of: table), new: count.imported, old: count.alreadyThere,
            skipped: count.skipped))
    }
    if lines.count == 1 { lines.append("  " + words.nothingInIt) }
    lines += report.skips.prefix(Self.limit).map { skip in
      "  "
        + words.skipped(
          words.name(of: skip.table), skip.number, line: skip.line,
          words.explain(skip.reason))
    }
    let more = report.total.skipped - min(report.skips.count, Self.limit)
    if more > 0 {
      let areListed = report.skips.count == report.total.skipped
      lines.append("  " + words.moreSkipped(more, areListed: areListed))
    }
    if report.unknownKeyCount > 0 {
      let keys = report.unknownKeys.prefix(Self.limit).map(\.displayableLine)
      lines.append("  " + words.unknownKeys(keys.joined(separator: ", ")))
    }
    return lines
  }
}

/// The same for scripts.
struct ImportEntry: Encodable {
  struct Count: Encodable {
    let found: Int
    let imported: Int
    let alreadyThere: Int
    let skipped: Int
  }
  struct Skip: Encodable {
    let list: String
    /// One-based; 0 for the list itself.
    let number: Int
    let line: Int
    /// The same in every language, for scripts.
    let code: String
    let reason: String
  }

  let file: String
  let format: String
  let dryRun: Bool
  let lists: [String: Count]
  let skipped: [Skip]
  let unknownKeys: [String]
  let unknownFields: Int

  init(_ page: ImportPage, format: String) {
    let report = page.report
    file = page.name
    self.format = format
    dryRun = page.isDryRun
    lists = Dictionary(
      uniqueKeysWithValues: ExportDocument.Table.allCases.map {
        let count = report[$0]
        return (
          $0.rawValue,
          Count(
            found: count.found, imported: count.imported, alreadyThere: count.alreadyThere,
            skipped: count.skipped)
        )
      })
    skipped = report.skips.map {
      Skip(
        list: $0.table.rawValue, number: $0.number, line: $0.line, code: $0.reason.code,
        reason: page.words.explain($0.reason))
    }
    unknownKeys = report.unknownKeys
    unknownFields = report.unknownFieldCount
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
