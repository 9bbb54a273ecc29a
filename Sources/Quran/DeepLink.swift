/// An address of a place in the book that other programs can open:
/// `quranvn://surah/2/ayah/255`, or `quranvn://surah/2` for its first ayah.
public struct DeepLink: Hashable, Sendable, CustomStringConvertible {
  public let ayah: AyahID

  /// Every way in which a link can be refused.
  public enum Failure: Error, Hashable, Sendable {
    /// Not of the form `quranvn://surah/N[/ayah/N]`.
    case malformed(String)
    /// The surah is outside 1…114.
    case noSuchSurah(Int)
  }

  public static let scheme = "quranvn"

  public init(_ ayah: AyahID) {
    self.ayah = ayah
  }

  /// Reads a link. The scheme may be in any letter case; an ayah that its
  /// surah does not have becomes the nearest one.
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

  /// A decimal number, held at a million where it is longer than that.
  private static func number(_ digits: Substring) -> Int? {
    let unsigned = digits.first == "-" ? digits.dropFirst() : digits
    guard !unsigned.isEmpty,
      unsigned.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else { return nil }
    return Int(digits) ?? (digits.first == "-" ? -1_000_000 : 1_000_000)
  }

  public var description: String { "\(Self.scheme)://surah/\(ayah.surah)/ayah/\(ayah.ayah)" }
}
