import Testing
import Text

struct WidthTests {
  @Test(arguments: [
    ("", 0), ("Nhan danh", 9), ("~ !", 3),
    ("Đấng Rất Mực Nhân Từ", 20), ("ưừ", 2),
    ("¡©®°¿×÷–—‘’“”…", 14),
  ])
  func lettersOfOneColumn(_ text: String, columns: Int) {
    #expect(text.columns == columns)
  }

  @Test func theWidthIgnoresTheNormalizationForm() {
    for text in ["Đấng Rất Mực Nhân Từ", "hoà hòa", "ự ậ ổ", "أإآ"] {
      #expect(text.decomposed.unicodeScalars.count > text.unicodeScalars.count)
      #expect(text.decomposed.columns == text.count)
      #expect(text.columns == text.count)
    }
  }

  @Test(arguments: [
    // Lam with four marks, as in 5:18.
    ("لّ\u{06E1}\u{064E}\u{0670}", 1),
    ("بِسۡمِ", 3), ("ٱلرَّحۡمَٰنِ", 6),
    // Quranic letters, pause marks on their letter, the end of an ayah.
    ("هُۥ", 2), ("ۖ", 0), ("ا\u{06D6}", 1), ("\u{06DD}", 1), ("ـ", 1), ("۞", 1),
    ("٢٥٥", 3),
  ])
  func arabicTakesOneColumnALetter(_ text: String, columns: Int) {
    #expect(text.columns == columns)
  }

  @Test(arguments: [
    ("👍", 2), ("👨‍👩‍👧‍👦", 2), ("👍🏽", 2), ("🏴󠁧󠁢󠁥󠁮󠁧󠁿", 2), ("🇻🇳", 2), ("🇻🇳🇸🇦", 4),
    ("❤", 1), ("❤️", 2), ("☪", 1), ("☪️", 2), ("1️⃣", 1), ("#️⃣", 1),
    ("日本語", 6), ("ひらがな", 8), ("Ａ", 2), ("ｱ", 1), ("、", 2), ("𠀀", 2),
    ("한국", 4), ("한국".decomposed, 4), ("ㅎ", 2),
  ])
  func wideClustersTakeTwoColumns(_ text: String, columns: Int) {
    #expect(text.columns == columns)
  }

  @Test func invisibleCharactersTakeNoColumn() {
    for text in [
      "\u{0}", "\u{1B}", "\u{7F}", "\u{9B}", "\n", "\r\n", "\t", "\u{301}", "\u{200B}", "\u{200D}",
      "\u{2028}", "\u{202E}", "\u{2066}", "\u{FEFF}", "\u{AD}",
    ] {
      #expect(text.columns == 0, "\(text.scalars)")
    }
  }

  @Test func aTextIsAsWideAsItsClusters() {
    let text = "Đấng 👨‍👩‍👧 ٱللَّهِ 日本 🇻🇳!"
    #expect(text.columns == text.map(\.columns).reduce(0, +))
    #expect(text.columns == 4 + 1 + 2 + 1 + 4 + 1 + 4 + 1 + 2 + 1)
    #expect(text.dropFirst(5).columns == text.columns - 5)
  }

  @Test func everyScalarTakesAtMostTwoColumns() {
    for value in UInt32(0)...0x10FFFF {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let columns = Character(scalar).columns
      if columns < 0 || columns > 2 { Issue.record("U+\(String(value, radix: 16)): \(columns)") }
    }
  }
}
