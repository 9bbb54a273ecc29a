import CloudRecords
import FoundationEssentials

/// A field's value as bytes that sort in the order of the values.
///
/// | value | bytes |
/// |---|---|
/// | none | no bytes: sorts before everything else |
/// | INT64, DOUBLE | `10`, the greatest double that is not greater, the remainder |
/// | TIMESTAMP | `20`, the milliseconds |
/// | STRING | `30`, its UTF-8: sorts in the order of Unicode scalars |
/// | BYTES | `40`, the bytes |
/// | REFERENCE | `50`, the record name |
///
/// The bytes of a number are big-endian, and negative numbers sort before positive ones. INT64 and
/// DOUBLE have one common order, because a NUMBER in a query may be either. The remainder of an
/// INT64 is less than 2^10 and takes two bytes. -0.0 is encoded as 0.0. NaN sorts after all
/// numbers, but no record can contain it.
///
/// A key in an index is truncated to `limit` bytes. SQLite does not require this, but other
/// databases, such as PostgreSQL, limit the size of an index row. Values with truncated keys are
/// compared by reading the records.
public struct IndexKey: Hashable, Sendable {
  let bytes: Data

  /// The maximum length of a stored key in bytes.
  static let limit = 1000

  /// The key of a record without a value.
  static let none = IndexKey(bytes: Data())

  /// Whether the key has at least the maximum length of a stored key. The stored key may then be
  /// shorter than the full one.
  var isCut: Bool { bytes.count >= Self.limit }

  /// The key, truncated if it is too long for an index.
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

  /// The full key of a value.
  ///
  /// - Returns: nil for lists, and for locations and assets, which have no order.
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

  private static func bytes(of integer: Int64) -> Data {
    var double = Double(integer)
    // The greatest integers are rounded to 2^63, which is not an Int64.
    if double >= 0x1p63 || Int64(double) > integer { double = double.nextDown }
    let left = UInt16(integer - Int64(double))
    return bytes(of: double) + [UInt8(left >> 8), UInt8(left & 0xFF)]
  }

  private static func bytes(of double: Double) -> Data {
    guard !double.isNaN else { return Data(bigEndian: Int64(bitPattern: .max)) }
    // IEEE 754: read as unsigned integers, positive doubles are in ascending order and negative
    // ones in descending order.
    let bits = (double == 0 ? 0 : double).bitPattern
    return Data(bigEndian: Int64(bitPattern: bits >> 63 == 0 ? bits | 1 << 63 : ~bits))
  }

  private static func bytes(ordering integer: Int64) -> Data {
    Data(bigEndian: integer ^ .min)
  }
}

extension IndexKey: Comparable {
  public static func < (a: IndexKey, b: IndexKey) -> Bool {
    a.bytes.lexicographicallyPrecedes(b.bytes)
  }
}

extension IndexKey {
  /// The smallest key that is greater than all keys with this prefix.
  ///
  /// It exists: trailing 0xFF bytes are removed, and the first byte is a kind, which is never 0xFF.
  var afterPrefix: IndexKey {
    var bytes = bytes
    while bytes.last == 0xFF { bytes.removeLast() }
    if let last = bytes.popLast() { bytes.append(last + 1) }
    return IndexKey(bytes: bytes)
  }

  /// The smallest key of this key's kind of value.
  var firstOfKind: IndexKey { IndexKey(bytes: Data(bytes.prefix(1))) }
  /// The smallest key that is greater than all keys of this key's kind of value.
  var afterKind: IndexKey { firstOfKind.afterPrefix }
}
