/// The identifier of an ayah: the number of its surah and its number in the surah. Printed as
/// `2:255`.
///
/// IDs are ordered as in the Quran, and their arithmetic crosses surahs:
///
///     let last = AyahID(surah: 1, ayah: 7)!
///     last.next            // 2:1
///     last.index           // 7
///     AyahID(index: 6236)  // 114:6
public struct AyahID: Hashable, Sendable {
  public let surah: SurahNumber
  /// The one-based number of the ayah in its surah.
  public let ayah: Int

  /// Returns nil if the Quran does not have such an ayah.
  public init?(surah: Int, ayah: Int) {
    guard let surah = SurahNumber(surah), (1...surah.ayahCount).contains(ayah) else { return nil }
    self.init(unchecked: surah, ayah)
  }

  /// Creates the ID of the ayah at a position in the whole Quran. Returns nil if the position is
  /// outside 1…6236.
  ///
  /// - Parameter index: The one-based position.
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

  /// The number of ayahs of the Quran (Kufan count): 6236.
  public static let count = 6236
  public static let first = AyahID(unchecked: .first, 1)
  public static let last = AyahID(unchecked: .last, 6)

  /// The one-based position in the whole Quran, 1…6236.
  public var index: Int { Tables.ayahsBefore[surah.rawValue - 1] + ayah }

  /// The next ayah, or nil for the last one of the Quran.
  public var next: AyahID? { AyahID(index: index + 1) }
  /// The previous ayah, or nil for the first one of the Quran.
  public var previous: AyahID? { AyahID(index: index - 1) }
}

extension AyahID: Strideable {
  public static func < (a: AyahID, b: AyahID) -> Bool {
    (a.surah, a.ayah) < (b.surah, b.ayah)
  }

  /// Returns the difference of the positions in the whole Quran.
  public func distance(to other: AyahID) -> Int { other.index - index }

  /// Returns the ayah `n` positions after this one, clamped to the first and the last ayah of the
  /// Quran.
  public func advanced(by n: Int) -> AyahID {
    let (sum, overflow) = index.addingReportingOverflow(n)
    let target = overflow ? (n < 0 ? 1 : Self.count) : min(max(sum, 1), Self.count)
    return AyahID(uncheckedIndex: target)
  }
}

extension AyahID: LosslessStringConvertible {
  public var description: String { "\(surah):\(ayah)" }

  /// Parses the exact format of `description`: two decimal numbers without leading zeros, separated
  /// by a colon.
  public init?(_ description: String) {
    let parts = description.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, let surah = Int(parts[0]), let ayah = Int(parts[1]),
      let id = AyahID(surah: surah, ayah: ayah), id.description == description
    else { return nil }
    self = id
  }
}

extension [Int] {
  /// Returns the last index whose element is less than `value`. The array must be sorted in
  /// ascending order, and its first element must be less than `value`.
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
