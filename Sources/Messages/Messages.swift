public import Quran
public import Text

/// The sentences of the user interface, in Vietnamese and English side by side.
///
///     let messages = Messages(.english)
///     messages.ayahCount(7)   // "7 ayahs"
///
/// The extensions in `Facts` describe the errors and other values of the modules. The extensions in
/// `Sentences` contain all other sentences, one file for each part of the interface.
public struct Messages: Sendable, Hashable {
  /// The language of the sentences.
  public let language: Language

  /// Creates a value whose sentences are in the given language.
  public init(_ language: Language) {
    self.language = language
  }

  /// A question on the screen, with the keys that answer it.
  public func question(_ text: String, yes: String, no: String) -> String {
    question(text, [(yes, pick("có", "yes")), (no, pick("không", "no"))])
  }

  /// A question with its possible answers. Each answer has no-break spaces, so that a row does not
  /// end within it.
  func question(_ text: String, _ answers: [(key: String, name: String)]) -> String {
    let answers = answers.map { "\($0.key) \($0.name)".replacing(" ", with: "\u{A0}") }
    return "\(text)  \(answers.joined(separator: "\u{A0}· "))"
  }

  /// A question of a command, with the answers that can be typed. Other answers mean no.
  public func question(_ text: String) -> String { "\(text) " + pick("[c/K] ", "[y/N] ") }

  /// Whether an answer means yes in either language.
  public func isYes(_ answer: String) -> Bool {
    ["y", "yes", "c", "có", "co"].contains(answer.lowercased())
  }

  /// Shortens text for a quotation in a sentence. It can have any length.
  ///
  /// - Parameter length: The maximum number of characters.
  func shortened(_ text: String, to length: Int = 40) -> String {
    text.count > length ? text.prefix(length - 1) + "…" : text
  }

  /// Returns the text in the current language.
  func pick(_ vietnamese: String, _ english: String) -> String {
    language == .vietnamese ? vietnamese : english
  }
}

// MARK: Names of the Quran

extension Messages {
  public var surah: String { pick("chương", "surah") }
  public var juz: String { "juz" }
  public var hizb: String { "hizb" }
  public var hizbQuarter: String { pick("phần tư hizb", "hizb quarter") }
  public var manzil: String { "manzil" }
  public var ruku: String { "ruku" }
  public var page: String { pick("trang", "page") }
  /// Explains the sign of an ayah after which readers prostrate themselves.
  public func sajda(_ sajda: Sajda) -> String {
    switch sajda {
    case .recommended: "۩ " + pick("sajda: nên phủ phục", "sajda: prostration recommended")
    case .obligatory: "۩! " + pick("sajda: phải phủ phục", "sajda: prostration obligatory")
    }
  }
  public func ayahCount(_ count: Int) -> String {
    pick("\(count) câu", count == 1 ? "1 ayah" : "\(count) ayahs")
  }
  public var bundledTitle: String {
    pick("Bản diễn ý kèm theo", "Bundled rendering")
  }
  public var notReviewed: String { pick("chưa được thẩm định", "not reviewed by scholars") }
  public var notReviewedShort: String { pick("chưa thẩm định", "not reviewed") }
}
