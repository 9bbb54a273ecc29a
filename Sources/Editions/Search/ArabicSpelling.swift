import Text

/// The spellings of Arabic words.
///
/// The script of the printed Quran writes many words otherwise than Arabic is written today: a long
/// a by a small alef above a letter (U+0670), which today is an alef (ٱلۡعَٰلَمِينَ, العالمين) or is not
/// written (ٱلرَّحۡمَٰنِ, الرحمن); a و or ى that carries the small alef (ٱلصَّلَوٰةَ, الصلاة); a hamza before
/// an alef (ٱلۡقُرۡءَانُ, القرآن); a hamza without a letter that carries it (يَسۡـَٔلُونَ, يسألون).
enum ArabicSpelling {
  /// The limit for the number of spellings of a word. No word of the Quran has as many.
  private static let limit = 64

  /// Whether a word is Arabic.
  ///
  /// - Parameter bytes: UTF-8. The letters of the Arabic block begin with the bytes D8…DB.
  static func isArabic(_ bytes: UnsafeRawBufferPointer) -> Bool {
    bytes.first.map { (0xD8...0xDB).contains($0) } ?? false
  }

  /// Returns the folded forms of the other spellings of a word, without the one that
  /// `String.folded` returns.
  ///
  /// - Parameter bytes: The UTF-8 of an Arabic word.
  static func others(of bytes: UnsafeRawBufferPointer) -> [[UInt8]] {
    var letters: [Letter] = []
    bytes.forEachScalar { scalar, _ in add(scalar, to: &letters) }
    guard letters.contains(where: { $0.spellings.count > 1 }) else { return [] }
    var words: [[UInt8]] = [[]]
    for letter in letters {
      guard words.count * letter.spellings.count <= limit else {
        words = words.map { $0 + letter.spellings[0] }
        continue
      }
      words = letter.spellings.flatMap { spelling in words.map { $0 + spelling } }
    }
    let folded = letters.flatMap { $0.spellings[0] }
    return Set(words.filter { $0 != folded && !$0.isEmpty }).sorted {
      $0.lexicographicallyPrecedes($1)
    }
  }

  /// A letter with its marks.
  private struct Letter {
    /// The ways in which it is written, as folded UTF-8: that of `String.folded` first.
    var spellings: [[UInt8]]
    /// Whether a hamza above it is a letter of its own.
    var canCarryHamza: Bool
    var hasMarks = false
  }

  private static let alef = Array("ا".utf8)
  private static let waw = Array("و".utf8)
  private static let yeh = Array("ي".utf8)
  private static let hamza = Array("ء".utf8)

  private static func add(_ scalar: Unicode.Scalar, to letters: inout [Letter]) {
    switch scalar {
    case "\u{0670}":
      // A small alef.
      if let last = letters.indices.last, !letters[last].hasMarks,
        [[waw], [yeh]].contains(letters[last].spellings)
      {
        letters[last].spellings.append(alef)
        letters[last].hasMarks = true
      } else {
        dropHamza(&letters)
        letters.append(Letter(spellings: [[], alef], canCarryHamza: false))
      }
    case "\u{0654}", "\u{0655}":
      // A hamza above or below.
      if letters.last?.canCarryHamza != false {
        letters.append(Letter(spellings: [[], alef, waw, yeh], canCarryHamza: false))
      }
    default:
      var folded: [UInt8] = []
      scalar.appendFolded(to: &folded)
      if folded.isEmpty {
        // A tatweel carries a hamza that has no letter.
        if scalar == "\u{0640}" {
          letters.append(Letter(spellings: [[]], canCarryHamza: true))
        } else if let last = letters.indices.last {
          letters[last].hasMarks = true
        }
        return
      }
      if folded == alef { dropHamza(&letters) }
      let isCarrier = [alef, waw, yeh].contains(folded)
      letters.append(Letter(spellings: [folded], canCarryHamza: !isCarrier))
    }
  }

  /// A hamza and the alef after it are written as one letter today, which is folded to an alef.
  private static func dropHamza(_ letters: inout [Letter]) {
    if let last = letters.indices.last, letters[last].spellings == [hamza] {
      letters[last].spellings.append([])
    }
  }
}
