/// Unwraps the value of a key, which can be written in many ways: data that holds JSON, a
/// text that holds Base64 of that, a keyed archive in data.
struct Unwrapping {
  /// How many containers may be in each other. Two are the most that is known of.
  static let limit = 6

  private(set) var steps: [LegacyDump.Step] = []
  private(set) var value: LegacyValue

  /// - Parameter depth: how many lists and dictionaries the value is in.
  init(_ value: LegacyValue, depth: Int, _ budget: inout Budget) throws(LegacyFailure) {
    self.value = value
    for level in 0..<Self.limit {
      budget.begin(level: level + 3, depth: depth + level)
      guard try unwrap(&budget) else { return }
    }
    if isWrapped { throw .tooDeep(limit: Self.limit) }
  }

  private var isWrapped: Bool {
    switch value {
    case .data, .string, .notText: true
    default: KeyedArchive(value) != nil
    }
  }

  /// - Returns: whether there was something to unwrap.
  private mutating func unwrap(_ budget: inout Budget) throws(LegacyFailure) -> Bool {
    switch value {
    case .data(let bytes):
      steps.append(.data)
      try open(bytes, &budget)
    case .string(let text):
      steps.append(.string)
      try open(Array(text.utf8), &budget)
    case .notText: throw .notRecognised
    default:
      guard var archive = KeyedArchive(value) else { return false }
      steps.append(.keyedArchive)
      value = try archive.unarchive(&budget)
    }
    return true
  }

  private mutating func open(_ bytes: [UInt8], _ budget: inout Budget) throws(LegacyFailure) {
    let opened: Opening.Opened
    try budget.charge(unpacked: bytes.count)
    do throws(LegacyFailure) {
      opened = try Opening.open(bytes, &budget)
    } catch .notRecognised {
      guard let decoded = try Base64.decode(bytes, &budget), !decoded.isEmpty else {
        throw .notRecognised
      }
      try budget.charge(unpacked: decoded.count)
      // A text that holds Base64 is told as that alone.
      if steps.last == .string { steps.removeLast() }
      steps.append(.base64)
      opened = try Opening.open(decoded, &budget)
    } catch {
      throw error
    }
    steps += opened.containers.map(LegacyDump.Step.init)
    value = opened.value
  }
}
