/// Two edits of one text as one.
package enum LineMerge {
  /// Longer texts are not merged.
  static let limit = 10_000

  /// The text with both edits: where one of them left the lines of the base alone, what the
  /// other made of them.
  ///
  /// - Returns: nil where both made something else of the same lines, or put something else
  ///   at the same place.
  package static func merge(base: String, _ one: String, _ other: String) -> String? {
    let (base, one, other) = (lines(base), lines(one), lines(other))
    guard max(base.count, one.count, other.count) <= limit else { return nil }
    let inOne = LineMatch(from: base, to: one)
    let inOther = LineMatch(from: base, to: other)
    var merged: [Substring] = []
    // Where the part begins that is not yet merged, in each text.
    var (start, startOne, startOther) = (0, 0, 0)

    /// Merges what lies before a line that all have, or before the end.
    func merge(upTo end: Int, _ endOne: Int, _ endOther: Int) -> Bool {
      let part = base[start..<end]
      let (mine, theirs) = (one[startOne..<endOne], other[startOther..<endOther])
      if mine == part || mine == theirs {
        merged += theirs
      } else if theirs == part {
        merged += mine
      } else {
        return false
      }
      return true
    }
    for line in base.indices {
      guard let placeInOne = inOne.places[line], let placeInOther = inOther.places[line] else {
        continue
      }
      guard merge(upTo: line, placeInOne, placeInOther) else { return nil }
      merged.append(base[line])
      (start, startOne, startOther) = (line + 1, placeInOne + 1, placeInOther + 1)
    }
    guard merge(upTo: base.count, one.count, other.count) else { return nil }
    return merged.joined(separator: "\n")
  }

  /// Whether every line of a text that has anything on it stands in another one, as often.
  package static func holds(_ text: String, linesOf part: String) -> Bool {
    var counts: [Substring: Int] = [:]
    for line in lines(text) { counts[line, default: 0] += 1 }
    for line in lines(part) where line.contains(where: { !$0.isWhitespace }) {
      guard let count = counts[line], count > 0 else { return false }
      counts[line] = count - 1
    }
    return true
  }

  static func lines(_ text: String) -> [Substring] {
    text.split(separator: "\n", omittingEmptySubsequences: false)
  }
}
