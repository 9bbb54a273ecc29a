/// One ayah of the Quran, printed as `2:255`.
///
/// Ayahs are ordered as in the book, and arithmetic crosses surahs:
///
///     let last = AyahID(surah: 1, ayah: 7)!
///     last.next            // 2:1
///     last.index           // 7
///     AyahID(index: 6236)  // 114:6
public struct AyahID: Hashable, Sendable {
  public let surah: SurahNumber
  /// One-based within its surah.
  public let ayah: Int

  /// Nil when the book has no such ayah.
  public init?(surah: Int, ayah: Int) {
    guard let surah = SurahNumber(surah), (1...surah.ayahCount).contains(ayah) else { return nil }
    self.init(unchecked: surah, ayah)
  }

  /// The ayah at a place counted through the whole book.
  ///
  /// - Parameter index: one-based; nil outside 1…6236.
  public init?(index: Int) {
    guard (1...Self.count).contains(index) else { return nil }
    self.init(uncheckedIndex: index)
  }

  init(unchecked surah: SurahNumber, _ ayah: Int) {
    self.surah = surah
    self.ayah = ayah
  }

  init(uncheckedIndex index: Int) {
    let surah = Tables.ayahsBefore.lastIndex(before: index)
    self.init(unchecked: SurahNumber(unchecked: surah + 1), index - Tables.ayahsBefore[surah])
  }

  /// How many ayahs the book has (Kufan count): 6236.
  public static let count = 6236
  public static let first = AyahID(unchecked: .first, 1)
  public static let last = AyahID(unchecked: .last, 6)

  /// Place in the whole book, 1…6236.
  public var index: Int { Tables.ayahsBefore[surah.rawValue - 1] + ayah }

  public var next: AyahID? { AyahID(index: index + 1) }
  public var previous: AyahID? { AyahID(index: index - 1) }
}

extension AyahID: Strideable {
  public static func < (a: AyahID, b: AyahID) -> Bool {
    (a.surah, a.ayah) < (b.surah, b.ayah)
  }

  /// How many ayahs lie between, across surahs.
  public func distance(to other: AyahID) -> Int { other.index - index }

  /// The ayah `n` places on, held at the first and the last of the book.
  public func advanced(by n: Int) -> AyahID {
    let (sum, overflow) = index.addingReportingOverflow(n)
    let target = overflow ? (n < 0 ? 1 : Self.count) : min(max(sum, 1), Self.count)
    return AyahID(uncheckedIndex: target)
  }
}

extension AyahID: LosslessStringConvertible {
  public var description: String { "\(surah):\(ayah)" }

  /// Reads exactly what `description` prints: two plain decimal numbers and a colon.
  public init?(_ description: String) {
    let parts = description.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, let surah = Int(parts[0]), let ayah = Int(parts[1]),
      let id = AyahID(surah: surah, ayah: ayah), id.description == description
    else { return nil }
    self = id
  }
}

extension [Int] {
  /// The last position whose value is below `value`, in an ascending array
  /// whose first value is.
  func lastIndex(before value: Int) -> Int {
    var low = 0
    var high = count
    while high - low > 1 {
      let middle = (low + high) / 2
      if self[middle] < value { low = middle } else { high = middle }
    }
    return low
  }
}
