import Foundation
import Testing
import Text

struct NormalizationTests {
  @Test(arguments: ["Đấng Rất Mực Nhân Từ", "hoà ự ổ", "أإآؤئ", "한국어", "Å", "ﬁ", "é"])
  func composedAndDecomposedBecomeTheSame(_ text: String) {
    #expect(text.nfc.scalars == text.precomposedStringWithCanonicalMapping.scalars)
    #expect(text.decomposed.nfc.scalars == text.nfc.scalars)
  }

  @Test func marksAreBroughtInOrder() {
    #expect("a\u{302}\u{323}".nfc.scalars == ["ậ"])
    #expect("a\u{323}\u{302}".nfc.scalars == ["ậ"])
    #expect("\u{344}".nfc.scalars == "\u{308}\u{301}".scalars)
  }

  @Test func everyScalarIsComposedAsFoundationDoes() {
    // Scripts that compose, and the signs that stay decomposed.
    let ranges: [ClosedRange<UInt32>] = [
      0...0x6FF, 0x900...0xDFF, 0x1100...0x11FF, 0x1E00...0x212B, 0xAC00...0xAD00, 0xF900...0xFB4F,
    ]
    for value in ranges.joined() {
      let text = String(Unicode.Scalar(value)!)
      if text.nfc.scalars != text.precomposedStringWithCanonicalMapping.scalars {
        Issue.record("U+\(String(value, radix: 16))")
      }
      if text.decomposed.nfc.scalars != text.nfc.scalars {
        Issue.record("decomposed U+\(String(value, radix: 16))")
      }
    }
  }
}
