import FoundationEssentials
import GRDB
import Quran
import Text

extension Library {
  /// Writes an XML property list with the three keys of the phone app, in its encoding: data with
  /// JSON. Times, IDs and settings are not written, because the app does not have them.
  ///
  /// - Parameters:
  ///   - progress: Called with the number of written notes and the number of all.
  ///   - sink: Called with one part of the document after another.
  /// - Returns: The numbers of favourites, notes and surahs.
  /// - Throws: A `LibraryFailure`, or an error of the sink.
  @discardableResult
  public func exportLegacyKeys(
    progress: @escaping (_ done: Int, _ total: Int) -> Void = { _, _ in },
    to sink: @escaping (String) throws -> Void
  ) throws -> [ExportDocument.List: Int] {
    try reading { database in
      var counts: [ExportDocument.List: Int] = [:]
      try sink(
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" \
        "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">
        <dict>

        """)
      var writer = DataWriter(sink: sink)
      try writer.begin("ReadingProgressStore.progress")
      counts[.progress] = try Self.progress(database, &writer)
      try writer.end()
      try writer.begin("ayahNotes")
      counts[.notes] = try Self.notes(database, progress, &writer)
      try writer.end()
      try writer.begin("favoriteAyahs")
      counts[.favorites] = try Self.favorites(database, &writer)
      try writer.end()
      try sink("</dict>\n</plist>\n")
      return counts
    }
  }

  /// Writes the progress, for example `{"2":{"lastReadAyah":45,"totalAyahs":286}}`.
  private static func progress(
    _ database: Database, _ writer: inout DataWriter
  ) throws -> Int {
    let surahs = try database.rows(
      "SELECT surah, lastReadAyah FROM progress WHERE lastReadAyah > 0 ORDER BY surah"
    ) { row in
      SurahNumber(row.int(0)).map {
        "\"\($0)\":{\"lastReadAyah\":\(row.int(1)),\"totalAyahs\":\($0.ayahCount)}"
      }
    }
    try writer.write("{\(surahs.joined(separator: ","))}")
    return surahs.count
  }

  /// Writes the notes, for example `{"2:255":["one","another"]}`.
  private static func notes(
    _ database: Database, _ progress: (Int, Int) -> Void, _ writer: inout DataWriter
  ) throws -> Int {
    let total = try Int.fetchOne(database, sql: "SELECT count(*) FROM note") ?? 0
    let rows = try Row.fetchCursor(
      database, sql: "SELECT surah, ayah, text FROM note ORDER BY \(Note.order)")
    var last: AyahID?
    var count = 0
    while let row = try rows.next() {
      guard let ayah = AyahID(row, surahColumn: 0, ayahColumn: 1) else { continue }
      let start = last == ayah ? "," : "\(last == nil ? "{" : "],")\"\(ayah)\":["
      try writer.write(start + row.string(2).asJSON)
      last = ayah
      count += 1
      progress(count, total)
    }
    try writer.write(last == nil ? "{}" : "]}")
    return count
  }

  /// Writes the favourites, for example `["2:255"]`.
  private static func favorites(
    _ database: Database, _ writer: inout DataWriter
  ) throws -> Int {
    let ayahs = try database.rows("SELECT surah, ayah FROM favorite ORDER BY surah, ayah") {
      AyahID($0, surahColumn: 0, ayahColumn: 1).map { "\"\($0)\"" }
    }
    try writer.write("[\(ayahs.joined(separator: ","))]")
    return ayahs.count
  }
}

/// Writes keys whose values are data, in lines of Base64. The data can be written in parts.
private struct DataWriter {
  /// The number of bytes that a line of 76 Base64 characters encodes.
  private static let width = 57

  let sink: (String) throws -> Void
  var rest: [UInt8] = []

  mutating func begin(_ key: String) throws {
    try sink("\t<key>\(key)</key>\n\t<data>\n")
  }

  mutating func write(_ text: String) throws {
    rest += Array(text.utf8)
    let whole = rest.count - rest.count % Self.width
    if whole > 0 { try sink(Self.lines(rest[..<whole])) }
    rest.removeFirst(whole)
  }

  mutating func end() throws {
    try sink(Self.lines(rest[...]) + "\t</data>\n")
    rest = []
  }

  private static func lines(_ bytes: ArraySlice<UInt8>) -> String {
    stride(from: 0, to: bytes.count, by: width).map { start in
      "\t\(Data(bytes[start..<min(start + width, bytes.count)]).base64EncodedString())\n"
    }.joined()
  }
}
