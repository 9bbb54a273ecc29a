/// Reads binary property lists: a table of objects that refer to each other by number.
///
/// The format, from CFBinaryPList.c: `bplist0` and a digit, the objects, a table of their
/// offsets, and a trailer of 32 bytes that says where that table is. Every reference is
/// charged as if what it leads to stood there once more: a few hundred bytes of doubled
/// references would be 2⁶⁰ values.
struct BinaryReader {
  private let bytes: [UInt8]
  private let offsets: Int
  private let offsetSize: Int
  private let referenceSize: Int
  private let count: Int
  private let top: Int
  private var builder = TreeBuilder()
  /// Texts and data that were read: a doubled reference costs no second copy.
  private var texts: [Int: LegacyValue] = [:]
  private var open: [Frame] = []
  /// The objects in `open`.
  private var path: Set<Int> = []

  /// A list or dictionary whose elements are being read.
  private struct Frame {
    let object: Int
    let isDictionary: Bool
    /// Where the references begin.
    let references: Int
    let count: Int
    var next = 0
  }

  private static let trailer = 32

  static func isOne(_ bytes: [UInt8]) -> Bool { bytes.starts(with: "bplist".utf8) }

  init(_ bytes: [UInt8]) throws(LegacyFailure) {
    self.bytes = bytes
    let end = bytes.count - Self.trailer
    guard end >= 8 else { throw Self.damaged(bytes.count) }
    offsetSize = Int(bytes[end + 6])
    referenceSize = Int(bytes[end + 7])
    func number(_ place: Int) throws(LegacyFailure) -> Int {
      var number: UInt64 = 0
      for byte in bytes[end + place..<end + place + 8] { number = number << 8 | UInt64(byte) }
      guard number <= bytes.count else { throw Self.damaged(end + place) }
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

  mutating func read(_ budget: inout Budget) throws(LegacyFailure) -> LegacyValue {
    try visit(top, from: offsets, &budget)
    while let frame = open.last {
      guard frame.next < frame.count else {
        builder.end(&budget)
        path.remove(frame.object)
        open.removeLast()
        continue
      }
      open[open.count - 1].next += 1
      let place = frame.references + frame.next * referenceSize
      if frame.isDictionary {
        let key = try key(try reference(at: place), from: place, &budget)
        try builder.key(key, &budget)
        let value = place + frame.count * referenceSize
        try visit(try reference(at: value), from: value, &budget)
      } else {
        try visit(try reference(at: place), from: place, &budget)
      }
    }
    guard let root = builder.root else { throw Self.damaged(offsets) }
    return root
  }

  // MARK: Objects

  /// Adds an object to what is open, or opens it.
  ///
  /// - Parameter place: where it is referred to.
  private mutating func visit(
    _ object: Int, from place: Int, _ budget: inout Budget
  ) throws(LegacyFailure) {
    if let text = texts[object] { return try builder.add(text, &budget) }
    let start = try offset(of: object, from: place)
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

  private mutating func key(
    _ object: Int, from place: Int, _ budget: inout Budget
  ) throws(LegacyFailure) -> LegacyValue {
    let start = try offset(of: object, from: place)
    guard bytes[start] >> 4 < 0xA else { throw Self.damaged(start) }
    return try scalar(object, at: start, &budget)
  }

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
    case 0x6:
      let content = try content(at: start, width: 2, &budget)
      texts[object] = try Self.utf16(content, &budget)
    default: break
    }
    guard let text = texts[object] else { throw Self.damaged(start) }
    return text
  }

  /// Sizes below 8 are unsigned; 16 bytes hold what is too large for 8 unsigned.
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

  private static func utf16(
    _ bytes: ArraySlice<UInt8>, _ budget: inout Budget
  ) throws(LegacyFailure) -> LegacyValue {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count)
    let isText = try UTF16Text.transcode(bytes, isBigEndian: true, into: &text, &budget) == nil
    return isText
      ? LegacyValue(text: text) : .notText(String(decoding: text.prefix(400), as: UTF8.self))
  }

  // MARK: Bytes

  /// Charged whole, whatever it turns out to be: objects may overlap, and of a text that is
  /// none only the beginning is kept.
  private func content(
    at start: Int, width: Int, _ budget: inout Budget
  ) throws(LegacyFailure) -> ArraySlice<UInt8> {
    let (count, content) = try size(at: start)
    guard count <= (offsets - content) / width else { throw Self.damaged(start) }
    try budget.charge(unpacked: count * width)
    return bytes[content..<content + count * width]
  }

  /// How many elements an object has, and where they begin.
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

  /// A number of up to 8 bytes, or the last 8 of more.
  private func word(_ start: Int, _ size: Int) throws(LegacyFailure) -> UInt64 {
    guard size <= offsets - start else { throw Self.damaged(start) }
    var word: UInt64 = 0
    for byte in bytes[start..<start + size] { word = word << 8 | UInt64(byte) }
    return word
  }

  private func reference(at place: Int) throws(LegacyFailure) -> Int {
    let object = try word(place, referenceSize)
    guard object < count else { throw Self.damaged(place) }
    return Int(object)
  }

  private func offset(of object: Int, from place: Int) throws(LegacyFailure) -> Int {
    var offset: UInt64 = 0
    let entry = offsets + object * offsetSize
    for byte in bytes[entry..<entry + offsetSize] { offset = offset << 8 | UInt64(byte) }
    guard offset >= 8, offset < offsets else { throw Self.damaged(entry) }
    return Int(offset)
  }
}
