/// The numbers of the words of texts: in two bytes each as long as all of them fit, in four
/// otherwise.
struct WordNumbers: Sendable {
  /// The numbers; empty if one of them does not fit.
  private(set) var short: [UInt16] = []
  /// The numbers if one of them does not fit in `short`; otherwise empty.
  private(set) var long: [UInt32] = []

  var count: Int { short.count + long.count }

  mutating func append(_ number: Int) {
    if long.isEmpty, let number = UInt16(exactly: number) {
      short.append(number)
    } else {
      if long.isEmpty { (long, short) = (short.map(UInt32.init), []) }
      long.append(UInt32(number))
    }
  }

  /// Replaces every number by the element of `replacements` at this index. No element may be
  /// greater than the greatest number.
  mutating func replaceAll(by replacements: [UInt32]) {
    for index in short.indices { short[index] = UInt16(replacements[Int(short[index])]) }
    for index in long.indices { long[index] = replacements[Int(long[index])] }
  }

  /// Calls a function with the numbers at the positions of a range.
  func eachNumber(in range: Range<Int>, _ body: (Int) -> Void) {
    if long.isEmpty {
      for number in short[range] { body(Int(number)) }
    } else {
      for number in long[range] { body(Int(number)) }
    }
  }
}
