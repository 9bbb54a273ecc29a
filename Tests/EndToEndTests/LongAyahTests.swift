import Testing

/// 2:282 is taller than a small screen: `j` alone must show every line of it.
@Suite(.serialized) struct LongAyahTests {
  @Test(arguments: [Size(40, 12), .standard]) func theKeyJShowsEveryLineOfALongAyah(size: Size)
    throws
  {
    let tmux = try Tmux(reader: ["2:282"], in: Home(), size: size)
    try tmux.wait(for: "2:282") { $0.cursorAyah == 282 }
    var seen: [String] = []
    var screen = try tmux.settled()
    var presses = 0
    // When the page is scrolled inside the ayah, the number of the ayah is out of view.
    while let rows = screen.rowsUnderTheBar, [282, nil].contains(screen.cursorAyah) {
      seen = Self.joining(seen, rows)
      try tmux.type("j")
      presses += 1
      try #require(presses < 100, "the cursor never leaves the ayah:\n\(screen)")
      screen = try tmux.settled()
    }
    #expect(screen.cursorAyah == 283, "\(screen)")
    let read = seen.joined(separator: " ").split(separator: " ").joined(separator: " ")
    let text = Book.text(of: "2:282").split(separator: " ").joined(separator: " ")
    #expect(read.shows(text), "seen:\n\(seen.joined(separator: "\n"))")
  }

  /// The rows seen so far, followed by the new ones of `rows`. The longest suffix of `before` that
  /// is a prefix of `rows` is the part that both screens show.
  static func joining(_ before: [String], _ rows: [String]) -> [String] {
    // Within one ayah the same rows may still all be in view.
    if before.suffix(rows.count) == rows[...] { return before }
    for count in stride(from: min(before.count, rows.count), through: 0, by: -1)
    where before.suffix(count) == rows.prefix(count) {
      return before + rows.dropFirst(count)
    }
    return before + rows
  }

  @Test func rowsAreJoinedWithoutRepeating() {
    #expect(Self.joining(["a", "b", "c"], ["b", "c", "d"]) == ["a", "b", "c", "d"])
    #expect(Self.joining(["a", "b"], ["a", "b"]) == ["a", "b"])
    // A skipped row leaves a gap that the text then does not match.
    #expect(Self.joining(["a", "b"], ["d", "e"]) == ["a", "b", "d", "e"])
  }
}

extension Screen {
  /// The text of the rows that carry the cursor's bar, without the gutter.
  fileprivate var rowsUnderTheBar: [String]? {
    let marked = rows.compactMap { row -> String? in
      guard let bar = row.firstIndex(of: "▌") else { return nil }
      return String(row[row.index(after: bar)...].drop { $0 == " " || $0.isNumber })
    }
    return marked.isEmpty ? nil : marked
  }
}
