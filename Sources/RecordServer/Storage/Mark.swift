import Crypto
import FoundationEssentials

/// A value of the 64-bit hash chain over the transactions of a zone or of a database.
///
/// Storage can go back in time without the service noticing it: files are copied back, a snapshot
/// is restored, a replica is promoted. Numbers are then given a second time, for other changes.
/// Marks are not: equal marks mean equal histories up to that transaction, except for hash
/// collisions.
public struct Mark: Hashable, Sendable {
  let rawValue: UInt64

  init(rawValue: UInt64) {
    self.rawValue = rawValue
  }

  /// The first 64 bits of a hash.
  fileprivate init(_ hash: SHA256) {
    rawValue = hash.finalize().prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// The mark of a number that was given before there were marks. It is the same in every copy of
  /// a file.
  init(ofNumber number: Int64, givenBeforeMarksBy serviceID: String) {
    var hash = SHA256()
    hash.update(data: Data("record-service mark".utf8))
    hash.update(data: Data(serviceID.utf8))
    hash.update(data: Data(bigEndian: number))
    self.init(hash)
  }

  /// The form in which it is stored.
  var stored: Int64 { Int64(bitPattern: rawValue) }

  init(stored: Int64) {
    rawValue = UInt64(bitPattern: stored)
  }
}

extension Mark: CustomStringConvertible {
  /// 16 hexadecimal digits.
  public var description: String { Hex.text(Data(bigEndian: stored)) }
}

/// The random number and time that make the marks of a transaction unique.
public struct MarkSource: Hashable, Sendable {
  /// From the system's random source.
  let random: UInt64
  /// Milliseconds since 1970.
  let time: Int64

  /// The next mark of a history.
  ///
  /// - Parameters:
  ///   - former: nil at the beginning of a history.
  ///   - content: puts what the transaction changes into the hash. Where both the random source
  ///     and the clock went back, this is what tells two transactions apart.
  func mark(after former: Mark?, _ content: (inout MarkContent) -> Void) -> Mark {
    var data = MarkContent()
    data.add(former?.stored ?? 0)
    data.add(Int64(bitPattern: random))
    data.add(time)
    content(&data)
    return Mark(data.hash)
  }
}

/// What a mark is computed from. Each part has its length, so that no two contents are the same
/// bytes.
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
