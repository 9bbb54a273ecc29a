public import Text

extension Language {
  /// The language of a page: what the URL or the form says by `lang=`, else what the browser
  /// would rather have (RFC 9110, 12.5.4). Vietnamese where nothing is said, as everywhere
  /// here, and English where it would have something else.
  public init(lang: String?, acceptLanguage: String?) {
    self =
      lang.flatMap { Language(rawValue: $0.lowercased()) }
      ?? acceptLanguage.flatMap(Self.preferred) ?? .vietnamese
  }

  /// - Returns: nil where no language is asked for.
  private static func preferred(_ header: String) -> Language? {
    var best: (language: Language?, weight: Double) = (nil, 0)
    var isAsked = false
    // Headers are bounded; browsers list a handful.
    for entry in header.split(separator: ",").prefix(50) {
      let parts = entry.split(separator: ";").map { $0.filter { !$0.isWhitespace }.lowercased() }
      guard let range = parts.first else { continue }
      let weight =
        parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
      guard weight > 0 else { continue }
      isAsked = true
      let language =
        range == "*" ? .vietnamese : Language(rawValue: String(range.prefix { $0 != "-" }))
      if let language, weight > best.weight { best = (language, weight) }
    }
    return best.language ?? (isAsked ? .english : nil)
  }
}
