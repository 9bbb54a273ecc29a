import Testing

/// `đức tin` is understood in both encodings that input methods use: composed,
/// and as letters followed by combining marks.
@Suite(.serialized) struct VietnameseInputTests {
  static let composed = "đức tin"
  static let decomposed = "đu\u{31B}\u{301}c tin"

  /// The screens after the same text has been typed in both encodings.
  private func screens(
    after keys: [String], typing pair: (String, String) = (composed, decomposed), at size: Size,
    pasting: Bool = false, until isThere: (Screen) -> Bool
  ) throws -> (Screen, Screen) {
    let screens = try [pair.0, pair.1].map { text in
      let tmux = try Tmux(reader: [], in: Home(), size: size)
      try tmux.wait(for: "Al-Fatihah")
      for key in keys { try tmux.press(key) }
      _ = try tmux.settled()
      if pasting { try tmux.paste(text) } else { try tmux.type(text) }
      try tmux.wait(for: "what was typed, and found", isThere)
      let screen = try tmux.settled()
      try tmux.press("C-c")
      try tmux.expectEnd()
      return screen
    }
    return (screens[0], screens[1])
  }

  private static func showsResults(_ screen: Screen) -> Bool {
    // The prompt is one row, the results are others.
    screen.rows.count { $0.lowercased().shows(composed) } > 1
  }

  @Test(arguments: [Size(40, 12), .standard, Size(120, 40)])
  func theSearchScreenAcceptsDecomposedInput(size: Size)
    throws
  {
    let (typed, decomposed) = try screens(after: ["5"], at: size, until: Self.showsResults)
    #expect(typed == decomposed, "\(typed)\nand\n\(decomposed)")
  }

  @Test func theSearchInTheTextAcceptsDecomposedInput() throws {
    let (typed, decomposed) = try screens(
      after: ["Enter", "/"], at: .standard, until: Self.showsResults)
    #expect(typed == decomposed, "\(typed)\nand\n\(decomposed)")
  }

  @Test func theSearchAcceptsDecomposedPastes() throws {
    let (typed, decomposed) = try screens(
      after: ["5"], at: .standard, pasting: true, until: Self.showsResults)
    #expect(typed == decomposed, "\(typed)\nand\n\(decomposed)")
  }

  @Test func theSurahFilterAcceptsDecomposedInput() throws {
    let (typed, decomposed) = try screens(
      after: ["/"], typing: ("mở đầu", "mo\u{31B}\u{309} đa\u{302}\u{300}u"), at: .standard
    ) { $0.contains("mở đầu") && $0.contains("Al-Fatihah") && !$0.contains("Al-Baqarah") }
    #expect(typed == decomposed, "\(typed)\nand\n\(decomposed)")
  }

  @Test func goToAcceptsDecomposedInput() throws {
    let (typed, decomposed) = try screens(
      after: ["g"], typing: ("con bò cái", "con bo\u{300} ca\u{301}i"), at: .standard
    ) { $0.contains("con bò cái") }
    #expect(typed == decomposed, "\(typed)\nand\n\(decomposed)")
  }
}
