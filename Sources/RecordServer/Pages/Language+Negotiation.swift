import Text

extension Language {
  /// Chooses the language of a page: the language of the `lang` parameter, otherwise the best match
  /// of the `Accept-Language` header (RFC 9110, 12.5.4). If neither names Vietnamese or English,
  /// the language is English if the header accepts only other languages, and Vietnamese if there is
  /// no header or the header accepts every language.
  init(lang: String?, acceptLanguage: String?) {
    self =
      lang.flatMap { Language(rawValue: $0.lowercased()) }
      ?? acceptLanguage.flatMap(Self.preferred) ?? .vietnamese
  }

  /// Returns the language that an `Accept-Language` header prefers.
  ///
  /// - Returns: English if the header accepts only other languages than Vietnamese and English; nil
  ///   if it accepts no language at all.
  private static func preferred(_ header: String) -> Language? {
    // The languages that the header names, in its order, and the weight of all others.
    var named: [(language: Language, weight: Double)] = []
    var weightOfOthers = 0.0
    var isAsked = false
    // The size of headers is limited, and browsers send only a few entries.
    for entry in header.split(separator: ",").prefix(50) {
      let parts = entry.split(separator: ";").map { $0.filter { !$0.isWhitespace }.lowercased() }
      guard let range = parts.first else { continue }
      let weight =
        parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
      if weight > 0 { isAsked = true }
      if range == "*" {
        weightOfOthers = max(weightOfOthers, weight)
      } else if let language = Language(rawValue: String(range.prefix { $0 != "-" })) {
        named.append((language, weight))
      }
    }
    for language in [Language.vietnamese, .english]
    where !named.contains(where: { $0.language == language }) {
      named.append((language, weightOfOthers))
    }
    var best: (language: Language?, weight: Double) = (nil, 0)
    for entry in named where entry.weight > best.weight { best = entry }
    return best.language ?? (isAsked ? .english : nil)
  }
}
