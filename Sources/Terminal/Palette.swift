/// The 256-colour palette of xterm.
enum Palette {
  /// xterm's defaults for colours 0…15. Other terminals have other values, and users can change
  /// them.
  private static let sixteen: [(Int, Int, Int)] = [
    (0, 0, 0), (205, 0, 0), (0, 205, 0), (205, 205, 0), (0, 0, 238), (205, 0, 205), (0, 205, 205),
    (229, 229, 229), (127, 127, 127), (255, 0, 0), (0, 255, 0), (255, 255, 0), (92, 92, 255),
    (255, 0, 255), (0, 255, 255), (255, 255, 255),
  ]

  /// The red, green and blue components (0…255) of a colour. Colours 16…231 are a 6 × 6 × 6 cube,
  /// colours 232…255 are 24 greys.
  static func components(of index: Int) -> (Int, Int, Int) {
    if index < 16 { return sixteen[index] }
    if index >= 232 {
      let level = 8 + 10 * (index - 232)
      return (level, level, level)
    }
    func level(_ step: Int) -> Int { step == 0 ? 0 : 55 + 40 * step }
    let place = index - 16
    return (level(place / 36), level(place / 6 % 6), level(place % 6))
  }

  /// Returns the number by which a terminal knows a colour of the 256-colour palette, or the
  /// nearest one that it has. Terminals with more than 256 colours (`xterm-direct`) take red, green
  /// and blue in one number, in which 0…7 are the colours of the palette.
  ///
  /// - Parameters:
  ///   - index: The colour in the 256-colour palette.
  ///   - count: The number of colours of the terminal, at least 8.
  static func nearest(_ index: Int, of count: Int) -> Int {
    if count > 256, index >= 8 {
      let (red, green, blue) = components(of: index)
      // Black must not become a number of the palette.
      return max(red << 16 | green << 8 | blue, 8)
    }
    // Between 16 and 256 colours, palettes differ beyond the first 16.
    let count = count < 256 ? min(count, 16) : count
    if index < min(count, 256) { return index }
    // Colours 8…15 are the bright variants of colours 0…7.
    if index < 16 { return index % 8 }
    let wanted = components(of: index)
    // Map greys to greys only: text in a colour would be hard to read on a grey background.
    let candidates = sixteen.indices.prefix(count).filter { !isGrey(wanted) || isGrey(sixteen[$0]) }
    return candidates.min {
      distance(wanted, sixteen[$0]) < distance(wanted, sixteen[$1])
    } ?? 7
  }

  private static func isGrey(_ color: (Int, Int, Int)) -> Bool {
    max(color.0, color.1, color.2) - min(color.0, color.1, color.2) <= 40
  }

  private static func distance(_ a: (Int, Int, Int), _ b: (Int, Int, Int)) -> Int {
    let (red, green, blue) = (a.0 - b.0, a.1 - b.1, a.2 - b.2)
    // The weights approximate the eye's sensitivity to each component.
    return 3 * red * red + 6 * green * green + blue * blue
  }
}
