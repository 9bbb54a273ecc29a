/// The value of a key after all its encodings were removed. It can be encoded as data that contains
/// JSON, as a string with Base64 of such data, or as a keyed archive in data.
struct UnwrappedValue {
  /// The maximum number of times that a value is unwrapped. Known exports need at most two.
  static let limit = 6

  /// The encodings that were unwrapped, outermost first.
  private(set) var steps: [LegacyDump.Step] = []
  /// The unwrapped value.
  private(set) var value: LegacyValue

  /// Unwraps a value.
  ///
  /// - Parameters:
  ///   - value: The value of a key.
  ///   - depth: The number of lists and dictionaries around the value.
  init(_ value: LegacyValue, depth: Int, _ budget: inout Budget) throws(LegacyFailure) {
    self.value = value
    for level in 0..<Self.limit {
      // Levels 1 and 2 are the file and a keyed archive around all keys.
      budget.begin(level: level + 3, depth: depth + level)
      guard try unwrap(&budget) else { return }
    }
    if isWrapped { throw .tooDeep(limit: Self.limit) }
  }

  /// Whether the value is still encoded.
  private var isWrapped: Bool {
    switch value {
    case .data, .string, .invalidUnicode: true
    default: KeyedArchive(value) != nil
    }
  }

  /// Unwraps one level.
  ///
  /// - Returns: False if the value is not encoded.
  private mutating func unwrap(_ budget: inout Budget) throws(LegacyFailure) -> Bool {
    switch value {
    case .data(let bytes):
      steps.append(.data)
      try open(bytes, &budget)
    case .string(let text):
      steps.append(.string)
      try open(Array(text.utf8), &budget)
    case .invalidUnicode: throw .unknownFormat
    default:
      guard var archive = KeyedArchive(value) else { return false }
      steps.append(.keyedArchive)
      value = try archive.unarchive(&budget)
    }
    return true
  }

  /// Decodes bytes in a supported format, or the Base64 encoding of such bytes.
  private mutating func open(_ bytes: [UInt8], _ budget: inout Budget) throws(LegacyFailure) {
    let opened: FormatDetector.Decoded
    try budget.charge(unpacked: bytes.count)
    do throws(LegacyFailure) {
      opened = try FormatDetector.decode(bytes, &budget)
    } catch .unknownFormat {
      guard let decoded = Base64.decode(bytes), !decoded.isEmpty else {
        throw .unknownFormat
      }
      try budget.charge(unpacked: decoded.count)
      // Report a string that contains Base64 as Base64 only.
      if steps.last == .string { steps.removeLast() }
      steps.append(.base64)
      opened = try FormatDetector.decode(decoded, &budget)
    } catch {
      throw error
    }
    steps += opened.formats
    value = opened.value
  }
}
