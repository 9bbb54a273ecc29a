/// Reads binary property lists: a table of objects that refer to each other by index.
///
/// The format is described in CFBinaryPList.c of Core Foundation: `bplist0` and a digit, the
/// objects, a table of their offsets, and a trailer of 32 bytes that contains the position of that
/// table. An object is charged to the budget each time it is referenced; otherwise a few hundred
/// bytes in which each list contains the next one twice would expand to 2⁶⁰ values.
struct BinaryReader {
  private let bytes: [UInt8]
  /// The position of the offset table.
  private let offsets: Int
  /// The number of bytes of an offset.
  private let offsetSize: Int
  /// The number of bytes of a reference to an object.
  private let referenceSize: Int
  /// The number of objects.
  private let count: Int
  /// The index of the root object.
  private let top: Int
  private var builder = TreeBuilder()
  /// The strings and data objects decoded so far, by object index. An object that is referenced
  /// several times is copied only once.
  private var texts: [Int: LegacyValue] = [:]
  /// The lists and dictionaries being read, outermost first.
  private var open: [Frame] = []
  /// The indices of the objects in `open`, to detect cycles.
  private var path: Set<Int> = []

  /// A list or dictionary whose elements are being read.
  private struct Frame {
    let object: Int
    let isDictionary: Bool
    /// The position of the first reference.
    let references: Int
    let count: Int
    /// The index of the next element.
    var next = 0
  }

  /// The length of the trailer in bytes.
  private static let trailer = 32

  /// Whether the bytes begin like a binary property list.
  static func hasSignature(_ bytes: [UInt8]) -> Bool { bytes.starts(with: "bplist".utf8) }

  /// Parses the trailer.
  ///
  /// - Throws: `damaged` if the trailer is invalid.
  init(_ bytes: [UInt8]) throws(LegacyFailure) {
    self.bytes = bytes
    let end = bytes.count - Self.trailer
    guard end >= 8 else { throw Self.damaged(bytes.count) }
    offsetSize = Int(bytes[end + 6])
    referenceSize = Int(bytes[end + 7])
    func number(_ position: Int) throws(LegacyFailure) -> Int {
      var number: UInt64 = 0
      for byte in bytes[end + position..<end + position + 8] { number = number << 8 | UInt64(byte) }
      guard number <= bytes.count else { throw Self.damaged(end + position) }
      return Int(number)
    }
    count = try number(8)
    top = try number(16)
    offsets = try number(24)
    guard (1...8).contains(offsetSize), (1...8).contains(referenceSize), top < count,
      offsets >= 8, offsets <= end, count <= (end - offsets) / offsetSize
    else { throw Self.damaged(end) }
  }

  private static func damaged(_ offset: Int) -> LegacyFailure {
    .damaged(.binaryPropertyList, offset: offset)
  }

  /// Decodes the root object with everything it refers to.
  ///
  /// - Throws: `damaged`, `cyclic`, or a failure of the budget.
  mutating func read(_ budget: inout Budget) throws(LegacyFailure) -> LegacyValue {
    try visit(top, &budget)
    while let frame = open.last {
      guard frame.next < frame.count else {
        builder.end(&budget)
        path.remove(frame.object)
        open.removeLast()
        continue
      }
      open[open.count - 1].next += 1
      let position = frame.references + frame.next * referenceSize
      if frame.isDictionary {
        let key = try key(try reference(at: position), &budget)
        try builder.key(key, &budget)
        let value = try reference(at: position + frame.count * referenceSize)
        try visit(value, &budget)
      } else {
        try visit(try reference(at: position), &budget)
      }
    }
    guard let root = builder.root else { throw Self.damaged(offsets) }
    return root
  }

  // MARK: Objects

  /// Adds an object to the innermost open container. If the object is a container itself, opens it.
  private mutating func visit(
    _ object: Int, _ budget: inout Budget
  ) throws(LegacyFailure) {
    if let text = texts[object] { return try builder.add(text, &budget) }
    let start = try offset(of: object)
    switch bytes[start] >> 4 {
    case 0xA, 0xB, 0xC, 0xD:
      let isDictionary = bytes[start] >> 4 == 0xD
      let (count, references) = try size(at: start)
      let width = isDictionary ? 2 * referenceSize : referenceSize
      guard count <= (offsets - references) / width else { throw Self.damaged(start) }
      guard path.insert(object).inserted else { throw .cyclic }
      try builder.begin(dictionary: isDictionary, &budget)
      open.append(
        Frame(object: object, isDictionary: isDictionary, references: references, count: count))
    default: try builder.add(try scalar(object, at: start, &budget), &budget)
    }
  }

  /// Decodes an object that is used as a dictionary key. It must not be a container.
  private mutating func key(
    _ object: Int, _ budget: inout Budget
  ) throws(LegacyFailure) -> LegacyValue {
    let start = try offset(of: object)
    guard bytes[start] >> 4 < 0xA else { throw Self.damaged(start) }
    return try scalar(object, at: start, &budget)
  }

  /// Decodes an object that is not a container.
  private mutating func scalar(
    _ object: Int, at start: Int, _ budget: inout Budget
  ) throws(LegacyFailure) -> LegacyValue {
    if let text = texts[object] { return text }
    let low = Int(bytes[start] & 0xF)
    switch bytes[start] >> 4 {
    case 0x0 where low == 0: return .null
    case 0x0 where low == 8 || low == 9: return .bool(low == 9)
    case 0x1 where low <= 4: return try integer(at: start, size: 1 << low)
    case 0x2 where low == 2:
      return .real(Double(Float(bitPattern: UInt32(truncatingIfNeeded: try word(start + 1, 4)))))
    case 0x2 where low == 3: return .real(Double(bitPattern: try word(start + 1, 8)))
    case 0x3 where low == 3:
      _ = try word(start + 1, 8)
      return .date
    case 0x8: return .uid(Int(truncatingIfNeeded: try word(start + 1, low + 1) & 0x7FFF_FFFF))
    case 0x4: texts[object] = .data(Array(try content(at: start, width: 1, &budget)))
    case 0x5, 0x7: texts[object] = LegacyValue(text: try content(at: start, width: 1, &budget))
    case 0x6: texts[object] = Self.utf16(try content(at: start, width: 2, &budget))
    default: break
    }
    guard let text = texts[object] else { throw Self.damaged(start) }
    return text
  }

  /// Decodes an integer. Integers of 1, 2 and 4 bytes are unsigned, those of 8 bytes are signed;
  /// values above `Int64.max` are stored in 16 bytes.
  private func integer(at start: Int, size: Int) throws(LegacyFailure) -> LegacyValue {
    guard size == 16 else {
      let word = try word(start + 1, size)
      return .integer(Int(truncatingIfNeeded: word))
    }
    let high = Int64(bitPattern: try word(start + 1, 8))
    let low = try word(start + 9, 8)
    let number = Double(high) * 0x1p64 + Double(low)
    return Int(exactly: number).map { _ in .integer(Int(truncatingIfNeeded: low)) }
      ?? .real(number)
  }

  private static func utf16(_ bytes: ArraySlice<UInt8>) -> LegacyValue {
    let (text, invalid) = UTF16Text.transcoded(bytes, .bigEndian)
    return invalid == nil
      ? LegacyValue(text: text) : .invalidUnicode(String(decoding: text.prefix(400), as: UTF8.self))
  }

  // MARK: Bytes

  /// The content of a string or data object. It is charged to the budget completely before it is
  /// decoded, because objects can overlap and an invalid string is not stored completely.
  private func content(
    at start: Int, width: Int, _ budget: inout Budget
  ) throws(LegacyFailure) -> ArraySlice<UInt8> {
    let (count, content) = try size(at: start)
    guard count <= (offsets - content) / width else { throw Self.damaged(start) }
    try budget.charge(unpacked: count * width)
    return bytes[content..<content + count * width]
  }

  /// The number of elements of an object, and the position of its content.
  private func size(at start: Int) throws(LegacyFailure) -> (count: Int, content: Int) {
    let low = Int(bytes[start] & 0xF)
    guard low == 0xF else { return (low, start + 1) }
    guard start + 1 < offsets, bytes[start + 1] >> 4 == 1, bytes[start + 1] & 0xF <= 3 else {
      throw Self.damaged(start)
    }
    let width = 1 << Int(bytes[start + 1] & 0xF)
    let count = try word(start + 2, width)
    guard count <= bytes.count else { throw Self.damaged(start) }
    return (Int(count), start + 2 + width)
  }

  /// The big-endian number at a position. If it has more than 8 bytes, only the last 8 are used.
  private func word(_ start: Int, _ size: Int) throws(LegacyFailure) -> UInt64 {
    guard size <= offsets - start else { throw Self.damaged(start) }
    var word: UInt64 = 0
    for byte in bytes[start..<start + size] { word = word << 8 | UInt64(byte) }
    return word
  }

  /// The object index that is stored at a position.
  private func reference(at position: Int) throws(LegacyFailure) -> Int {
    let object = try word(position, referenceSize)
    guard object < count else { throw Self.damaged(position) }
    return Int(object)
  }

  /// The position of an object, from the offset table.
  private func offset(of object: Int) throws(LegacyFailure) -> Int {
    var offset: UInt64 = 0
    let entry = offsets + object * offsetSize
    for byte in bytes[entry..<entry + offsetSize] { offset = offset << 8 | UInt64(byte) }
    guard offset >= 8, offset < offsets else { throw Self.damaged(entry) }
    return Int(offset)
  }
}
