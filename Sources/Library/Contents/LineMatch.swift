/// The common lines of two texts, in the same order (Bram Cohen's patience diff).
///
/// Lines that occur once in each text are paired first, then the equal lines next to them. The
/// lines between two pairs are matched in the same way. The algorithm takes n log n steps if most
/// lines differ, and one pass if the texts have no common line.
struct LineMatch {
  /// For each line of the first text, the index of its pair in the second text; nil if the line is
  /// not paired. The indices ascend.
  private(set) var matches: [Int?]

  init(from first: [Substring], to second: [Substring]) {
    matches = Array(repeating: nil, count: first.count)
    var lineIDs: [Substring: Int] = [:]
    func ids(of lines: [Substring]) -> [Int] {
      lines.map { line in
        if let id = lineIDs[line] { return id }
        lineIDs[line] = lineIDs.count
        return lineIDs.count - 1
      }
    }
    let (first, second) = (ids(of: first), ids(of: second))
    // A loop is used, because the ranges may be divided so unevenly that recursion would be deep.
    var open = [(first.indices, second.indices)]
    while let (a, b) = open.popLast() {
      open += match(first, a, second, b)
    }
  }

  /// Pairs the equal lines of two ranges.
  ///
  /// - Returns: The ranges between the pairs.
  private mutating func match(
    _ first: [Int], _ a: Range<Int>, _ second: [Int], _ b: Range<Int>
  ) -> [(Range<Int>, Range<Int>)] {
    var (a, b) = (a, b)
    while let i = a.first, let j = b.first, first[i] == second[j] {
      matches[i] = j
      (a, b) = (i + 1..<a.upperBound, j + 1..<b.upperBound)
    }
    while let i = a.last, let j = b.last, first[i] == second[j] {
      matches[i] = j
      (a, b) = (a.lowerBound..<i, b.lowerBound..<j)
    }
    guard !a.isEmpty, !b.isEmpty else { return [] }
    let pairs = Self.longestRun(of: Self.singles(first, a, second, b))
    var left: [(Range<Int>, Range<Int>)] = []
    for (i, j) in pairs {
      matches[i] = j
      left.append((a.lowerBound..<i, b.lowerBound..<j))
      (a, b) = (i + 1..<a.upperBound, j + 1..<b.upperBound)
    }
    return pairs.isEmpty ? [] : left + [(a, b)]
  }

  /// Returns the indices of the lines that occur once in each of two ranges, in the order of the
  /// first.
  private static func singles(
    _ first: [Int], _ a: Range<Int>, _ second: [Int], _ b: Range<Int>
  ) -> [(Int, Int)] {
    var counts: [Int: (inFirst: Int, inSecond: Int, index: Int)] = [:]
    for i in a { counts[first[i], default: (0, 0, 0)].inFirst += 1 }
    for j in b {
      guard let count = counts[second[j]] else { continue }
      counts[second[j]] = (count.inFirst, count.inSecond + 1, j)
    }
    return a.compactMap { i in
      guard let count = counts[first[i]], count.inFirst == 1, count.inSecond == 1 else {
        return nil
      }
      return (i, count.index)
    }
  }

  /// Returns the longest subsequence of pairs whose second indices ascend.
  private static func longestRun(of pairs: [(Int, Int)]) -> [(Int, Int)] {
    // `ends[n]` is the pair with the lowest second index that ends an ascending run of n + 1 pairs.
    // `former` has the predecessor of each pair in its run.
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
