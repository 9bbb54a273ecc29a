import FoundationEssentials

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

  /// What should have stood where a document is no JSON.
  public enum Expected: String, Hashable, Sendable {
    case value, key, colon
    /// A comma, or the end of the object; of the list.
    case commaOrBrace, commaOrBracket
    /// A character that may stand in a string, the rest of an escape, the string's end.
    case character, escape, endOfString
    case digit
    /// Nothing more.
    case end
  }

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
    try skipByteOrderMark()
    guard try stream.next() == UInt8(ascii: "{") else { throw ExportDocument.Failure.notAnExport }
    stream.skip()
    var isOurs = false
    var version: Int?
    var isFirst = true
    while try stream.next() != UInt8(ascii: "}") {
      if !isFirst { try stream.take(UInt8(ascii: ","), orExpect: .commaOrBrace) }
      isFirst = false
      let bytes = try stream.key()
      // To compare strings, they are normalised: a long one is none of ours.
      let name = bytes.flatMap { $0.count > 100 ? nil : Self.decode(String.self, $0) }
      switch name {
      case "format":
        let format = try stream.value(keeping: 1000, depth: 1).bytes
        guard format.flatMap({ Self.decode(String.self, $0) }) == ExportDocument.format else {
          throw ExportDocument.Failure.notAnExport
        }
        isOurs = true
      case "version":
        let number = try stream.value(keeping: 1000, depth: 1).bytes
        guard let found = number.flatMap({ Self.decode(Int.self, $0) }), found > 0 else {
          throw ExportDocument.Failure.notAnExport
        }
        version = max(found, version ?? 0)
      case "exportedAt":
        _ = try stream.value(depth: 1)
      default:
        if let table = name.flatMap(ExportDocument.Table.init) {
          try elements(of: table, body)
        } else {
          unknownKeyCount += 1
          if unknownKeys.count < Self.keyLimit {
            let key = name ?? bytes.flatMap { Self.decode(String.self, $0) }
            unknownKeys.append(key ?? "…")
          }
          _ = try stream.value(depth: 1)
        }
      }
    }
    stream.skip()
    guard try stream.next() == nil else { throw stream.failure(.end) }
    guard isOurs, let version else { throw ExportDocument.Failure.notAnExport }
    guard version <= ExportDocument.version else {
      throw ExportDocument.Failure.newer(version: version)
    }
    return version
  }

  private mutating func elements(
    of table: ExportDocument.Table, _ body: (Element) throws -> Void
  ) throws {
    guard try stream.next() == UInt8(ascii: "[") else {
      let line = stream.line
      _ = try stream.value(depth: 1)
      return try body(Element(table: table, number: 0, line: line, content: .notAList))
    }
    stream.skip()
    var number = 0
    while try stream.next() != UInt8(ascii: "]") {
      if number > 0 { try stream.take(UInt8(ascii: ","), orExpect: .commaOrBracket) }
      number += 1
      _ = try stream.next()
      let line = stream.line
      let bytes = try stream.value(keeping: keepsElements ? Self.elementLimit : 0, depth: 2).bytes
      let content = bytes.map(Element.Content.json) ?? (keepsElements ? .tooLarge : .notKept)
      try body(Element(table: table, number: number, line: line, content: content))
    }
    stream.skip()
  }

  private mutating func skipByteOrderMark() throws {
    for byte: UInt8 in [0xEF, 0xBB, 0xBF] {
      guard try stream.peek() == byte else {
        // Half a mark is no white space either, and is refused with the rest.
        return
      }
      stream.skip()
    }
  }

  /// JSON by Foundation, which is safe with what `JSONStream` lets through.
  static func decode<Value: Decodable>(_ type: Value.Type, _ bytes: [UInt8]) -> Value? {
    try? JSONDecoder().decode(type, from: Data(bytes))
  }
}
