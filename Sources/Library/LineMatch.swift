/// Which lines of one text are lines of another, in the same order.
///
/// Lines that stand once in each text are paired first, as they are what a reader would name;
/// then what touches them. What lies between two pairs is looked through again by itself.
/// (The idea is Bram Cohen's patience diff.) So it is found in n log n steps where most lines
/// differ, and long texts without a line in common cost one pass.
struct LineMatch {
  /// For each line of the first text its place in the second; nil where it has none. Ascending.
  private(set) var places: [Int?]

  init(from first: [Substring], to second: [Substring]) {
    places = Array(repeating: nil, count: first.count)
    var names: [Substring: Int] = [:]
    func named(_ lines: [Substring]) -> [Int] {
      lines.map { line in
        if let name = names[line] { return name }
        names[line] = names.count
        return names.count - 1
      }
    }
    let (first, second) = (named(first), named(second))
    // Not recursive: a text of many lines may be divided very unevenly.
    var open = [(first.indices, second.indices)]
    while let (a, b) = open.popLast() {
      open += match(first, a, second, b)
    }
  }

  /// Pairs what can be told of two ranges.
  ///
  /// - Returns: what is left between the pairs.
  private mutating func match(
    _ first: [Int], _ a: Range<Int>, _ second: [Int], _ b: Range<Int>
  ) -> [(Range<Int>, Range<Int>)] {
    var (a, b) = (a, b)
    while let i = a.first, let j = b.first, first[i] == second[j] {
      places[i] = j
      (a, b) = (i + 1..<a.upperBound, j + 1..<b.upperBound)
    }
    while let i = a.last, let j = b.last, first[i] == second[j] {
      places[i] = j
      (a, b) = (a.lowerBound..<i, b.lowerBound..<j)
    }
    guard !a.isEmpty, !b.isEmpty else { return [] }
    let pairs = Self.longestRun(of: Self.singles(first, a, second, b))
    var left: [(Range<Int>, Range<Int>)] = []
    for (i, j) in pairs {
      places[i] = j
      left.append((a.lowerBound..<i, b.lowerBound..<j))
      (a, b) = (i + 1..<a.upperBound, j + 1..<b.upperBound)
    }
    return pairs.isEmpty ? [] : left + [(a, b)]
  }

  /// The lines that stand once in each of two ranges: their places, in the order of the first.
  private static func singles(
    _ first: [Int], _ a: Range<Int>, _ second: [Int], _ b: Range<Int>
  ) -> [(Int, Int)] {
    var counts: [Int: (inFirst: Int, inSecond: Int, place: Int)] = [:]
    for i in a { counts[first[i], default: (0, 0, 0)].inFirst += 1 }
    for j in b {
      guard let count = counts[second[j]] else { continue }
      counts[second[j]] = (count.inFirst, count.inSecond + 1, j)
    }
    return a.compactMap { i in
      guard let count = counts[first[i]], count.inFirst == 1, count.inSecond == 1 else {
        return nil
      }
      return (i, count.place)
    }
  }

  /// The longest part of pairs whose second places ascend, too.
  private static func longestRun(of pairs: [(Int, Int)]) -> [(Int, Int)] {
    // At each length the pair that ends such a run lowest, and which pair came before each.
    var ends: [Int] = []
    var former: [Int?] = []
    for (index, pair) in pairs.enumerated() {
      var (low, high) = (0, ends.count)
      while low < high {
        let middle = (low + high) / 2
        if pairs[ends[middle]].1 < pair.1 { low = middle + 1 } else { high = middle }
      }
      former.append(low == 0 ? nil : ends[low - 1])
      if low == ends.count { ends.append(index) } else { ends[low] = index }
    }
    var run: [(Int, Int)] = []
    var next = ends.last
    while let index = next {
      run.append(pairs[index])
      next = former[index]
    }
    return run.reversed()
  }
}
