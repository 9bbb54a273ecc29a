import Compression
import Digests

/// A format of files that contain an edition. The format is detected from the content of a file.
public enum EditionFormat: String, CaseIterable, Sendable {
  /// Lines `surah|ayah|text`, as from Tanzil. Lines that begin with `#` are comments.
  case tanzilText = "tanzil-text"
  /// One ayah a line, as from Tanzil. Lines that begin with `#` are comments.
  case ayahLines = "ayah-lines"
  /// Tanzil's XML: `<sura index="1"><aya index="1" text="…" bismillah="…"/>`.
  case tanzilXML = "tanzil-xml"
  /// QuranEnc's XML: `<sura number="1"><aya number="1"><translation>…</translation>
  /// <footnotes>…</footnotes></aya>`.
  case quranEncXML = "quranenc-xml"
  /// QuranEnc's CSV with the columns `id,sura,aya,translation,footnotes`.
  case quranEncCSV = "quranenc-csv"
  /// Responses of QuranEnc's API, each of one surah: `{"result": [{"sura", "aya", "translation",
  /// "footnotes", "arabic_text"}]}`.
  case quranEncJSON = "quranenc-json"
  /// The file of the phone app, which contains an Arabic and a Vietnamese edition:
  /// `{"surahs": [{"number", "ayahs": [{"number", "arabic", "vietnamese"}]}]}`.
  case phoneAppJSON = "phone-app-json"
  /// A mushaf of the quran-text data set: `{"format": "quran-mushaf", "words": […], …}`.
  case mushafJSON = "mushaf-json"
  /// An edition of fawazahmed0's quran-api: `{"quran": [{"chapter", "verse", "text"}]}`.
  case chapterVerseJSON = "chapter-verse-json"

  /// The limit in bytes for a file, and for its decompressed content.
  public static let byteLimit = 64 << 20
  /// The limit in bytes for the text and for the footnotes of one ayah.
  public static let ayahByteLimit = 64 << 10
  /// The maximum number of ayahs in one text, including repeated and extra ones.
  public static let ayahLimit = 20_000
}

extension ParsedEdition {
  /// Parses all editions that a file contains.
  ///
  /// - Parameter bytes: The content of the file: one of the formats of `EditionFormat`, plain,
  ///   compressed with gzip, or in a zip file such as a Python wheel. Nothing is written to disk.
  ///   All entries of a zip file that are in a known format are parsed.
  /// - Returns: At least one edition. The metadata is what the file says about itself, or what is
  ///   known about a well-known edition; the ID is empty if the file does not say which text it is.
  /// - Throws: `unknownFormat` if no document is in a known format; otherwise the first failure.
  public static func parse(_ bytes: [UInt8]) throws(EditionFailure) -> [ParsedEdition] {
    guard bytes.count <= EditionFormat.byteLimit else {
      throw .tooLarge(limit: EditionFormat.byteLimit)
    }
    let checksum = SHA256.hex(of: bytes)
    var editions: [ParsedEdition] = []
    for document in try documents(in: bytes) {
      guard let kind = DocumentKind(of: document) else { continue }
      let text = try SourceText(validating: document)
      switch kind {
      case .json: editions += try JSONEditions.parse(text)
      case .xml: editions.append(try XMLEdition.parse(text))
      case .csv: editions.append(try CSVEdition.parse(text))
      case .tanzilText: editions.append(try TextEdition.parseNumbered(text))
      case .ayahLines: editions.append(try TextEdition.parseLines(text))
      }
    }
    guard !editions.isEmpty else { throw .unknownFormat }
    for index in editions.indices { editions[index].info.sourceChecksum = checksum }
    return editions
  }

  /// The decompressed content of a file: one document, or one for each entry of a zip file.
  private static func documents(in bytes: [UInt8]) throws(EditionFailure) -> [[UInt8]] {
    var budget = EditionFormat.byteLimit
    if Inflater.isGzip(bytes) { return [try EditionFormat.unpack(bytes[...], .gzip, &budget)] }
    guard ZipArchive.hasSignature(bytes) else { return [bytes] }
    let archive = try ZipArchive(bytes)
    var documents: [[UInt8]] = []
    for entry in archive.entries {
      let document = try archive.content(of: entry, &budget)
      if DocumentKind(of: document) != nil { documents.append(document) }
    }
    return documents
  }
}

extension EditionFormat {
  /// Decompresses bytes.
  ///
  /// - Parameter budget: The number of bytes that the output may have; reduced by those it has, and
  ///   by one for each further member of a gzip file.
  /// - Throws: `damagedArchive`, or `tooLargeUnpacked` as soon as the output exceeds the budget.
  static func unpack(
    _ bytes: ArraySlice<UInt8>, _ format: Inflater.Format, _ budget: inout Int
  ) throws(EditionFailure) -> [UInt8] {
    var output: [UInt8] = []
    try Inflater.inflate(
      bytes, as: format, damaged: { _ in EditionFailure.damagedArchive },
      receive: { part throws(EditionFailure) in
        // A member of a gzip file costs a byte, because a file can have millions of empty ones.
        budget -= part.output.count + (part.isFollowedByMember ? 1 : 0)
        guard budget >= 0 else { throw .tooLargeUnpacked(limit: byteLimit) }
        output += part.output
      })
    return output
  }
}

/// The syntax of a document, detected from its content.
enum DocumentKind {
  case json, xml, csv, tanzilText, ayahLines

  /// Returns nil if the document cannot be an edition.
  init?(of bytes: [UInt8]) {
    var lines = LineReader(bytes)
    var first: ArraySlice<UInt8>?
    var count = 0
    // The header of a CSV follows comments and a quoted preamble, so more than one line is needed.
    while let line = lines.next() {
      if line.contains(0) { return nil }
      guard !line.isComment, !line.allSatisfy(\.isBlank) else { continue }
      count += 1
      if first == nil {
        first = line
        switch line.first(where: { !$0.isBlank }) {
        case UInt8(ascii: "{"), UInt8(ascii: "["):
          self = .json
          return
        case UInt8(ascii: "<"):
          self = .xml
          return
        default: break
        }
        if NumberedLine(line) != nil {
          self = .tanzilText
          return
        }
      }
      if count <= CSVEdition.preambleLines, CSVEdition.isHeader(line) {
        self = .csv
        return
      }
    }
    guard TextEdition.plausibleLineCounts.contains(count) else { return nil }
    self = .ayahLines
  }
}
