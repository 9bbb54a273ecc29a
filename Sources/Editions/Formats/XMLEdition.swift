/// Parses the XML of Tanzil and of QuranEnc.
///
/// The number of a surah or of an ayah is an attribute (`index`, `number` or `id`) of its element,
/// or the content of a separate element next to the translation.
struct XMLEdition {
  private var builder = EditionBuilder()
  private var notes = SourceNotes()
  private var format = EditionFormat.tanzilXML
  private var surah: Int?
  private var ayah: Int?
  private var translation: String?
  private var footnotes = ""
  /// Whether a `translation` or `footnotes` element of an ayah is open, which only contains text.
  private var isInText = false
  /// The number of elements around the last `translation` element.
  private var depth = 0
  /// Whether the open ayah element already has its text.
  private var isAdded = false
  /// The text since the last start or end tag.
  private var content = ""
  private var hasCDATA = false

  static func parse(_ text: SourceText) throws(EditionFailure) -> ParsedEdition {
    var scanner = XMLScanner(text)
    var edition = XMLEdition()
    while let event = try scanner.next() {
      let isValid = try edition.handle(event, depth: scanner.open.count)
      scanner.format = edition.format
      guard isValid else { throw scanner.malformed }
    }
    guard edition.builder.count > 0 else { throw .unknownFormat }
    return try ParsedEdition(edition.format, edition.builder.finish(), edition.notes)
  }

  /// - Returns: False if the document does not conform to the format.
  private mutating func handle(
    _ event: XMLScanner.Event, depth: Int
  ) throws(EditionFailure) -> Bool {
    switch event {
    case .comment(let text):
      notes.add(comment: text)
    case .text(let text, let isCDATA):
      // White space beside a CDATA section is formatting.
      if isCDATA {
        if content.allSatisfy(\.isWhitespace) { content = "" }
        content += text
        hasCDATA = true
      } else if !hasCDATA || !text.allSatisfy(\.isWhitespace) {
        content += text
      }
    case .start(let name, let attributes):
      guard !isInText else { return false }
      // The root element can have the same name.
      isInText = depth > 1 && ["translation", "footnotes"].contains(name)
      content = ""
      hasCDATA = false
      return try start(name, attributes)
    case .end(let name):
      isInText = false
      defer {
        content = ""
        hasCDATA = false
      }
      return try end(name, depth: depth)
    }
    return true
  }

  private mutating func start(
    _ name: String, _ attributes: [String: String]
  ) throws(EditionFailure) -> Bool {
    let value = attributes["index"] ?? attributes["number"] ?? attributes["id"]
    let number = value.flatMap { Array($0.utf8)[...].smallNumber }
    switch name {
    case "sura":
      surah = number
      ayah = nil
      return value == nil || number != nil
    case "aya":
      ayah = number
      isAdded = false
      guard value == nil || number != nil else { return false }
      guard let text = attributes["text"] else { return true }
      guard let surah, let ayah else { return false }
      isAdded = true
      try builder.add(surah: surah, ayah: ayah, text, basmala: attributes["bismillah"] ?? "")
    case "translation_root", "translation", "footnotes":
      format = .quranEncXML
    default: break
    }
    return true
  }

  private mutating func end(_ name: String, depth: Int) throws(EditionFailure) -> Bool {
    // The end of the element around a translation completes its ayah.
    if let text = translation, depth < self.depth {
      guard let surah, let ayah else { return false }
      try builder.add(surah: surah, ayah: ayah, text, footnotes: footnotes)
      translation = nil
      footnotes = ""
      isAdded = true
    }
    switch name {
    case "translation":
      guard translation == nil else { return false }
      translation = content
      self.depth = depth
    case "footnotes": footnotes = content
    case "sura", "aya":
      // The element contains the number of the surah or of the ayah.
      if let number = Array(content.utf8)[...].smallNumber {
        if name == "sura" { surah = number } else { ayah = number }
      } else if name == "aya" {
        defer { ayah = nil }
        guard !isAdded else { return true }
        guard let surah, let ayah else { return false }
        isAdded = true
        try builder.add(surah: surah, ayah: ayah, "")
      } else {
        surah = nil
      }
    default: notes.add(name, content)
    }
    return true
  }
}
