/// Two edits of one text as one.
package enum LineMerge {
  /// Longer texts are not merged.
  static let limit = 10_000

  /// The text with both edits: where one of them left the lines of the base alone, what the
  /// other made of them; where one only deleted lines, what the other added there.
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
        // No line of the base is in both here. So where one has nothing but lines of the base, it
        // only deleted others, and the other one deleted these.
        let images = (
          Set((start..<end).compactMap { inOne.places[$0] }),
          Set((start..<end).compactMap { inOther.places[$0] })
        )
        if images.0.count == mine.count {
          merged += theirs.indices.filter { !images.1.contains($0) }.map { theirs[$0] }
        } else if images.1.count == theirs.count {
          merged += mine.indices.filter { !images.0.contains($0) }.map { mine[$0] }
        } else {
          return false
        }
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

  /// Whether every line that a text has and its base lacks stands in another text, as often.
  /// Blank lines do not count.
  package static func holds(
    _ text: String, linesAddedBy part: String, to base: String
  ) -> Bool {
    var counts: [Substring: Int] = [:]
    for line in lines(base) { counts[line, default: 0] += 1 }
    let added = lines(part).filter { line in
      guard let count = counts[line], count > 0 else { return true }
      counts[line] = count - 1
      return false
    }
    return holds(text, linesOf: added.joined(separator: "\n"))
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
