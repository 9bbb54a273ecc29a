import TestSupport
import Testing

@testable import Terminal

struct PaletteTests {
  @Test(arguments: [
    (0x000000, 16), (0xFFFFFF, 231), (0xFF0000, 196), (0x00FF00, 46), (0x0000FF, 21),
    (0x5F87AF, 67), (0xD7D7FF, 189), (0x808080, 244), (0x080808, 232), (0xEEEEEE, 255),
    (0x767676, 243), (0x010101, 16), (0xFE0101, 196), (0x6A6A6A, 242),
  ])
  func theNearestOf256(_ color: UInt32, index: Int) {
    let (red, green, blue) = Self.parts(color)
    #expect(Palette.nearest256(red, green, blue) == index)
  }

  @Test(arguments: [
    (0x000000, 0, 0), (0xFFFFFF, 7, 15), (0xFF0000, 1, 9), (0xCD0000, 1, 1), (0x00FF00, 2, 10),
    (0x5C5CFF, 4, 12), (0x7F7F7F, 7, 8), (0xE5E5E5, 7, 7), (0xFFFF00, 3, 11), (0x101010, 0, 0),
  ])
  func theNearestOf8And16(_ color: UInt32, of8: Int, of16: Int) {
    let (red, green, blue) = Self.parts(color)
    // Mid grey is as far from black as from white; either will do.
    if color != 0x7F7F7F { #expect(Palette.nearest(red, green, blue, of: 8) == of8) }
    #expect(Palette.nearest(red, green, blue, of: 16) == of16)
  }

  /// The cube and the greys of xterm's 256 colours, as its source computes them.
  private static let colors: [(index: Int, red: Int, green: Int, blue: Int)] =
    (16..<232).map { index in
      let parts = [(index - 16) / 36, (index - 16) / 6 % 6, (index - 16) % 6].map {
        $0 == 0 ? 0 : 55 + 40 * $0
      }
      return (index, parts[0], parts[1], parts[2])
    } + (232..<256).map { ($0, 8 + 10 * ($0 - 232), 8 + 10 * ($0 - 232), 8 + 10 * ($0 - 232)) }

  @Test func noOtherOf256IsNearer() {
    var random = SeededGenerator(seed: 8)
    for _ in 0..<4000 {
      // Half of them nearly grey, where the two meet.
      let base = Int.random(in: 0...255, using: &random)
      let reach = Bool.random(using: &random) ? 12 : 255
      let wanted = (0..<3).map { _ in
        min(max(base + Int.random(in: -reach...reach, using: &random), 0), 255)
      }
      func distance(_ color: (index: Int, red: Int, green: Int, blue: Int)) -> Int {
        let (red, green, blue) = (
          color.red - wanted[0], color.green - wanted[1], color.blue - wanted[2]
        )
        return 3 * red * red + 6 * green * green + blue * blue
      }
      let found = Palette.nearest256(UInt8(wanted[0]), UInt8(wanted[1]), UInt8(wanted[2]))
      let nearest = Self.colors.map(distance).min()
      if distance(Self.colors[found - 16]) != nearest { Issue.record("\(wanted): \(found)") }
    }
  }

  @Test func everyColourOfThePaletteIsItself() {
    for color in Self.colors {
      let found = Palette.nearest256(UInt8(color.red), UInt8(color.green), UInt8(color.blue))
      let same = Self.colors[found - 16]
      #expect((same.red, same.green, same.blue) == (color.red, color.green, color.blue))
    }
  }

  private static func parts(_ color: UInt32) -> (UInt8, UInt8, UInt8) {
    (UInt8(color >> 16), UInt8(color >> 8 & 0xFF), UInt8(color & 0xFF))
  }
}
