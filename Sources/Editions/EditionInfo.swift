public import Text

extension Edition {
  /// The metadata of an edition.
  public struct Info: Sendable, Hashable, Codable {
    /// The identifier in commands, settings and file names, such as `vi.quranvi`; never changes.
    public var id: String
    /// The BCP 47 language tag; empty if it is unknown.
    public var language: String
    public var direction: TextDirection
    public var kind: Kind
    public var title: String
    /// Whether the user gave the title. Nil means no; installed files of earlier versions do not
    /// have the value.
    public var isTitleGiven: Bool?
    public var translator: String
    /// The publisher to be credited; empty if it is unknown.
    public var publisher: String
    /// The source of the text: a URL or a name.
    public var source: String
    public var version: String
    /// An SPDX identifier, or the name of a publisher whose terms apply (`QuranEnc`, `Tanzil`);
    /// empty if the terms are unknown.
    public var licence: String
    /// What the source says about itself: the comments of a file, or QuranEnc's description. Lines
    /// without control characters, separated by line feeds; empty if it says nothing.
    public var notes: String
    /// Whether the text is a recognised publication. The bundled text is not, and the user
    /// interface says so wherever it shows the title.
    public var isRecognised: Bool
    /// The time of the installation in milliseconds since 1970, UTC; nil for the bundled edition.
    public var installedAt: Int64?
    /// The SHA-256 of the file from which the edition was installed, or of all downloaded
    /// responses, in hexadecimal digits; empty for the bundled edition.
    public var sourceChecksum: String

    public init(
      id: String, language: String, direction: TextDirection, kind: Kind = .translation,
      title: String,
      translator: String = "", publisher: String = "", source: String = "", version: String = "",
      licence: String = "", notes: String = "", isRecognised: Bool = false,
      installedAt: Int64? = nil, sourceChecksum: String = ""
    ) {
      self.id = id
      self.language = language
      self.direction = direction
      self.kind = kind
      self.title = title
      self.translator = translator
      self.publisher = publisher
      self.source = source
      self.version = version
      self.licence = licence
      self.notes = notes
      self.isRecognised = isRecognised
      self.installedAt = installedAt
      self.sourceChecksum = sourceChecksum
    }

    /// Whether this is the edition that is compiled into the program.
    public var isBundled: Bool { id == Edition.bundledID }

    /// Whether this is the Arabic text in the reading of Ḥafṣ.
    public var isHafs: Bool { id == KnownEdition.arabicID }

    /// Whether an ID can be the name of a file: 1 to 64 lower-case ASCII letters, digits, `.`, `_`
    /// and `-`, the first a letter or a digit.
    public static func isValid(id: String) -> Bool {
      func isAlphanumeric(_ byte: UInt8) -> Bool {
        byte.isDecimalDigit || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
      }
      guard (1...64).contains(id.utf8.count), let first = id.utf8.first else { return false }
      return isAlphanumeric(first)
        && id.utf8.allSatisfy { isAlphanumeric($0) || "._-".utf8.contains($0) }
    }
  }

  /// The kind of a text.
  public enum Kind: String, Sendable, Codable {
    case translation
    /// The Arabic text.
    case original
    /// A commentary on each ayah (tafsir).
    case commentary
    /// The Arabic text written in the letters of another script.
    case transliteration
  }

  static let bundledID = "vi.quranvi"
}
