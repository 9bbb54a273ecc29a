/// A value of a dump, whatever it is written in.
enum LegacyValue: Equatable, Sendable {
  case string(String)
  case integer(Int)
  case real(Double)
  case bool(Bool)
  case data([UInt8])
  case array([LegacyValue])
  /// In the file's order, doubles kept: two values of one key are both somebody's.
  case dictionary([Member])
  case date
  case null
  /// A keyed archive's reference into its table of objects.
  case uid(Int)
  /// A text that is none: as far as it can be shown.
  case notText(String)
  /// Data of which `defaults read` shows the ends only.
  case shortened

  struct Member: Equatable, Sendable {
    let key: LegacyValue
    let value: LegacyValue
  }

  /// - Parameter bytes: UTF-8, perhaps.
  init<Bytes: Collection<UInt8>>(text bytes: Bytes) {
    self =
      String(validating: bytes, as: UTF8.self).map(Self.string)
      ?? .notText(String(decoding: bytes.prefix(400), as: UTF8.self))
  }

  var kind: LegacyProblem.Kind {
    switch self {
    case .string, .notText: .text
    case .integer, .real: .number
    case .bool: .truth
    case .data, .shortened: .data
    case .array: .list
    case .dictionary: .dictionary
    case .date: .date
    case .null: .nothing
    case .uid: .reference
    }
  }

  /// Bytes of what it holds itself.
  var size: Int {
    switch self {
    case .string(let text), .notText(let text): text.utf8.count
    case .data(let bytes): bytes.count
    default: 0
    }
  }

  /// How it stands in the place of a problem.
  var shown: String {
    switch self {
    case .string(let text), .notText(let text): text.cut
    case .integer(let number): String(number)
    case .real(let number): String(number)
    case .bool(let truth): String(truth)
    default: kind.rawValue
    }
  }

  /// Whether `defaults read` cut data somewhere in it.
  var holdsShortenedData: Bool {
    switch self {
    case .shortened: true
    case .array(let values): values.contains(where: \.holdsShortenedData)
    case .dictionary(let members): members.contains(where: \.value.holdsShortenedData)
    default: false
    }
  }

  /// Whether it is that text, byte by byte: to compare strings is to normalise them, which
  /// takes time that grows with the square of the marks on one letter.
  func isText(_ wanted: String) -> Bool {
    guard case .string(let text) = self else { return false }
    return text.utf8.elementsEqual(wanted.utf8)
  }

  subscript(key: String) -> LegacyValue? {
    guard case .dictionary(let members) = self else { return nil }
    return members.first { $0.key.isText(key) }?.value
  }
}

extension String {
  /// The first 100 characters, counted as Unicode scalars: one grapheme cluster may hold
  /// a megabyte.
  var cut: String {
    guard utf8.count > 100 else { return self }
    let scalars = unicodeScalars
    guard let end = scalars.index(scalars.startIndex, offsetBy: 100, limitedBy: scalars.endIndex),
      end < scalars.endIndex
    else { return self }
    return String(self[..<end]) + "…"
  }
}
