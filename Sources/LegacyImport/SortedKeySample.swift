/// A set of key names that stores the first names in byte order.
///
/// Names are compared byte by byte. Comparing strings normalizes them, which would take minutes for
/// a file full of combining marks.
struct SortedKeySample {
  /// The number of different names inserted.
  var count: Int { seen.count }
  /// The first `limit` names in byte order.
  private(set) var first: [String] = []

  private let limit: Int
  private var seen: Set<Name> = []

  /// A string that is compared byte by byte.
  private struct Name: Hashable {
    var text: String

    static func == (one: Name, other: Name) -> Bool {
      var (one, other) = (one.text, other.text)
      return one.withUTF8 { one in
        other.withUTF8 { one.count == $0.count && one.elementsEqual($0) }
      }
    }

    func hash(into hasher: inout Hasher) {
      var text = text
      text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
  }

  /// Creates an empty set that provides at most `limit` names in `first`.
  init(limit: Int) {
    self.limit = limit
  }

  mutating func insert(_ name: String, _ budget: inout Budget) throws(LegacyFailure) {
    try budget.checkCancellation(after: name.utf8.count + 256)
    guard seen.insert(Name(text: name)).inserted else { return }
    if first.count == limit, let last = first.last, Self.precedes(last, name) { return }
    var (low, high) = (0, first.count)
    while low < high {
      let middle = (low + high) / 2
      if Self.precedes(first[middle], name) { low = middle + 1 } else { high = middle }
    }
    first.insert(name, at: low)
    if first.count > limit { first.removeLast() }
  }

  private static func precedes(_ one: String, _ other: String) -> Bool {
    var (one, other) = (one, other)
    return one.withUTF8 { one in other.withUTF8 { one.lexicographicallyPrecedes($0) } }
  }
}
