import Compression

/// Detects the format of bytes by their content, and reads them.
enum FormatDetector {
  /// The decoded value and the formats around it, outermost first.
  struct Decoded {
    var formats: [LegacyDump.Step]
    var value: LegacyValue
  }

  /// Detects the format of the bytes and decodes them.
  ///
  /// - Throws: `tooLarge`; `unknownFormat` if the bytes are in no supported format; or a failure of
  ///   the reader of the format or of the budget.
  static func decode(_ bytes: [UInt8], _ budget: inout Budget) throws(LegacyFailure) -> Decoded {
    guard bytes.count <= Budget.bytes else { throw .tooLarge(limit: Budget.bytes) }
    var formats: [LegacyDump.Step] = []
    var bytes = bytes
    if Inflater.isGzip(bytes) {
      formats.append(.gzip)
      bytes = try unpack(bytes, &budget)
    }
    if BinaryReader.hasSignature(bytes) {
      var reader = try BinaryReader(bytes)
      return Decoded(
        formats: formats + [.binaryPropertyList], value: try reader.read(&budget))
    }
    if let byteOrder = UTF16Text.byteOrder(of: bytes) {
      formats.append(.utf16)
      bytes = try UTF16Text.decode(bytes, byteOrder, &budget)
    }
    guard let format = kind(of: bytes) else { throw .unknownFormat }
    do throws(LegacyFailure) {
      return Decoded(
        formats: formats + [format], value: try read(bytes, format, &budget))
    } catch .damaged(let damaged, _) where formats.last == .utf16 {
      throw .damaged(damaged, offset: nil)
    } catch {
      throw error
    }
  }

  /// Decompresses a gzip file.
  ///
  /// - Throws: `damaged`, or `tooLargeUnpacked` as soon as the output exceeds `Budget.bytes` or the
  ///   rest of the budget.
  private static func unpack(
    _ bytes: [UInt8], _ budget: inout Budget
  ) throws(LegacyFailure) -> [UInt8] {
    var output: [UInt8] = []
    try Inflater.inflate(
      bytes[...], as: .gzip, damaged: { LegacyFailure.damaged(.gzip, offset: $0) },
      receive: { part throws(LegacyFailure) in
        // Count the input, too, because empty members produce no output.
        try budget.checkCancellation(after: part.consumed + 256)
        try budget.charge(unpacked: part.output.count)
        output += part.output
        guard output.count <= Budget.bytes else { throw .tooLargeUnpacked(limit: Budget.bytes) }
      })
    return output
  }

  /// The position after the byte order mark, if there is one.
  private static func start(_ bytes: [UInt8]) -> Int {
    bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
  }

  private static func read(
    _ bytes: [UInt8], _ format: LegacyDump.Step, _ budget: inout Budget
  ) throws(LegacyFailure) -> LegacyValue {
    switch format {
    case .json:
      var reader = JSONReader(bytes, from: start(bytes))
      return try reader.read(&budget)
    case .xmlPropertyList:
      var reader = XMLPropertyListReader(bytes, from: start(bytes))
      return try reader.read(&budget)
    default: return try readOpenStep(bytes, &budget)
    }
  }

  /// Reads an OpenStep property list, whose backslashes `defaults read` may have doubled (see
  /// `PrintedEscapes`).
  private static func readOpenStep(
    _ bytes: [UInt8], _ budget: inout Budget
  ) throws(LegacyFailure) -> LegacyValue {
    let areDoubled = PrintedEscapes.areDoubled(bytes)
    try budget.checkCancellation(after: bytes.count)
    guard areDoubled else {
      var reader = OpenStepReader(bytes, from: start(bytes))
      return try reader.read(&budget)
    }
    try budget.charge(unpacked: bytes.count)
    if !PrintedEscapes.haveCodes(bytes) {
      let before = budget
      do throws(LegacyFailure) {
        var reader = OpenStepReader(bytes, from: start(bytes))
        return try reader.read(&budget)
      } catch .damaged {
        // A string with quotation marks can be the only sign that `defaults read` printed the file.
        budget = before
      } catch {
        throw error
      }
    }
    do throws(LegacyFailure) {
      var reader = OpenStepReader(PrintedEscapes.halved(bytes), from: start(bytes))
      return try reader.read(&budget)
    } catch .damaged(let format, _) {
      // The offset is one in the halved content.
      throw .damaged(format, offset: nil)
    } catch {
      throw error
    }
  }

  /// The format of a UTF-8 document according to its first characters; nil if it is unknown.
  private static func kind(of bytes: [UInt8]) -> LegacyDump.Step? {
    var cursor = ByteCursor(bytes: bytes, position: start(bytes))
    cursor.skipWhiteSpace()
    switch cursor.byte {
    case UInt8(ascii: "["): return .json
    case UInt8(ascii: "("): return .openStepPropertyList
    case UInt8(ascii: "{"): return dictionary(cursor)
    case UInt8(ascii: "<"):
      guard let next = cursor.byte(after: 1) else { return nil }
      return next.isLetter || next == UInt8(ascii: "?") || next == UInt8(ascii: "!")
        ? .xmlPropertyList : nil
    case UInt8(ascii: "n"):
      // Swift's encoder writes `null` for nil.
      guard cursor.skip(ifAt: "null") else { return nil }
      cursor.skipWhiteSpace()
      return cursor.byte == nil ? .json : nil
    default: return nil
    }
  }

  /// Distinguishes JSON from an OpenStep property list. In JSON, the first key has quotation marks
  /// and is followed by a colon.
  private static func dictionary(_ start: ByteCursor) -> LegacyDump.Step {
    var cursor = start
    cursor.position += 1
    cursor.skipWhiteSpace()
    guard let byte = cursor.byte, byte != UInt8(ascii: "}") else { return .json }
    guard cursor.skip(ifAt: UInt8(ascii: "\"")) else { return .openStepPropertyList }
    while let byte = cursor.byte, byte != UInt8(ascii: "\"") {
      cursor.position += byte == UInt8(ascii: "\\") ? 2 : 1
    }
    cursor.position += 1
    cursor.skipWhiteSpace()
    return cursor.byte == UInt8(ascii: "=") || cursor.byte == UInt8(ascii: ";")
      ? .openStepPropertyList : .json
  }
}
