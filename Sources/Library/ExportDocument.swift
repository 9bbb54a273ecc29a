import FoundationEssentials
public import Text

/// The form in which a library leaves its file and comes back: one JSON document.
///
///     {
///       "format": "quran-vi",
///       "version": 1,
///       "exportedAt": 1764000000000,
///       "favorites": [
///         {"ayah": "2:255", "favoritedAt": 1764000000000}
///       ],
///       …
///
/// The man page describes it whole. Keys may stand in any order, and those that this
/// version does not know are passed over.
public enum ExportDocument {
  public static let format = "quran-vi"
  public static let version = 1

  /// The lists of a document, in the order in which they are written.
  public enum Table: String, CaseIterable, Hashable, Sendable {
    case favorites, notes, progress, settings, readingDays, drafts, cues
  }

  /// The element that is missing in a document that is not JSON.
  public typealias Expected = JSONTokenizer.Expected

  /// Why a document cannot be imported. Nothing of it then is.
  public enum Failure: Error, Hashable, Sendable {
    /// - Parameters:
    ///   - offset: in bytes from the start.
    ///   - line: one-based.
    case syntax(offset: Int, line: Int, expected: Expected)
    /// Nested deeper than any export.
    case tooDeep(offset: Int, line: Int)
    /// It does not say that it is one of ours.
    case notAnExport
    /// From a newer version of the program.
    case newer(version: Int)
  }

  /// What a document holds, before any of it is imported.
  public struct Inspection: Hashable, Sendable {
    public internal(set) var version = 0
    /// How many elements the lists have, good or bad.
    public internal(set) var elements: [Table: Int] = [:]

    public var count: Int { elements.values.reduce(0, +) }
  }

  /// Reads a document through, without a library: whether it is one that can be imported.
  ///
  /// - Parameter source: fills a buffer as read(2) does, 0 at the end.
  /// - Throws: a `Failure`, or what the source throws.
  public static func inspect(
    _ source: @escaping (UnsafeMutableRawBufferPointer) throws -> Int
  ) throws -> Inspection {
    var walk = DocumentWalk(source, keepsElements: false)
    var elements: [Table: Int] = [:]
    let version = try walk.run { element in
      if element.content != .notAList { elements[element.table, default: 0] += 1 }
    }
    return Inspection(version: version, elements: elements)
  }
}

/// Goes through an export, element by element.
struct DocumentWalk {
  struct Element {
    enum Content: Hashable {
      /// JSON that was found well formed, without white space between its parts.
      case json([UInt8])
      /// Larger than any of ours, and not kept.
      case tooLarge
      /// Elements are only counted.
      case notKept
      /// What stands in the list's place is no list.
      case notAList
    }

    let table: ExportDocument.Table
    /// One-based; 0 for what is not in a list.
    let number: Int
    /// The line of the document where it begins, one-based.
    let line: Int
    let content: Content
  }

  /// A note of the greatest length, each character of it an escape, fits well.
  static let elementLimit = 8 << 20
  /// How many names of unknown keys are remembered.
  static let keyLimit = 100

  private var stream: JSONStream
  private let keepsElements: Bool
  /// Keys at the top that this version does not know.
  private(set) var unknownKeys: [String] = []
  private(set) var unknownKeyCount = 0

  init(_ source: @escaping JSONStream.Source, keepsElements: Bool) {
    stream = JSONStream(source)
    self.keepsElements = keepsElements
  }

  var offset: Int { stream.offset }

  /// - Parameter body: takes the elements in the order of the document, before all of
  ///   it is known to be good.
  /// - Returns: the document's version.
  mutating func run(_ body: (Element) throws -> Void) throws -> Int {
    guard try beginsWithObject() else { throw ExportDocument.Failure.notAnExport }
    var isOurs = false
    var version: Int?
    while let bytes = try nextKey() {
      // Comparing strings normalizes them: a long one is unknown.
      let name = bytes.count > 100 ? nil : Self.decode(String.self, bytes)
      switch name {
      case "format":
        let format = try stream.value(capturing: 1000).bytes
        guard format.flatMap({ Self.decode(String.self, $0) }) == ExportDocument.format else {
          throw ExportDocument.Failure.notAnExport
        }
        isOurs = true
      case "version":
        let number = try stream.value(capturing: 1000).bytes
        guard let found = number.flatMap({ Self.decode(Int.self, $0) }), found > 0 else {
          throw ExportDocument.Failure.notAnExport
        }
        version = max(found, version ?? 0)
      case "exportedAt":
        _ = try stream.value()
      default:
        if let table = name.flatMap(ExportDocument.Table.init) {
          try elements(of: table, body)
        } else {
          unknownKeyCount += 1
          if unknownKeys.count < Self.keyLimit {
            unknownKeys.append(name ?? Self.decode(String.self, bytes) ?? "…")
          }
          _ = try stream.value()
        }
      }
    }
    guard isOurs, let version else { throw ExportDocument.Failure.notAnExport }
    guard version <= ExportDocument.version else {
      throw ExportDocument.Failure.newer(version: version)
    }
    return version
  }

  /// Reads the first token. A document that does not begin with JSON is not an export.
  private mutating func beginsWithObject() throws -> Bool {
    var capture = JSONStream.Capture(limit: 0)
    do {
      return try stream.next(into: &capture) == .beginObject
    } catch is ExportDocument.Failure {
      return false
    }
  }

  /// Reads the next key at the top level, with its quotation marks. A key that is too long to be
  /// stored is empty.
  ///
  /// - Returns: The key; nil at the end of the document.
  private mutating func nextKey() throws -> [UInt8]? {
    var capture = JSONStream.Capture(limit: 1000)
    guard try stream.next(into: &capture) == .key else {
      // The rest of the document must be white space.
      _ = try stream.next(into: &capture)
      return nil
    }
    return capture.bytes.map { Array($0.dropLast()) } ?? []
  }

  private mutating func elements(
    of table: ExportDocument.Table, _ body: (Element) throws -> Void
  ) throws {
    var first = JSONStream.Capture(limit: 0)
    guard try stream.next(into: &first) == .beginArray else {
      let line = stream.line
      try stream.finishValue(atDepth: 1, into: &first)
      return try body(Element(table: table, number: 0, line: line, content: .notAList))
    }
    var number = 0
    while true {
      var capture = JSONStream.Capture(limit: keepsElements ? Self.elementLimit : 0)
      guard try stream.next(into: &capture) != .endArray else { return }
      number += 1
      let line = stream.line
      try stream.finishValue(atDepth: 2, into: &capture)
      let content = capture.bytes.map(Element.Content.json)
      try body(
        Element(
          table: table, number: number, line: line,
          content: content ?? (keepsElements ? .tooLarge : .notKept)))
    }
  }

  /// JSON by Foundation, which is safe with what `JSONStream` lets through.
  static func decode<Value: Decodable>(_ type: Value.Type, _ bytes: [UInt8]) -> Value? {
    try? JSONDecoder().decode(type, from: Data(bytes))
  }
}
