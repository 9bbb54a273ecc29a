import CloudRecords
import Foundation
import TestSupport
import Testing

@testable import RecordServer

/// The order of keys is the order of values.
@Suite struct IndexKeyTests {
  private let seed: UInt64 = 0x5EED_0001

  private func expectOrder<Value>(
    _ values: [Value], _ wrap: (Value) -> FieldValue, _ precedes: (Value, Value) -> Bool,
    location: SourceLocation = #_sourceLocation
  ) throws {
    let keys = try values.map { try #require(IndexKey(wrap($0))) }
    for (a, first) in zip(values, keys) {
      for (b, second) in zip(values, keys) {
        #expect(
          (first < second) == precedes(a, b), "\(a) and \(b), seed \(seed)",
          sourceLocation: location)
        #expect(
          (first == second) == (!precedes(a, b) && !precedes(b, a)), "\(a) and \(b)",
          sourceLocation: location)
      }
    }
  }

  @Test func keysOfIntegersAreOrdered() throws {
    var generator = SeededGenerator(seed: seed)
    var values: [Int64] = [.min, .min + 1, -1, 0, 1, .max - 1, .max]
    for shift in [10, 31, 52, 53, 54, 62] {
      for offset in -3...3 {
        values += [1 << shift + Int64(offset), -(1 << shift) + Int64(offset)]
      }
    }
    for _ in 0..<100 { values.append(.random(in: .min ... .max, using: &generator)) }
    try expectOrder(values, FieldValue.int64, <)
    try expectOrder(
      values.map(Timestamp.init(milliseconds:)), FieldValue.timestamp, <)
  }

  private func doubles() -> [Double] {
    var generator = SeededGenerator(seed: seed)
    var values: [Double] = [
      -.greatestFiniteMagnitude, -1e300, -1.5, -1, -.leastNonzeroMagnitude, -0.0, 0,
      .leastNonzeroMagnitude, .leastNormalMagnitude, 0.1, 1, 1.5, 1e300, .greatestFiniteMagnitude,
    ]
    while values.count < 150 {
      let value = Double(bitPattern: generator.next())
      if value.isFinite { values.append(value) }
    }
    return values
  }

  @Test func keysOfDoublesAreOrdered() throws {
    try expectOrder(doubles(), FieldValue.double, <)
  }

  @Test func minusZeroIsZeroAndNaNIsLast() throws {
    #expect(IndexKey(.double(-0.0)) == IndexKey(.double(0)))
    #expect(IndexKey(.int64(0)) == IndexKey(.double(-0.0)))
    let notANumber = try #require(IndexKey(.double(.nan)))
    #expect(try #require(IndexKey(.double(.infinity))) < notANumber)
    #expect(IndexKey(.double(-.nan)) == notANumber)
    #expect(notANumber < notANumber.afterKind)
  }

  /// Integers and doubles are in one order, also where a double cannot tell integers apart.
  @Test func keysOfIntegersAndDoublesHaveOneOrder() throws {
    var generator = SeededGenerator(seed: seed)
    var integers: [Int64] = [.min, -1, 0, 1, 1 << 53, (1 << 53) + 1, .max - 1, .max]
    for _ in 0..<100 { integers.append(.random(in: .min ... .max, using: &generator)) }
    let nearby = integers.flatMap { [Double($0), Double($0).nextUp, Double($0).nextDown] }
    for integer in integers {
      let key = try #require(IndexKey(.int64(integer)))
      for double in doubles() + nearby {
        let other = try #require(IndexKey(.double(double)))
        #expect((key < other) == precedes(integer, double), "\(integer) and \(double)")
        #expect((other < key) == precedes(double, integer), "\(double) and \(integer)")
      }
    }
  }

  /// Compares exactly; `Double(integer) < double` would round the integer.
  private func precedes(_ integer: Int64, _ double: Double) -> Bool {
    if double >= 0x1p63 { return true }
    if double < -0x1p63 { return false }
    let whole = double.rounded(.down)
    return integer < Int64(whole) || integer == Int64(whole) && whole < double
  }

  private func precedes(_ double: Double, _ integer: Int64) -> Bool {
    if double >= 0x1p63 { return false }
    if double < -0x1p63 { return true }
    return Int64(double.rounded(.down)) < integer
  }

  @Test func keysOfStringsAndBytesAreOrdered() throws {
    var generator = SeededGenerator(seed: seed)
    let pieces = [
      "", "\u{0}", "a", "b", "é", "e\u{301}", "ệ", "\u{FFFF}", "\u{10000}", "\u{10FFFF}",
    ]
    var strings = pieces
    for _ in 0..<60 {
      strings.append(
        (0..<Int.random(in: 0...4, using: &generator)).map { _ in
          pieces[Int.random(in: 0..<pieces.count, using: &generator)]
        }.joined())
    }
    try expectOrder(strings, FieldValue.string) {
      $0.utf8.lexicographicallyPrecedes($1.utf8)
    }
    func reference(_ name: String) -> FieldValue { .reference(Reference(name)) }
    try expectOrder(strings, reference) {
      $0.utf8.lexicographicallyPrecedes($1.utf8)
    }
    // The order of UTF-8 is that of Unicode's scalars.
    try expectOrder(strings, FieldValue.string) {
      $0.unicodeScalars.map(\.value).lexicographicallyPrecedes($1.unicodeScalars.map(\.value))
    }
    var bytes = [Data(), Data([0]), Data([0, 0]), Data([255]), Data([255, 255, 0])]
    for _ in 0..<60 {
      bytes.append(
        Data(
          (0..<Int.random(in: 0...5, using: &generator)).map { _ in
            [0, 1, 127, 128, 255][Int.random(in: 0..<5, using: &generator)]
          }))
    }
    try expectOrder(bytes, FieldValue.bytes) { $0.lexicographicallyPrecedes($1) }
  }

  @Test func kindsOfKeysDoNotOverlap() throws {
    let groups: [[FieldValue]] = [
      [.int64(.min), .double(.nan)],
      [.timestamp(Timestamp(milliseconds: .min)), .timestamp(Timestamp(milliseconds: .max))],
      [.string(""), .string("\u{10FFFF}\u{10FFFF}")],
      [.bytes(Data()), .bytes(Data(repeating: 255, count: 9))],
      [.reference(Reference("")), .reference(Reference("~~"))],
    ]
    for group in groups {
      let first = try #require(IndexKey(group[0]))
      for value in group {
        let key = try #require(IndexKey(value))
        #expect((first.firstOfKind..<first.afterKind).contains(key))
        for other in groups where other != group {
          let foreign = try #require(IndexKey(other[0]))
          #expect(!(foreign.firstOfKind..<foreign.afterKind).contains(key))
        }
      }
    }
    #expect(IndexKey(.location(Location(latitude: 1, longitude: 2))) == nil)
    #expect(IndexKey(.strings(["a"])) == nil)
  }

  /// The range up to `afterPrefix` contains exactly the keys that begin with the prefix.
  @Test func keysWithAPrefixAreARange() throws {
    let texts = ["", "a", "a\u{7F}", "ab", "b", "\u{10FFFF}", "\u{10FFFF}a", "ÿ"]
    for prefix in texts {
      let key = try #require(IndexKey(.string(prefix)))
      for text in texts {
        let other = try #require(IndexKey(.string(text)))
        let isIn = (key..<key.afterPrefix).contains(other)
        #expect(isIn == text.utf8.starts(with: prefix.utf8), "\(prefix) \(text)")
      }
    }
    let bytes = IndexKey(bytes: Data([0x40, 1, 0xFF, 0xFF]))
    #expect(bytes.afterPrefix == IndexKey(bytes: Data([0x40, 2])))
  }

  @Test func nothingIsBetweenAKeyAndTheNext() throws {
    let key = try #require(IndexKey(.string("a")))
    #expect(key < key.next)
    #expect(key.next == IndexKey(.string("a\u{0}")))
  }

  @Test func longKeysAreTruncated() throws {
    let long = String(repeating: "x", count: IndexKey.limit)
    let key = try #require(IndexKey(.string(long)))
    #expect(key.isCut)
    #expect(key.stored.bytes.count == IndexKey.limit)
    let short = try #require(IndexKey(.string(String(long.dropLast(2)))))
    #expect(!short.isCut)
    #expect(short.stored == short)
  }
}
