import Foundation
import Testing
import Text

struct FoldingTests {
  @Test(arguments: [
    ("Đấng Rất Mực Nhân Từ", "dang rat muc nhan tu"),
    ("KHOAN DUNG", "khoan dung"),
    ("hoà hòa", "hoa hoa"),
    ("đ Đ ư Ư ơ Ơ ă â ê ô", "d d u u o o a a e o"),
    ("Al-Ma'idah, Al-Ma’idah, Al-Maʾidah", "al-maidah, al-maidah, al-maidah"),
    ("ʿAbasa ‘Abasa `Abasa", "abasa abasa abasa"),
    ("Ṣād Ḥāʾ Ṭūr ǧ", "sad ha tur g"),
    ("İstanbul", "istanbul"), ("ΑΣ ἅ", "ας α".replacing("ς", with: "σ")),
    ("2:255 “…”", "2:255 “…”"),
    ("so\u{AD}ft jo\u{200D}in \u{200F}rtl", "soft join rtl"),
  ])
  func latinIsFoldedToLowerCaseWithoutMarks(_ text: String, folded: String) {
    #expect(text.folded == folded)
  }

  @Test(arguments: [
    ("ٱلسَّلۡمَٰنِ", "السلمن"), ("بِدَرْسِ ٱلنَّهْرِ", "بدرس النهر"), ("أإآٱا", "ااااا"), ("هُدًى", "هدي"),
    ("البَقَرَة", "البقره"), ("مُؤْمِن شَيْئًا", "مومن شييا"), ("يســــن", "يسن"),
    ("دَرْسُهُۥ نَهْرِهِۦ", "درسه نهره"),
    ("مَآءً", "ماء"), ("ی ک", "ي ك"),
  ])
  func arabicIsFoldedToLettersWithoutMarks(_ text: String, folded: String) {
    #expect(text.folded.scalars == folded.scalars)
  }

  @Test func foldingIgnoresTheNormalizationForm() {
    for value in UInt32(0)...0x2FFF {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let text = "x\(scalar)"
      let folded = text.folded
      for other in [text.decomposed, text.nfc, folded]
      where other.folded.scalars != folded.scalars {
        Issue.record("U+\(String(value, radix: 16)): \(folded.scalars)")
      }
    }
    #expect("한국".folded.scalars == "한국".decomposed.folded.scalars)
  }

  @Test func vietnameseFoldsAsFoundationFoldsIt() {
    let letters = "aăâbcdđeêghiklmnoôơpqrstuưvxy"
    let tones = ["", "\u{300}", "\u{301}", "\u{303}", "\u{309}", "\u{323}"]
    for letter in letters + letters.uppercased() {
      for tone in tones {
        let text = "\(letter)\(tone)"
        let expected = text.folding(
          options: [.diacriticInsensitive, .caseInsensitive], locale: nil
        ).replacingOccurrences(of: "đ", with: "d")
        #expect(text.folded == expected)
        #expect(text.nfc.folded == expected)
      }
    }
  }

  @Test func apostrophesAreDroppedAndMarksAreNot() {
    for scalar in "'’ʿʾـ\u{200D}".unicodeScalars { #expect(scalar.isDroppedInFolding) }
    for scalar in "a-\"“ đ\u{301}\u{64E}".unicodeScalars { #expect(!scalar.isDroppedInFolding) }
  }
}

struct CaseFoldedNFCTests {
  @Test(arguments: [
    ("HÒA", "hoà"), ("hoà", "hoà"), ("hòan", "hoàn"), ("khỏe", "khoẻ"), ("thủy", "thuỷ"),
    ("qúy", "quý"), ("quý", "quý"), ("tọa", "toạ"), ("lõa", "loã"), ("ủy", "uỷ"),
    ("Đấng", "đấng"), ("dâng", "dâng"), ("Ma’idah", "maidah"),
    // Other pairs of vowels have only one place for the tone.
    ("mùa", "mùa"), ("của", "của"), ("kìa", "kìa"), ("múi", "múi"), ("hộa", "hộa"), ("hờa", "hờa"),
    ("hóâ", "hóâ"), ("hóá", "hóá"), ("cáo", "cáo"), ("hò", "hò"), ("óa", "oá"),
    ("بِسۡمِ", "بِسۡمِ"), ("أ", "أ"),
  ])
  func oldAndNewTonePlacementBecomeTheSame(_ text: String, marked: String) {
    #expect(text.caseFoldedNFC.scalars == marked.nfc.scalars)
    #expect(text.decomposed.caseFoldedNFC.scalars == marked.nfc.scalars)
    #expect(text.caseFoldedNFC.caseFoldedNFC.scalars == marked.nfc.scalars)
    #expect(text.caseFoldedNFC.folded == text.folded)
  }
}
