import Testing

@testable import Terminal

struct PaletteTests {
  @Test func coloursOfTheCubeAndTheGreys() {
    for (index, expected) in [
      (16, (0, 0, 0)), (231, (255, 255, 255)), (196, (255, 0, 0)), (67, (95, 135, 175)),
      (189, (215, 215, 255)), (232, (8, 8, 8)), (255, (238, 238, 238)), (9, (255, 0, 0)),
    ] {
      #expect(Palette.components(of: index) == expected, "\(index)")
    }
  }

  @Test func coloursThatTheTerminalHasAreUnchanged() {
    for index in 0..<256 { #expect(Palette.nearest(index, of: 256) == index) }
    for index in 0..<16 { #expect(Palette.nearest(index, of: 16) == index) }
    for index in 0..<8 { #expect(Palette.nearest(index, of: 8) == index) }
  }

  @Test func directColoursAreRedGreenAndBlue() {
    for index in 0..<8 { #expect(Palette.nearest(index, of: 1 << 24) == index) }
    for (index, color) in [
      (16, 0x000008), (196, 0xFF0000), (67, 0x5F87AF), (253, 0xDADADA), (9, 0xFF0000),
    ] {
      #expect(Palette.nearest(index, of: 1 << 24) == color)
    }
  }

  @Test func aPaletteOf88ColoursIsUsedLikeOneOf16() {
    for index in 0..<256 {
      #expect(Palette.nearest(index, of: 88) == Palette.nearest(index, of: 16))
    }
  }

  @Test(arguments: [
    (16, 0, 0), (231, 7, 15), (196, 1, 9), (160, 1, 1), (46, 2, 10), (226, 3, 11), (233, 0, 0),
    (254, 7, 7), (12, 4, 12), (63, 4, 12),
    // Greys and near-greys.
    (242, 0, 8), (246, 7, 8), (95, 0, 8),
  ])
  func theNearestOf8And16Colours(_ index: Int, of8: Int, of16: Int) {
    #expect(Palette.nearest(index, of: 8) == of8)
    #expect(Palette.nearest(index, of: 16) == of16)
  }
}
