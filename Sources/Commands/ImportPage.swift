import Library
import Messages
import Text

/// The report of an import for the user.
struct ImportPage {
  /// The path as the user named it, or `-` for standard input.
  let path: String
  let name: String
  let result: ImportResult
  let isDryRun: Bool
  /// The path to which the file was archived, or nil if it was not.
  var archive: String?
  let messages: Messages

  /// The report in one line.
  var summary: String {
    let counts = result.counts.values
    return messages.imported(
      favorites: result[.favorites].imported, notes: result[.notes].imported,
      surahs: result[.progress].imported, all: result.importedCount,
      replaced: counts.reduce(0) { $0 + $1.replaced }, merged: result[.notes].merged,
      keptBoth: result[.notes].keptBoth, skipped: result.skippedCount)
  }

  /// The maximum number of skipped entries that are listed; `--json` lists more.
  private static let limit = 10

  var lines: [String] {
    let name = name.sanitizedLine
    var lines = [
      isDryRun
        ? messages.wouldImport(name, result.formatName)
        : messages.importedFrom(name, result.formatName)
    ]
    for list in ExportDocument.List.allCases {
      let count = result[list]
      guard count.found > 0 || count.skipped > 0 else { continue }
      var title = messages.name(of: list)
      if let encoding = result.encodings[list] { title += " (\(encoding.name))" }
      lines.append(
        "  "
          + messages.importCounts(
            title, new: count.new, replaced: count.replaced, merged: count.merged,
            keptBoth: count.keptBoth, old: count.alreadyThere, skipped: count.skipped))
    }
    if lines.count == 1 { lines.append("  " + messages.nothingInIt) }
    lines += result.skips.prefix(Self.limit).map { "  " + messages.skipped($0.place, $0.reason) }
    let more = result.skippedCount - min(result.skips.count, Self.limit)
    if more > 0 {
      let areListed = result.skips.count == result.skippedCount
      lines.append("  " + messages.moreSkipped(more, areListed: areListed))
    }
    if result.unknownKeyCount > 0 {
      var keys = result.unknownKeys.prefix(Self.limit).map(\.sanitizedLine)
      if result.unknownKeyCount > keys.count { keys.append("…") }
      lines.append("  " + messages.unknownKeys(keys.joined(separator: ", ")))
    }
    if let archive { lines.append("  " + messages.archived(archive.sanitizedLine)) }
    return lines
  }
}

/// The report of an import in the JSON output.
struct ImportEntry: Encodable {
  let file: String
  let format: String
  let dryRun: Bool
  let lists: [String: [String: Int]]
  /// The encoding of each list; only for legacy dumps.
  let shapes: [String: String]?
  let skipped: [ImportResult.Skip]
  let unknownKeys: [String]
  let unknownFields: Int
  let archive: String?

  init(_ page: ImportPage) {
    let result = page.result
    file = page.path
    format = result.format
    dryRun = page.isDryRun
    lists = Dictionary(
      uniqueKeysWithValues: ExportDocument.List.allCases.map { ($0.rawValue, result[$0].json) })
    shapes =
      result.encodings.isEmpty
      ? nil
      : Dictionary(uniqueKeysWithValues: result.encodings.map { ($0.key.rawValue, $0.value.code) })
    skipped = result.skips
    unknownKeys = result.unknownKeys
    unknownFields = result.unknownFieldCount
    archive = page.archive
  }
}

extension ImportReport.Count {
  /// The counts in the JSON output. `imported` is the sum of the four that follow it.
  fileprivate var json: [String: Int] {
    [
      "found": found, "imported": imported, "new": new, "replaced": replaced, "merged": merged,
      "keptBoth": keptBoth, "alreadyThere": alreadyThere, "skipped": skipped,
    ]
  }
}
