import Crypto
import FoundationEssentials

/// A value of the 64-bit hash chain over the transactions of a zone or of a database.
///
/// Storage can go back to an earlier state without the service noticing it, for example when files
/// are copied, a snapshot is restored or a replica is promoted. The service then assigns the same
/// sequence numbers again, to other changes, but with different marks. Except for hash collisions,
/// equal marks mean equal histories up to that transaction.
public struct Mark: Hashable, Sendable {
  /// The mark as the integer that is stored.
  let stored: Int64
}

extension Mark {
  /// Creates a mark from the first 64 bits of a hash.
  fileprivate init(_ hash: SHA256) {
    self.init(stored: hash.finalize().prefix(8).reduce(0) { $0 << 8 | Int64($1) })
  }

  /// Computes the mark of a number that was assigned before marks were introduced. It is the same
  /// in all copies of a database file.
  init(ofNumber number: Int64, givenBeforeMarksBy serviceID: String) {
    var hash = SHA256()
    hash.update(data: Data("record-service mark".utf8))
    hash.update(data: Data(serviceID.utf8))
    hash.update(data: Data(bigEndian: number))
    self.init(hash)
  }
}

extension Mark: CustomStringConvertible {
  /// 16 hexadecimal digits.
  public var description: String { Hex.text(Data(bigEndian: stored)) }
}

/// The random number and the time that make the marks of a transaction unique.
public struct MarkSource: Hashable, Sendable {
  /// A number from the system's random source.
  let random: UInt64
  /// The time of the transaction in milliseconds since 1970.
  let time: Int64

  /// Computes the next mark of a history.
  ///
  /// - Parameters:
  ///   - former: the previous mark; nil at the beginning of a history.
  ///   - content: adds the changes of the transaction to the hash. They make marks differ even if
  ///     both the random source and the clock are set back.
  func mark(after former: Mark?, _ content: (inout MarkContent) -> Void) -> Mark {
    var data = MarkContent()
    data.add(former?.stored ?? 0)
    data.add(Int64(bitPattern: random))
    data.add(time)
    content(&data)
    return Mark(data.hash)
  }
}

/// Computes the hash of a mark. Byte strings are preceded by their length, so that different
/// contents never give the same bytes.
struct MarkContent {
  fileprivate var hash = SHA256()

  mutating func add(_ number: Int64) { hash.update(data: Data(bigEndian: number)) }

  mutating func add(_ data: Data) {
    add(Int64(data.count))
    hash.update(data: data)
  }

  mutating func add(_ text: String) { add(Data(text.utf8)) }

  mutating func add(_ row: RecordRow) {
    for text in [row.name, row.type, row.createdBy, row.modifiedBy, row.parent ?? ""] { add(text) }
    for number in [row.number, row.isDeleted ? 1 : 0, row.createdAt, row.modifiedAt] { add(number) }
    add(row.content)
    add(row.sealed ?? Data())
  }
}
