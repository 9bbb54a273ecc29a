import Crypto
import FoundationEssentials

/// The number of rows of a table and a checksum of their values. Two tables with the same rows have
/// equal digests, whatever the order of the rows.
struct RowDigest: Hashable {
  private(set) var count = 0
  private var sum: UInt64 = 0

  mutating func add(_ row: [SQLValue]) {
    var bytes = Data()
    for value in row {
      switch value {
      case .null: bytes.append(0)
      case .integer(let integer): bytes.append(1, integer)
      case .text(let text):
        bytes.append(2, Int64(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
      case .bytes(let data):
        bytes.append(3, Int64(data.count))
        bytes.append(data)
      }
    }
    count += 1
    sum &+= SHA256.hash(data: bytes).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }
}

extension Data {
  /// Appends the kind of a value, then the integer itself or the length in bytes of what follows.
  fileprivate mutating func append(_ kind: UInt8, _ number: Int64) {
    append(kind)
    append(Data(bigEndian: number))
  }
}
