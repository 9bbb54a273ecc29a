/// A three-way merge of texts, line by line.
package enum LineMerge {
  /// The greatest number of lines of a text that is merged.
  static let limit = 10_000

  /// Merges two edits of a text. Where one edit did not change the base, the lines of the other
  /// edit are used. Where one edit only deleted lines, the lines that the other edit added stay.
  ///
  /// - Returns: Nil if both changed the same lines, if they inserted different lines at the same
  ///   position, or if one of the texts has more than `limit` lines.
  package static func merge(base: String, _ one: String, _ other: String) -> String? {
    let (base, one, other) = (lines(base), lines(one), lines(other))
    guard max(base.count, one.count, other.count) <= limit else { return nil }
    let inOne = LineMatch(from: base, to: one)
    let inOther = LineMatch(from: base, to: other)
    var merged: [Substring] = []
    // The start of the part that is not merged yet, in each text.
    var (start, startOne, startOther) = (0, 0, 0)

    /// Merges the lines before a common line of all texts, or before the end.
    func merge(upTo end: Int, _ endOne: Int, _ endOther: Int) -> Bool {
      let part = base[start..<end]
      let (mine, theirs) = (one[startOne..<endOne], other[startOther..<endOther])
      if mine == part || mine == theirs {
        merged += theirs
      } else if theirs == part {
        merged += mine
      } else {
        // No line of the base is in both texts here. If all lines of one text are from the base,
        // that text only deleted lines, and the other text deleted the lines that it left. The
        // result is then the lines that the other text added.
        let images = (
          Set((start..<end).compactMap { inOne.matches[$0] }),
          Set((start..<end).compactMap { inOther.matches[$0] })
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
      guard let lineInOne = inOne.matches[line], let lineInOther = inOther.matches[line] else {
        continue
      }
      guard merge(upTo: line, lineInOne, lineInOther) else { return nil }
      merged.append(base[line])
      (start, startOne, startOther) = (line + 1, lineInOne + 1, lineInOther + 1)
    }
    guard merge(upTo: base.count, one.count, other.count) else { return nil }
    return merged.joined(separator: "\n")
  }

  /// Returns whether a text has every line that another text added to a base, at least as many
  /// times. Blank lines are ignored.
  ///
  /// - Parameters:
  ///   - text: The text in which the lines are searched for.
  ///   - part: The text that added the lines.
  ///   - base: The base of `part`.
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

  /// Returns whether a text has every line of another text, at least as many times. Blank lines are
  /// ignored.
  ///
  /// - Parameters:
  ///   - text: The text in which the lines are searched for.
  ///   - part: The text whose lines are searched for.
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
