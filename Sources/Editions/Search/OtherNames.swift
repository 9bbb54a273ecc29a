import Text

/// The forms of names in Arabic, in English and in Vietnamese Bibles. Translations of the Quran use
/// some of them, and users type others.
enum OtherNames {
  /// Each row has the forms of one name. A form of several words is written with hyphens or spaces.
  private static let names = [
    ["Isa", "Ysa", "Giê-su", "Giêsu", "Jesus"],
    ["Musa", "Môi-sê", "Môisê", "Mô-sê", "Moses"],
    ["Ibrahim", "Áp-ra-ham", "Apraham", "Abraham"],
    ["Nuh", "Nô-ê", "Noah"],
    ["Maryam", "Mariam", "Ma-ri-a", "Maria"],
    ["Dawud", "Dawood", "Daud", "Đa-vít", "Đavít", "David"],
    ["Sulayman", "Sulaiman", "Sa-lô-môn", "Salômôn", "Solomon"],
    ["Yusuf", "Giô-sép", "Giuse", "Joseph"],
    ["Yaqub", "Ya'qub", "Yacub", "Gia-cốp", "Jacob"],
    ["Ishaq", "Is-haq", "Isaac", "Y-sác"],
    ["Ismail", "Isma'il", "Is-ma-il", "Ích-ma-ên", "Ishmael"],
    ["Harun", "Haroon", "A-rôn", "Aaron"],
    ["Yunus", "Giô-na", "Jonah"],
    ["Ayyub", "Ayub", "Gióp", "Job"],
    ["Yahya", "Gioan", "John"],
    ["Zakariya", "Zakariyya", "Zakaria", "Xa-cha-ri", "Zechariah"],
    ["Adam", "A-đam"],
    ["Jibril", "Jibreel", "Gáp-ri-ên", "Gabriel"],
    ["Firawn", "Fir'awn", "Fir-aun", "Pha-ra-ông", "Pha-ra-ô", "Pharaoh"],
    ["Injil", "Injeel", "Phúc Âm", "Tin Lành"],
    ["Tawrah", "Taurah", "Tawrat", "Torah", "Ngũ Kinh"],
    ["Zabur", "Zaboor", "Thi Thiên", "Thánh Vịnh"],
    ["Ramadan", "Ramadhan", "Ramazan"],
    ["Kabah", "Ka'bah", "Kaaba", "Ka-ba"],
    ["Makkah", "Mecca", "La Mecque"],
    ["Madinah", "Medina"],
  ]

  /// The number of words of the longest form.
  static let maximumWordCount = 3

  private struct Forms: Sendable {
    let words: [[Word]]
  }

  /// The rows of `names` by the folded words of each form.
  private static let forms: [[[UInt8]]: Forms] = {
    var table: [[[UInt8]]: Forms] = [:]
    for row in names {
      let forms = Forms(words: row.map(words))
      for form in forms.words { table[form.map(\.folded)] = forms }
    }
    return table
  }()

  /// Returns the other forms of a name, or nil if the words are not a name.
  static func forms(of words: [Word]) -> [[Word]]? {
    let folded = words.map(\.folded)
    // A single word with diacritics, such as `Gióp`, is a name only if it was typed with them.
    guard let forms = forms[folded]?.words,
      let typed = forms.first(where: { $0.map(\.folded) == folded }),
      typed.count > 1 || !typed[0].hasDiacritics || typed == words
    else { return nil }
    return forms.filter { $0.map(\.folded) != folded }
  }

  private static func words(of form: String) -> [Word] {
    form.split { $0 == "-" || $0 == " " }.map { part in
      var part = String(part)
      return part.withUTF8 { Word(UnsafeRawBufferPointer($0)) }
    }
  }
}
