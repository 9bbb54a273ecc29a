/// Reads the records of comma-separated values (RFC 4180). Fields in quotation marks can contain
/// commas, line breaks and doubled quotation marks. Line ends are LF or CR LF.
struct CSVScanner {
  /// The maximum number of fields in a record.
  static let fieldLimit = 64

  private let bytes: [UInt8]
  private var position = 0
  private(set) var line = 1

  init(_ text: SourceText) {
    bytes = text.bytes
  }

  /// Returns the next line unchanged if it begins with `#`; otherwise returns nil and does not
  /// move.
  mutating func nextComment() -> ArraySlice<UInt8>? {
    guard position < bytes.count, bytes[position] == UInt8(ascii: "#") else { return nil }
    let start = position
    let end = bytes[start...].firstIndex(of: 0x0A) ?? bytes.count
    position = min(end + 1, bytes.count)
    line += 1
    return bytes[start..<end]
  }

  /// Returns the fields of the next record, or nil at the end. A blank line is a record with one
  /// empty field.
  ///
  /// - Throws: `malformed` if a quotation mark is not closed, text follows a closing one, or the
  ///   record has more than `fieldLimit` fields.
  mutating func next() throws(EditionFailure) -> [String]? {
    guard position < bytes.count else { return nil }
    let firstLine = line
    var fields: [String] = []
    while true {
      guard fields.count < Self.fieldLimit else {
        throw .malformed(.quranEncCSV, line: firstLine)
      }
      let isQuoted = position < bytes.count && bytes[position] == UInt8(ascii: "\"")
      guard let field = isQuoted ? quoted() : unquoted() else {
        throw .malformed(.quranEncCSV, line: firstLine)
      }
      fields.append(field)
      guard position < bytes.count else { return fields }
      position += 1
      if bytes[position - 1] == 0x0A {
        line += 1
        return fields
      }
    }
  }

  /// Returns the field and moves to the comma or line feed after it.
  private mutating func unquoted() -> String? {
    let start = position
    while position < bytes.count, bytes[position] != UInt8(ascii: ","), bytes[position] != 0x0A {
      position += 1
    }
    var end = position
    let endsLine = position == bytes.count || bytes[position] == 0x0A
    if endsLine, end > start, bytes[end - 1] == 0x0D { end -= 1 }
    return bytes[start..<end].string
  }

  private mutating func quoted() -> String? {
    var field: [UInt8] = []
    position += 1
    var start = position
    while true {
      guard position < bytes.count else { return nil }
      let byte = bytes[position]
      position += 1
      if byte == 0x0A { line += 1 }
      guard byte == UInt8(ascii: "\"") else { continue }
      field += bytes[start..<(position - 1)]
      guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else { break }
      start = position
      position += 1
    }
    if position < bytes.count, bytes[position] == 0x0D { position += 1 }
    let isEnd =
      position == bytes.count || bytes[position] == UInt8(ascii: ",") || bytes[position] == 0x0A
    return isEnd ? String(decoding: field, as: UTF8.self) : nil
  }
}
