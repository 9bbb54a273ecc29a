/// The colours of xterm's palette of 256.
enum Palette {
  /// xterm's defaults for 0…15; terminals differ, and readers change them.
  private static let sixteen: [(Int, Int, Int)] = [
    (0, 0, 0), (205, 0, 0), (0, 205, 0), (205, 205, 0), (0, 0, 238), (205, 0, 205), (0, 205, 205),
    (229, 229, 229), (127, 127, 127), (255, 0, 0), (0, 255, 0), (255, 255, 0), (92, 92, 255),
    (255, 0, 255), (0, 255, 255), (255, 255, 255),
  ]

  /// Red, green and blue of a colour: after the sixteen a cube of 6 × 6 × 6, then 24 greys.
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

  /// The nearest of a terminal's colours.
  ///
  /// - Parameter count: how many it has, at least 8.
  static func nearest(_ index: Int, of count: Int) -> Int {
    if index < min(count, 256) { return index }
    // The second eight are the first, brighter.
    if index < 16 { return index % 8 }
    let wanted = components(of: index)
    // A grey that became a colour would be read badly on another grey.
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
    // Weighted as the eye is.
    return 3 * red * red + 6 * green * green + blue * blue
  }
}
