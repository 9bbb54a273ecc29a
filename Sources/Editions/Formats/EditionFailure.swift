public import Quran

/// The reason why a file is not an edition that can be installed.
public enum EditionFailure: Error, Hashable, Sendable {
  /// The content is not in a supported format.
  case unknownFormat
  /// The file is larger than `limit` bytes.
  case tooLarge(limit: Int)
  /// The decompressed content is larger than `limit` bytes.
  case tooLargeUnpacked(limit: Int)
  /// The gzip file, or the entry of a zip file, is damaged.
  case damagedArchive
  /// The zip file is encrypted, is split, uses zip64 or an unsupported compression method, or has
  /// more than `ZipArchive.entryLimit` entries.
  case unsupportedArchive
  /// The first invalid UTF-8 sequence is at a zero-based offset in bytes, in a one-based line.
  case notUTF8(offset: Int, line: Int)
  /// The content does not conform to its format in a one-based line.
  case malformed(EditionFormat, line: Int)
  /// The JSON is malformed, or a value is missing or has a wrong type.
  ///
  /// - Parameter path: The place of the value, such as `quran.12.text`; empty if it is unknown.
  case invalidJSON(path: String)
  /// Arrays, objects or elements are nested more than `limit` levels deep.
  case tooDeep(limit: Int)
  /// The JSON has more than `limit` values, or the file has more than `JSONLimits.documents` JSON
  /// documents.
  case tooManyValues(limit: Int)
  /// The file has more than `limit` ayahs.
  case tooManyAyahs(limit: Int)
  /// The text or the footnotes of an ayah contain a control character other than a line break or a
  /// tab.
  case controlCharacter(AyahID, Unicode.Scalar)
  /// The text or the footnotes of an ayah are longer than `limit` bytes.
  case ayahTooLong(AyahID, limit: Int)
  /// The text does not consist of exactly the expected ayahs: all 6,236, or the ayahs of one surah
  /// in a response of QuranEnc.
  case faults(EditionFaults)
}

/// The ayahs that a text lacks or has in excess. The lists are complete and in the order of the
/// Quran.
public struct EditionFaults: Hashable, Sendable {
  /// The ayahs without a text.
  public var missing: [AyahID] = []
  /// The ayahs that the text should not have: those with a number that does not exist in the Quran
  /// and, in a response for one surah, those of other surahs.
  public var extra: [ExtraAyah] = []
  /// The ayahs that occur more than once.
  public var repeated: [AyahID] = []
  /// The ayahs whose text is empty or consists of white space.
  public var empty: [AyahID] = []

  /// The number of an ayah that a text should not have. The Quran may not have an ayah of this
  /// number.
  public struct ExtraAyah: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let surah: Int
    public let ayah: Int

    public init(surah: Int, ayah: Int) {
      self.surah = surah
      self.ayah = ayah
    }

    public var description: String { "\(surah):\(ayah)" }

    public static func < (a: Self, b: Self) -> Bool { (a.surah, a.ayah) < (b.surah, b.ayah) }
  }

  public init(
    missing: [AyahID] = [], extra: [ExtraAyah] = [], repeated: [AyahID] = [], empty: [AyahID] = []
  ) {
    self.missing = missing
    self.extra = extra
    self.repeated = repeated
    self.empty = empty
  }

  /// Whether there are no faults.
  public var isEmpty: Bool {
    missing.isEmpty && extra.isEmpty && repeated.isEmpty && empty.isEmpty
  }
}
