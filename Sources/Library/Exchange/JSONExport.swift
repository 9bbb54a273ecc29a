import GRDB
import Quran
import Text

extension Library {
  /// Writes the contents of the library as an `ExportDocument`, in one transaction. Notes are read
  /// one at a time, so that their number is not limited.
  ///
  /// - Parameters:
  ///   - now: Milliseconds since 1970, UTC.
  ///   - progress: Called with the number of written elements and the number of all.
  ///   - sink: Called with one part of the document after another.
  /// - Returns: The numbers of elements of the lists.
  /// - Throws: A `LibraryFailure`, or an error of the sink.
  @discardableResult
  public func exportJSON(
    at now: Int64, progress: @escaping (_ done: Int, _ total: Int) -> Void = { _, _ in },
    to sink: @escaping (String) throws -> Void
  ) throws -> [ExportDocument.List: Int] {
    try reading { database in
      let total = try ExportDocument.List.allCases.reduce(0) {
        try $0 + (Int.fetchOne(database, sql: "SELECT count(*) FROM \($1.source)") ?? 0)
      }
      var writer = ElementWriter(total: total, progress: progress, sink: sink)
      try writer.write(
        """
        {
          "format": \(ExportDocument.format.asJSON),
          "version": \(ExportDocument.version),
          "exportedAt": \(now)
        """)
      for list in ExportDocument.List.allCases {
        try writer.write(",\n  \(list.rawValue.asJSON): [")
        try writer.write(list, from: database)
        try writer.write("]")
      }
      try writer.write("\n}\n")
      try writer.flush()
      return writer.counts
    }
  }
}

/// Writes a document with one line per element, and passes it to the sink in parts of at least
/// 64 KiB; the last part can be smaller.
private struct ElementWriter {
  let total: Int
  let progress: (Int, Int) -> Void
  let sink: (String) throws -> Void
  private(set) var counts: [ExportDocument.List: Int] = [:]
  var pending = ""
  var done = 0

  mutating func write(_ text: String) throws {
    pending += text
    if pending.utf8.count >= 1 << 16 { try flush() }
  }

  mutating func flush() throws {
    try sink(pending)
    pending = ""
  }

  mutating func write(_ list: ExportDocument.List, from database: Database) throws {
    let rows = try Row.fetchCursor(
      database, sql: "SELECT \(list.columns) FROM \(list.source) ORDER BY \(list.order)")
    var count = 0
    while let row = try rows.next() {
      let fields = list.fields(row).map { "\($0.asJSON): \($1)" }.joined(separator: ", ")
      try write("\(count == 0 ? "\n" : ",\n")    {\(fields)}")
      count += 1
      done += 1
      progress(done, total)
    }
    if count > 0 { try write("\n  ") }
    counts[list] = count
  }
}

extension ExportDocument.List {
  /// The SQL table that contains the elements, with a condition if it also contains other rows.
  fileprivate var source: String {
    switch self {
    case .favorites: "favorite"
    case .notes: "note"
    case .progress: "progress"
    case .settings: "setting"
    case .readingDays: "readingDay"
    case .drafts: "draft"
    case .cues: "device WHERE key GLOB 'cue[1-9]'"
    }
  }

  fileprivate var columns: String {
    switch self {
    case .favorites: "surah, ayah, favoritedAt"
    case .notes: "id, surah, ayah, text, createdAt, modifiedAt"
    case .progress: "surah, lastReadAyah, totalAyahs, lastUpdatedAt"
    case .settings: "key, value, lastModifiedAt"
    case .readingDays: "day, ayahs"
    case .drafts: "id, coalesce(note, id), surah, ayah, text, base, changedAt"
    case .cues: "substr(key, 4), value"
    }
  }

  fileprivate var order: String {
    switch self {
    case .favorites: "surah, ayah"
    case .notes: Note.order
    case .progress: "surah"
    case .settings, .cues: "key"
    case .readingDays: "day"
    case .drafts: "changedAt, id"
    }
  }

  /// Returns the names and JSON values of an element.
  fileprivate func fields(_ row: Row) -> [(String, String)] {
    func text(_ column: Int) -> String { row.string(column).asJSON }
    func number(_ column: Int) -> String { String(row.int64(column)) }
    func ayah(_ surah: Int, _ ayah: Int) -> String { "\"\(number(surah)):\(number(ayah))\"" }
    switch self {
    case .favorites:
      return [("ayah", ayah(0, 1)), ("favoritedAt", number(2))]
    case .notes:
      return [
        ("id", text(0)), ("ayah", ayah(1, 2)), ("text", text(3)), ("createdAt", number(4)),
        ("modifiedAt", number(5)),
      ]
    case .progress:
      return [
        ("surah", number(0)), ("lastReadAyah", number(1)), ("totalAyahs", number(2)),
        ("lastUpdatedAt", number(3)),
      ]
    case .settings:
      // Write the JSON value as a string, so that a program that reformats the document does not
      // change it.
      return [("key", text(0)), ("value", text(1)), ("lastModifiedAt", number(2))]
    case .readingDays:
      return [("day", text(0)), ("ayahs", number(1))]
    case .drafts:
      let base = (row[5] as String?).map { [("base", $0.asJSON)] } ?? []
      return [("id", text(0)), ("note", text(1)), ("ayah", ayah(2, 3)), ("text", text(4))] + base
        + [("changedAt", number(6))]
    case .cues:
      return [("number", text(0).filter(\.isNumber)), ("ayah", text(1))]
    }
  }
}
