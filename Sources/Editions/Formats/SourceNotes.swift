import Digests
import Quran
import Text

/// What a source says about itself: comments such as `# Language: English`, or metadata elements.
struct SourceNotes {
  private var fields: [String: String] = [:]
  /// The first comment line that is not a field.
  private var heading = ""
  private var lineCount = 0
  /// All lines of the comments, without `#`, `-` and `=` at their beginning and end.
  private var lines: [String] = []

  private static let lineLimit = 200
  /// The maximum length of the notes in Unicode scalars.
  static let scalarLimit = 8_000
  private static let names: Set = [
    "id", "language", "last update", "license", "name", "source", "title", "translation id",
    "translator", "updated_at", "url", "version",
  ]

  /// Adds a comment line.
  mutating func add(comment line: ArraySlice<UInt8>) {
    add(comment: line.prefix(2_000).string)
  }

  /// Adds all lines of a comment.
  mutating func add(comment text: String) {
    for line in text.beginning(20_000).split(whereSeparator: \.isNewline) {
      lineCount += 1
      guard lineCount <= Self.lineLimit else { return }
      let line = line.trimmed { $0.isWhitespace || "#-=".contains($0) }
      guard !line.isEmpty else { continue }
      lines.append(String(line).metadata)
      findVersion(in: line)
      let parts = line.split(separator: ":", maxSplits: 1)
      if parts.count == 2, Self.names.contains(parts[0].lowercased()) {
        add(parts[0].lowercased(), String(parts[1]))
      } else if heading.isEmpty {
        heading = String(line).metadata
      }
    }
  }

  /// Adds a field, unless its name is unknown, its value is blank, or a field of this name was
  /// added before.
  mutating func add(_ name: String, _ value: String) {
    guard Self.names.contains(name) else { return }
    let value = value.metadata
    guard !value.isEmpty else { return }
    if fields[name] == nil { fields[name] = value }
    findVersion(in: value)
  }

  /// Finds a version as QuranEnc writes it, such as `v1.1.2-csv.1`.
  private mutating func findVersion(in text: some StringProtocol) {
    guard fields["version"] == nil else { return }
    let words = text.split { !($0.isASCII && ($0.isLetter || $0.isNumber) || ".-".contains($0)) }
    let version = words.first {
      $0.hasPrefix("v") && ($0.contains("-csv.") || $0.contains("-xml."))
    }
    if let version { fields["version"] = String(version).metadata }
  }

  /// Returns the metadata of a text with these notes.
  func info(for content: EditionContent) -> Edition.Info {
    let key = fields["translation id"] ?? fields["id"] ?? ""
    let version = fields["version"] ?? fields["last update"] ?? fields["updated_at"]
    let notes = lines.joined(separator: "\n").beginning(Self.scalarLimit)
    if var known = KnownEdition.info(key: key) {
      if let version { known.version = version }
      known.notes = notes
      return known
    }
    let isArabic = content.isArabicText
    let source = fields["url"] ?? fields["source"] ?? ""
    let title = fields["name"] ?? fields["title"] ?? heading
    let language =
      KnownEdition.languageTag(ofKey: key)
      ?? fields["language"].flatMap(KnownEdition.languageTag(named:)) ?? (isArabic ? "ar" : "")
    var info = Edition.Info(
      id: KnownEdition.id(key: key, language: language), language: language,
      direction: content.direction,
      kind: isArabic ? .original : KnownEdition.kind(of: "\(key) \(title)"), title: title,
      translator: fields["translator"] ?? "", source: source, version: version ?? "",
      licence: fields["license"] ?? "", notes: notes)
    let origin = "\(source) \(heading)".lowercased()
    if origin.contains("quranenc.com") {
      info.publisher = "QuranEnc.com"
      info.licence = "QuranEnc"
    } else if origin.contains("tanzil") {
      info.publisher = "Tanzil.net"
      if info.licence.isEmpty { info.licence = "Tanzil" }
    }
    info.isRecognised = !info.publisher.isEmpty && !info.id.isEmpty
    return info
  }
}

extension EditionContent {
  /// Whether the text is the Arabic Quran: its first ayah is the basmala, which is compared without
  /// vowel marks.
  var isArabicText: Bool {
    SHA256.hex(of: Array(text(of: .first).folded.utf8)) == Self.digestOfBasmala
  }

  private static let digestOfBasmala =
    "4221505b325b11ca88a84d2a210011f9c2bec66edbf359787397239679abb3f0"

  /// The writing direction of the text, according to the first letter of its first ayah.
  var direction: TextDirection {
    let letter = text(of: .first).unicodeScalars.first { $0.properties.isAlphabetic }
    switch letter?.value ?? 0 {
    case 0x590...0x8FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFF: return .rightToLeft
    default: return .leftToRight
    }
  }
}

extension String {
  /// The string made safe for display on one line, shortened to 1,000 scalars.
  var metadata: String { beginning(1_000).sanitizedLine.trimmed }

  /// The first `count` scalars.
  fileprivate func beginning(_ count: Int) -> String { String(unicodeScalars.prefix(count)) }
}
