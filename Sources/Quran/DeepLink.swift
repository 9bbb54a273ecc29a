/// A link to an ayah that other programs can open: `quranvn://surah/2/ayah/255`, or
/// `quranvn://surah/2` for the first ayah of the surah.
public struct DeepLink: Hashable, Sendable, CustomStringConvertible {
  /// The ayah that the link refers to.
  public let ayah: AyahID

  /// The reason why a link is invalid.
  public enum Failure: Error, Hashable, Sendable {
    /// The link does not have the form `quranvn://surah/N[/ayah/N]`.
    case malformed(String)
    /// The number of the surah is outside 1…114.
    case noSuchSurah(Int)
  }

  /// The URL scheme of the links.
  public static let scheme = "quranvn"

  /// Creates a link to an ayah.
  public init(_ ayah: AyahID) {
    self.ayah = ayah
  }

  /// Parses a link. The scheme is case-insensitive, and a slash may follow the number of the ayah.
  /// If the surah does not have the ayah, the nearest one is used.
  ///
  /// - Throws: `Failure` if the link is malformed or the surah does not exist.
  public init(parsing link: String) throws(Failure) {
    let parts = link.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 4 || parts.count == 6 || parts.count == 7,
      parts[0].lowercased() == Self.scheme + ":", parts[1].isEmpty, parts[2] == "surah",
      parts.count < 6 || parts[4] == "ayah",
      parts.count < 7 || parts[6].isEmpty,
      let number = Self.number(parts[3])
    else { throw .malformed(link) }
    var ayah = 1
    if parts.count >= 6 {
      guard let given = Self.number(parts[5]) else { throw .malformed(link) }
      ayah = given
    }
    guard let surah = SurahNumber(number) else { throw .noSuchSurah(number) }
    self.ayah = surah.ayah(clamping: ayah)
  }

  /// Parses a signed decimal number. A number that overflows `Int` becomes 1,000,000 or −1,000,000.
  private static func number(_ digits: Substring) -> Int? {
    let unsigned = digits.first == "-" ? digits.dropFirst() : digits
    guard !unsigned.isEmpty,
      unsigned.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else { return nil }
    return Int(digits) ?? (digits.first == "-" ? -1_000_000 : 1_000_000)
  }

  public var description: String { "\(Self.scheme)://surah/\(ayah.surah)/ayah/\(ayah.ayah)" }
}
