/// Limits on the depth and the number of values of JSON, checked before it is decoded. Foundation's
/// decoder recurses, and allocates memory for each value.
enum JSONLimits {
  /// The maximum depth of nested arrays and objects.
  static let depth = 16
  /// The maximum number of values in all documents of a file. The largest known file, a mushaf of
  /// quran-text, has about 200,000.
  static let values = 500_000
  /// The maximum number of documents that follow each other in one file. A response for each surah
  /// is 114 documents; there may be more, so that repeated ayahs are named.
  static let documents = 1_000

  /// Finds the documents, each an array or an object, that a file contains one after the other.
  ///
  /// The JSON is not validated otherwise; the decoder does that.
  ///
  /// - Throws: `tooDeep`; `tooManyValues` if there are too many values or documents; `invalidJSON`
  ///   if the brackets do not match or there is no document.
  static func documents(in bytes: [UInt8]) throws(EditionFailure) -> [Range<Int>] {
    var documents: [Range<Int>] = []
    var start: Int?
    var depth = 0
    var count = 0
    var position = 0
    while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: "\""):
        start = start ?? position
        position += 1
        while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
          position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
        }
      case UInt8(ascii: "["), UInt8(ascii: "{"):
        start = start ?? position
        depth += 1
        count += 1
        guard depth <= Self.depth else { throw .tooDeep(limit: Self.depth) }
      case UInt8(ascii: ","): count += 1
      case UInt8(ascii: "]"), UInt8(ascii: "}"):
        depth -= 1
        guard depth >= 0, let first = start else { throw .invalidJSON(path: "") }
        if depth == 0 {
          guard documents.count < Self.documents else { throw .tooManyValues(limit: values) }
          documents.append(first..<(position + 1))
          start = nil
        }
      case 0x20, 0x09, 0x0A, 0x0D: break
      default: start = start ?? position
      }
      guard count <= values else { throw .tooManyValues(limit: values) }
      position += 1
    }
    guard depth == 0, start == nil, !documents.isEmpty else { throw .invalidJSON(path: "") }
    return documents
  }
}
