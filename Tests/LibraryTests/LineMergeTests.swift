import TestSupport
import Testing

@testable import Library

@Suite struct LineMergeTests {
  @Test(arguments: [
    // base, one, other, merged; nil if the edits conflict.
    ("a", "a", "a", "a"),
    ("a", "b", "a", "b"),
    ("a", "b", "b", "b"),
    ("a", "b", "c", nil),
    ("a\nb\nc", "x\nb\nc", "a\nb\ny", "x\nb\ny"),
    ("a\nb\nc", "a\nc", "a\nb\nc\nd", "a\nc\nd"),
    // One text only deletes lines, and the other has new lines in their place.
    ("a\nb\nc", "a\nc", "a\nx\nc", "a\nx\nc"),
    ("a\nb\nc\nd", "a\nc\nd", "a\nb\nx\nd", "a\nx\nd"),
    ("a\nb\nc\nd", "a\nb\nd", "a\nc\nd", "a\nd"),
    ("a\nb\nc", "a\ny\nc", "a\nx\nc", nil),
    // The edited lines are neighbours: no unchanged line is between them.
    ("a\nb", "x\nb", "a\ny", nil),
    ("a\nb\nc", "a\nx\nb\nc", "a\nb\nc\ny", "a\nx\nb\nc\ny"),
    // Both texts insert a line at the same place.
    ("a\nb", "a\nx\nb", "a\ny\nb", nil),
    ("a\nb", "a\nx\nb", "a\nx\nb", "a\nx\nb"),
    ("a\nb\na\nb", "a\nb\na\nx", "y\nb\na\nb", "y\nb\na\nx"),
    ("", "a", "b", nil),
    ("a\nb\nc", "", "a\nb\nc", ""),
    ("a\n", "a\n", "a\nb\n", "a\nb\n"),
  ])
  func separateEditsAreMerged(_ base: String, _ one: String, _ other: String, _ merged: String?) {
    #expect(LineMerge.merge(base: base, one, other) == merged)
    #expect(LineMerge.merge(base: base, other, one) == merged)
  }

  @Test func longTextsAreNotMerged() {
    let lines = (0..<LineMerge.limit).map { "\($0)" }
    let text = lines.joined(separator: "\n")
    let most = LineMerge.merge(base: text, "x" + text.dropFirst(), text.dropLast() + "y")
    #expect(most?.hasPrefix("x\n1\n") == true && most?.hasSuffix("\n999y") == true)
    #expect(LineMerge.merge(base: text, text + "\nx", text) == nil)
  }

  @Test func pairsLinesInOrder() {
    var random = SeededGenerator(seed: 1)
    for _ in 0..<2_000 {
      let (first, second) = (Self.lines(&random), Self.lines(&random))
      let matches = LineMatch(from: first, to: second).matches
      for (line, match) in zip(first, matches) {
        if let match { #expect(second[match] == line) }
      }
      let used = matches.compactMap { $0 }
      #expect(used == used.sorted() && Set(used).count == used.count)
      #expect(LineMatch(from: first, to: first).matches == Array(first.indices))
    }
  }

  /// If each line occurs once, the matched sequence is the longest one that both texts have.
  @Test func findsTheLongestSequenceOfUniqueLines() {
    var random = SeededGenerator(seed: 2)
    for _ in 0..<300 {
      let second = (0..<8).shuffled(using: &random)
      let found = LineMatch(from: (0..<8).map { "\($0)"[...] }, to: second.map { "\($0)"[...] })
      // Tries every subset of the lines, and counts those that have the same order in both texts.
      let longest = (0..<256).map { subset -> Int in
        let places = (0..<8).filter { subset >> $0 & 1 == 1 }.compactMap(second.firstIndex(of:))
        return places == places.sorted() ? places.count : 0
      }.max()
      // Equal lines at the ends are paired first, so the sequence may be shorter.
      let count = found.matches.count { $0 != nil }
      #expect(count <= longest ?? 0)
      if second.first != 0, second.last != 7 { #expect(count == longest) }
    }
  }

  /// The merged text has both edits of lines that do not touch, and nothing else.
  @Test func keepsBothEdits() {
    var random = SeededGenerator(seed: 3)
    for _ in 0..<2_000 {
      let base = (0..<Int.random(in: 3...12, using: &random)).map { "line \($0)" }
      let place = Int.random(in: 1..<base.count - 1, using: &random)
      var (one, other, wanted) = (base, base, base)
      let mine = Self.edit(0..<place, of: &one, "mine", &random)
      let theirs = Self.edit(place + 1..<base.count, of: &other, "theirs", &random)
      wanted.replaceSubrange(place + 1..<base.count, with: theirs)
      wanted.replaceSubrange(0..<place, with: mine)
      #expect(
        LineMerge.merge(
          base: base.joined(separator: "\n"), one.joined(separator: "\n"),
          other.joined(separator: "\n")) == wanted.joined(separator: "\n"))
    }
  }

  @Test(arguments: [
    ("a\nb", "b", true), ("a\nb", "b\na", true), ("a", "a\na", false), ("a\nb", "c", false),
    ("a", "\n\na\n", true), ("a", "", true), ("", "a", false),
  ])
  func aTextMayHoldAllLinesOfAnother(_ text: String, _ part: String, _ holds: Bool) {
    #expect(LineMerge.holds(text, linesOf: part) == holds)
  }

  private static func lines(_ random: inout SeededGenerator) -> [Substring] {
    (0..<Int.random(in: 0...14, using: &random)).map { _ in
      "\(Int.random(in: 0..<6, using: &random))"[...]
    }
  }

  /// Replaces a range by up to three new lines, and returns these.
  private static func edit(
    _ range: Range<Int>, of lines: inout [String], _ name: String,
    _ random: inout SeededGenerator
  ) -> [String] {
    let new = (0..<Int.random(in: 0...3, using: &random)).map { "\(name) \($0)" }
    lines.replaceSubrange(range, with: new)
    return new
  }
}
