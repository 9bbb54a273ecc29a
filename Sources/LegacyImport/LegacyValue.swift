/// A value in a property list, a JSON file or the output of `defaults read`, independent of the
/// format.
enum LegacyValue: Equatable, Sendable {
  case string(String)
  case integer(Int)
  case real(Double)
  case bool(Bool)
  case data([UInt8])
  case array([LegacyValue])
  /// The members in the order of the file. Duplicate keys are preserved, because each of their
  /// values can contain user data.
  case dictionary([Member])
  case date
  case null
  /// A reference of a keyed archive to an index in its object table.
  case uid(Int)
  /// A string that is not valid Unicode. The payload is its beginning, for display.
  case invalidUnicode(String)
  /// Data of which `defaults read` printed only the beginning and the end.
  case shortened

  struct Member: Equatable, Sendable {
    let key: LegacyValue
    let value: LegacyValue
  }

  /// Creates a string, or `invalidUnicode` if the bytes are not valid UTF-8.
  init<Bytes: Collection<UInt8>>(text bytes: Bytes) {
    self =
      String(validating: bytes, as: UTF8.self).map(Self.string)
      ?? .invalidUnicode(String(decoding: bytes.prefix(400), as: UTF8.self))
  }

  var kind: LegacyProblem.Kind {
    switch self {
    case .string, .invalidUnicode: .text
    case .integer, .real: .number
    case .bool: .boolean
    case .data, .shortened: .data
    case .array: .list
    case .dictionary: .dictionary
    case .date: .date
    case .null: .nothing
    case .uid: .reference
    }
  }

  /// The size of the string or data in bytes, without nested values; of invalid Unicode the size of
  /// the kept beginning.
  var size: Int {
    switch self {
    case .string(let text), .invalidUnicode(let text): text.utf8.count
    case .data(let bytes): bytes.count
    default: 0
    }
  }

  /// The value as a description of a problem shows it.
  var shown: String {
    switch self {
    case .string(let text), .invalidUnicode(let text): text.cut
    case .integer(let number): String(number)
    case .real(let number): String(number)
    case .bool(let truth): String(truth)
    default: kind.rawValue
    }
  }

  /// Whether the value or a nested value was shortened by `defaults read`.
  var holdsShortenedData: Bool {
    switch self {
    case .shortened: true
    case .array(let values): values.contains(where: \.holdsShortenedData)
    case .dictionary(let members): members.contains(where: \.value.holdsShortenedData)
    default: false
    }
  }

  /// Whether the value is the given string. The comparison is byte by byte: comparing strings
  /// normalizes them, which takes quadratic time in the number of marks on a letter.
  func isText(_ wanted: String) -> Bool {
    guard case .string(let text) = self else { return false }
    return text.utf8.elementsEqual(wanted.utf8)
  }

  /// The value of the first member with the given key, or nil if there is none.
  subscript(key: String) -> LegacyValue? {
    guard case .dictionary(let members) = self else { return nil }
    return members.first { $0.key.isText(key) }?.value
  }
}

extension String {
  /// The first 100 Unicode scalars of the string, with an ellipsis if more follow. Scalars are
  /// counted because a grapheme cluster can have a megabyte.
  var cut: String {
    guard utf8.count > 100 else { return self }
    let scalars = unicodeScalars
    guard let end = scalars.index(scalars.startIndex, offsetBy: 100, limitedBy: scalars.endIndex),
      end < scalars.endIndex
    else { return self }
    return String(self[..<end]) + "…"
  }
}
