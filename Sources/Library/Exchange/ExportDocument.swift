import FoundationEssentials
public import Text

/// The format of exports and imports: one JSON document.
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
/// The manual describes it in full. Keys may be in any order, and unknown keys are skipped.
public enum ExportDocument {
  /// The value of the key `format`.
  public static let format = "quran-vi"
  /// The value of the key `version`. Documents with a greater one are refused.
  public static let version = 1

  /// The lists of a document, in the order in which they are written.
  public enum List: String, CaseIterable, Hashable, Sendable {
    /// One list for each kind of data.
    case favorites, notes, progress, settings, readingDays, drafts, cues
  }

  /// The element that the parser expected where a document is not JSON.
  public typealias Expected = JSONTokenizer.Expected

  /// The reason why a document cannot be imported. Nothing of it is imported then.
  public enum Failure: Error, Hashable, Sendable {
    /// The document is not JSON. The offset is in bytes from the start, the line is one-based.
    case syntax(offset: Int, line: Int, expected: Expected)
    /// The document is nested deeper than any export.
    case tooDeep(offset: Int, line: Int)
    /// The document does not have the key `format` with its value.
    case notAnExport
    /// The document was written by a newer version of the program.
    case newer(version: Int)
  }

  /// The contents of a document in numbers.
  public struct Inspection: Hashable, Sendable {
    /// The version of the document.
    public internal(set) var version = 0
    /// The numbers of elements of the lists, valid or not.
    public internal(set) var elements: [List: Int] = [:]

    /// The number of all elements.
    public var count: Int { elements.values.reduce(0, +) }
  }

  /// Reads a whole document without importing it.
  ///
  /// - Parameter source: Fills a buffer and returns the number of bytes as read(2) does; 0 at the
  ///   end.
  /// - Throws: A `Failure`, or an error of the source.
  public static func inspect(
    _ source: @escaping (UnsafeMutableRawBufferPointer) throws -> Int
  ) throws -> Inspection {
    var walk = DocumentWalk(source, keepsElements: false)
    var elements: [List: Int] = [:]
    let version = try walk.run { element in
      if element.content != .notAList { elements[element.list, default: 0] += 1 }
    }
    return Inspection(version: version, elements: elements)
  }
}

/// Parses an export, element by element.
struct DocumentWalk {
  struct Element {
    enum Content: Hashable {
      /// Well-formed JSON without white space between tokens.
      case json([UInt8])
      /// The element exceeds `elementLimit` or a limit of `JSONStream.Capture`.
      case tooLarge
      /// The parser only counts elements.
      case notKept
      /// The value in place of the list is not a list.
      case notAList
    }

    let list: ExportDocument.List
    /// The position in the list, one-based; 0 for the list itself.
    let number: Int
    /// The line of the document where the element begins, one-based.
    let line: Int
    let content: Content
  }

  /// The greatest length of an element in bytes. A note of the greatest length fits, even if all
  /// its characters are escapes.
  static let elementLimit = 8 << 20
  /// The greatest number of names in `unknownKeys`.
  static let keyLimit = 100

  private var stream: JSONStream
  private let keepsElements: Bool
  /// The first keys of the document that this version does not know.
  private(set) var unknownKeys: [String] = []
  private(set) var unknownKeyCount = 0

  init(_ source: @escaping JSONStream.Source, keepsElements: Bool) {
    stream = JSONStream(source)
    self.keepsElements = keepsElements
  }

  /// Parses the document.
  ///
  /// - Parameter body: Receives the elements in the order of the document, each before the rest of
  ///   the document is checked.
  /// - Returns: The version of the document.
  mutating func run(_ body: (Element) throws -> Void) throws -> Int {
    guard try beginsWithObject() else { throw ExportDocument.Failure.notAnExport }
    var isOurs = false
    var version: Int?
    while let bytes = try nextKey() {
      // Comparing strings normalizes them, which is slow for long strings. No known key is long.
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
        if let list = name.flatMap(ExportDocument.List.init) {
          try elements(of: list, body)
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
    of list: ExportDocument.List, _ body: (Element) throws -> Void
  ) throws {
    var first = JSONStream.Capture(limit: 0)
    guard try stream.next(into: &first) == .beginArray else {
      let line = stream.line
      try stream.finishValue(atDepth: 1, into: &first)
      return try body(Element(list: list, number: 0, line: line, content: .notAList))
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
          list: list, number: number, line: line,
          content: content ?? (keepsElements ? .tooLarge : .notKept)))
    }
  }

  /// Decodes JSON with Foundation. Nil if it is not of this type. `JSONStream` has already checked
  /// its syntax, depth and size.
  static func decode<Value: Decodable>(_ type: Value.Type, _ bytes: [UInt8]) -> Value? {
    try? JSONDecoder().decode(type, from: Data(bytes))
  }
}
