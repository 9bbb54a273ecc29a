import Foundation
import Testing
import Text

struct NormalizationTests {
  @Test(arguments: ["Đấng Rất Mực Nhân Từ", "hoà ự ổ", "أإآؤئ", "한국어", "Å", "ﬁ", "é"])
  func composedAndDecomposedBecomeTheSame(_ text: String) {
    #expect(text.nfc.scalars == text.precomposedStringWithCanonicalMapping.scalars)
    #expect(text.decomposed.nfc.scalars == text.nfc.scalars)
  }

  @Test func marksAreSortedCanonically() {
    #expect("a\u{302}\u{323}".nfc.scalars == ["ậ"])
    #expect("a\u{323}\u{302}".nfc.scalars == ["ậ"])
    #expect("\u{344}".nfc.scalars == "\u{308}\u{301}".scalars)
  }

  @Test func everyScalarIsComposedAsFoundationDoes() {
    // Scripts with composed characters, and the characters that are excluded from composition.
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

  @Test func scalarsWithoutMarksNeverCombine() {
    var plain = 0
    for value in UInt32(0)...0x10FFFF {
      guard let scalar = Unicode.Scalar(value), !String(scalar).mayHaveMarks else { continue }
      plain += 1
      #expect(scalar.properties.canonicalCombiningClass == .notReordered, "\(value)")
      for text in [String(scalar), "a\(scalar)", "ê\(scalar)", "\(scalar)\(scalar)"] {
        #expect(
          text.scalars == text.precomposedStringWithCanonicalMapping.scalars, "\(value)")
      }
    }
    #expect(plain == 0x300 + 0x100 + 0x18)
  }

  @Test(arguments: [
    "\u{301}", "a\u{323}b", "\u{1F71}", "\u{2126}", "\u{2000}", "각", "👍", "\u{1100}",
  ])
  func combiningScalarsMayHaveMarks(text: String) {
    #expect(text.mayHaveMarks)
    #expect("đức tin".mayHaveMarks == false)
    #expect("“Sáng danh” – Allah …".mayHaveMarks == false)
  }

  @Test func veryLongRunsOfMarksAreNotNormalized() {
    let marks = String(repeating: "\u{323}\u{302}", count: 100_000)
    #expect("a\(marks)".nfc.utf8.elementsEqual("a\(marks)".utf8))
    #expect("a\(marks)".hasMarks(inARow: 199_999) && !"a\(marks)".hasMarks(inARow: 200_000))
    let word = "a\u{323}\u{302}"
    #expect(String(repeating: word, count: 2000).nfc == String(repeating: "ậ", count: 2000))
  }
}
