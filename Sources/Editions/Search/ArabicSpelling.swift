import Text

/// The spellings of Arabic words.
///
/// The script of the printed Quran writes many words differently from modern Arabic:
///
/// - A long a is a small alef above a letter (U+0670). Today it is an alef (ٱلۡعَٰلَمِينَ,
///   العالمين), or is not written (ٱلرَّحۡمَٰنِ, الرحمن). A و or ى that carries it is an alef today
///   (ٱلصَّلَوٰةَ, الصلاة).
/// - A long i or u may be a small yeh or waw (إِبۡرَٰهِـۧمَ, إبراهيم; يَسۡتَوُۥنَ, يستوون).
/// - A hamza before another letter is written without a carrier letter (ٱلۡقُرۡءَانُ, القرآن;
///   إِسۡرَٰٓءِيلَ, إسرائيل; يَسۡـَٔلُونَ, يسألون).
/// - One lam stands for two after the article (ٱلَّيۡلِ, الليل).
/// - An alef after a و at the end of a word is written or not (جَآءُو, جاءوا; يَدۡعُواْ, يدعو).
/// - A ؤ and an alef at the end of a word are a hamza or an أ today (ٱلۡعُلَمَٰٓؤُاْ, العلماء;
///   يَبۡدَؤُاْ, يبدأ).
enum ArabicSpelling {
  /// The limit for the number of spellings of a word.
  private static let limit = 256

  /// Whether a word is Arabic.
  ///
  /// - Parameter utf8: UTF-8. The letters of the Arabic block begin with the bytes D8…DB.
  static func isArabic(_ utf8: some Collection<UInt8>) -> Bool {
    utf8.first.map { (0xD8...0xDB).contains($0) } ?? false
  }

  /// The conjunctions, prepositions and the article, which are written together with the word after
  /// them, and the combinations of these, as UTF-8.
  static let particles: Set<[UInt8]> = {
    var particles: Set<[UInt8]> = []
    for conjunction in ["", "و", "ف"] {
      for preposition in ["", "ب", "ك", "ل"] {
        for article in ["", "ال"] {
          particles.insert(Array((conjunction + preposition + article).utf8))
        }
      }
      particles.insert(Array((conjunction + "لل").utf8))
    }
    particles.remove([])
    return particles
  }()

  /// Returns a word without its vowel signs. Unlike `String.folded`, it preserves the hamza above
  /// and below letters, ة and ى.
  static func letters(of bytes: UnsafeRawBufferPointer) -> [UInt8] {
    var letters = String.UnicodeScalarView()
    for scalar in String(decoding: bytes, as: UTF8.self).nfc.unicodeScalars {
      var folded: [UInt8] = []
      scalar.appendFolded(to: &folded)
      if !folded.isEmpty { letters.append(scalar == "\u{0671}" ? "ا" : scalar) }
    }
    return Array(String(letters).utf8)
  }

  /// Returns the folded forms of the other spellings of a word, without the one that
  /// `String.folded` returns.
  ///
  /// - Parameter bytes: The UTF-8 of an Arabic word.
  static func otherSpellings(of bytes: UnsafeRawBufferPointer) -> [[UInt8]] {
    var letters: [Letter] = []
    bytes.forEachScalar { scalar, _ in add(scalar, to: &letters) }
    addLastAlef(to: &letters)
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
    /// Whether a hamza sign above or below this letter counts as a letter of its own. False for
    /// alef, waw and yeh, which carry the hamza, and for small letters.
    var separatesHamza = false
    /// Whether a mark follows the letter, so that a small alef after it is a letter of its own.
    var hasMarks = false
    /// Whether it is an alef wasla (U+0671), as in the article.
    var isWasla = false
    /// Whether it is a و or ى with a small alef above it, which is written as an alef today.
    var isReadAsAlef = false
    /// Whether it carries a hamza.
    var carriesHamza = false
  }

  private static let alef = Array("ا".utf8)
  private static let waw = Array("و".utf8)
  private static let yeh = Array("ي".utf8)
  private static let lam = Array("ل".utf8)
  private static let hamza = Array("ء".utf8)

  private static func add(_ scalar: Unicode.Scalar, to letters: inout [Letter]) {
    switch scalar {
    case "\u{0670}":
      // A small alef.
      if let last = letters.indices.last, !letters[last].hasMarks,
        [[waw], [yeh]].contains(letters[last].spellings)
      {
        letters[last].spellings.append(alef)
        letters[last].isReadAsAlef = true
        letters[last].hasMarks = true
      } else {
        addCarriers(beforeAlef: true, to: &letters)
        letters.append(Letter(spellings: [[], alef]))
      }
    case "\u{06E5}": letters.append(Letter(spellings: [[], waw]))
    case "\u{06E6}", "\u{06E7}": letters.append(Letter(spellings: [[], yeh]))
    case "\u{0654}", "\u{0655}":
      // A hamza above or below.
      if let last = letters.indices.last, !letters[last].separatesHamza {
        letters[last].carriesHamza = true
      } else {
        letters.append(Letter(spellings: [[], alef, waw, yeh]))
      }
    case "\u{0651}":
      guard let last = letters.indices.last else { return }
      letters[last].hasMarks = true
      if letters[last].spellings == [lam], last > 0, letters[last - 1].isWasla {
        letters[last].spellings.append(lam + lam)
      }
    default:
      var folded: [UInt8] = []
      scalar.appendFolded(to: &folded)
      guard !folded.isEmpty else {
        // A tatweel is not a letter. A hamza sign on it counts as a letter of its own.
        if scalar == "\u{0640}" {
          letters.append(Letter(spellings: [[]], separatesHamza: true))
        } else if let last = letters.indices.last {
          letters[last].hasMarks = true
        }
        return
      }
      addCarriers(beforeAlef: folded == alef, to: &letters)
      // An alef after a و that is read as an alef is silent (ٱلرِّبَوٰاْ, الربا).
      let isSilent = folded == alef && letters.last?.isReadAsAlef == true
      letters.append(
        Letter(
          spellings: isSilent ? [folded, []] : [folded],
          separatesHamza: ![alef, waw, yeh].contains(folded), isWasla: scalar == "\u{0671}",
          carriesHamza: scalar == "\u{0624}"))
    }
  }

  /// A hamza before another letter is written above or below an alef, waw or yeh today, or as one
  /// letter with an alef after it.
  private static func addCarriers(beforeAlef: Bool, to letters: inout [Letter]) {
    guard let last = letters.indices.last, letters[last].spellings == [hamza] else { return }
    letters[last].spellings += [alef, waw, yeh] + (beforeAlef ? [[]] : [])
  }

  private static func addLastAlef(to letters: inout [Letter]) {
    guard let last = letters.indices.last else { return }
    if letters[last].spellings == [waw] {
      letters[last].spellings.append(waw + alef)
    } else if last > 0, letters[last].spellings == [alef], letters[last - 1].spellings == [waw] {
      letters[last].spellings.append([])
      if letters[last - 1].carriesHamza { letters[last - 1].spellings += [hamza, alef] }
    }
  }
}
