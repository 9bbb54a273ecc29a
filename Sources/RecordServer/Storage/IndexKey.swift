import CloudRecords
import FoundationEssentials

/// A field's value as bytes whose order is that of the values.
///
/// | value | bytes |
/// |---|---|
/// | none | no bytes: before everything |
/// | INT64, DOUBLE | `10`, the largest double not above it, what is left |
/// | TIMESTAMP | `20`, the milliseconds |
/// | STRING | `30`, its UTF-8: the order of Unicode's scalars |
/// | BYTES | `40`, as they are |
/// | REFERENCE | `50`, the record name |
///
/// A number's bytes are big-endian, negative ones below positive ones. INT64 and DOUBLE are of
/// one order, so that a NUMBER may be either; what is left of an INT64 when the double is taken
/// off is below 2^10 and takes two bytes. -0.0 is 0.0. NaN, which no record can have, is
/// after everything.
///
/// A key is cut off at `limit` bytes: PostgreSQL takes no longer ones in an index. Values
/// whose keys are cut are told apart by looking at the records themselves.
public struct IndexKey: Hashable, Sendable {
  let bytes: Data

  /// In bytes.
  static let limit = 1000

  init(bytes: Data) {
    self.bytes = bytes
  }

  /// The key of a record without a value.
  static let none = IndexKey(bytes: Data())

  /// Whether the value may go on where the key ends.
  var isCut: Bool { bytes.count >= Self.limit }

  /// The key cut off where it is too long for an index.
  var stored: IndexKey { isCut ? IndexKey(bytes: Data(bytes.prefix(Self.limit))) : self }
}

extension IndexKey {
  private enum Kind: UInt8 {
    case number = 0x10
    case timestamp = 0x20
    case string = 0x30
    case bytes = 0x40
    case reference = 0x50
  }

  /// The whole key of a value that is no list.
  ///
  /// - Returns: nil for lists and for what has no order: places and assets.
  init?(_ value: FieldValue) {
    switch value {
    case .int64(let integer): self.init(.number, Self.bytes(of: integer))
    case .double(let double): self.init(.number, Self.bytes(of: double) + [0, 0])
    case .timestamp(let time): self.init(.timestamp, Self.bytes(ordering: time.milliseconds))
    case .string(let string): self.init(.string, string.utf8)
    case .bytes(let data): self.init(.bytes, data)
    case .reference(let reference): self.init(.reference, reference.recordName.utf8)
    default: return nil
    }
  }

  private init(_ kind: Kind, _ content: some Collection<UInt8>) {
    var bytes = Data(capacity: content.count + 1)
    bytes.append(kind.rawValue)
    bytes.append(contentsOf: content)
    self.init(bytes: bytes)
  }

  private static func bytes(of integer: Int64) -> [UInt8] {
    var double = Double(integer)
    // 2^63, which the largest ones are rounded to, is no Int64.
    if double >= 0x1p63 || Int64(double) > integer { double = double.nextDown }
    let left = UInt16(integer - Int64(double))
    return bytes(of: double) + [UInt8(left >> 8), UInt8(left & 0xFF)]
  }

  private static func bytes(of double: Double) -> [UInt8] {
    guard !double.isNaN else { return bytes(.max) }
    // IEEE 754: as numbers without sign the positive ones are in order, the negative ones in
    // the opposite order.
    let bits = (double == 0 ? 0 : double).bitPattern
    return bytes(bits >> 63 == 0 ? bits | 1 << 63 : ~bits)
  }

  private static func bytes(ordering integer: Int64) -> [UInt8] {
    bytes(UInt64(bitPattern: integer) ^ 1 << 63)
  }

  private static func bytes(_ number: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
  }
}

extension IndexKey: Comparable {
  public static func < (a: IndexKey, b: IndexKey) -> Bool {
    a.bytes.lexicographicallyPrecedes(b.bytes)
  }
}

extension IndexKey {
  /// The smallest key that is larger than all that begin with this one.
  ///
  /// It ends with no 0xFF, and the first byte is a kind, which is none; so there is one.
  var afterPrefix: IndexKey {
    var bytes = bytes
    while bytes.last == 0xFF { bytes.removeLast() }
    if let last = bytes.popLast() { bytes.append(last + 1) }
    return IndexKey(bytes: bytes)
  }

  func hasPrefix(_ prefix: IndexKey) -> Bool { bytes.starts(with: prefix.bytes) }

  /// The smallest key of the values of the same kind.
  var firstOfKind: IndexKey { IndexKey(bytes: Data(bytes.prefix(1))) }
  /// A key larger than those of all values of the same kind.
  var afterKind: IndexKey { firstOfKind.afterPrefix }
}
