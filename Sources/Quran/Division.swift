/// A division of the Quran into numbered parts.
public enum Division: String, CaseIterable, Sendable {
  /// 30 parts of about equal length.
  case juz
  /// 60 parts, two to a juz.
  case hizb
  /// 240 parts, four to a hizb (rub).
  case hizbQuarter
  /// 7 parts, one for each day of a week.
  case manzil
  /// 556 sections by subject.
  case ruku
  /// 604 pages of the Madinah mushaf.
  case page

  /// The number of parts.
  public var count: Int { starts.count / stride }

  /// Returns the ayahs of a part, or nil if `number` is outside 1…`count`.
  ///
  /// - Parameter number: The one-based number of the part.
  public func ayahs(of number: Int) -> ClosedRange<AyahID>? {
    guard (1...count).contains(number) else { return nil }
    let first = starts[(number - 1) * stride]
    let end = number < count ? starts[number * stride] - 1 : AyahID.count
    return AyahID(uncheckedIndex: first)...AyahID(uncheckedIndex: end)
  }

  /// Returns the one-based number of the part that contains an ayah.
  public func number(of ayah: AyahID) -> Int {
    starts.lastIndex(before: ayah.index + 1) / stride + 1
  }

  /// The number of entries of `starts` for each part.
  private var stride: Int { self == .hizb ? 4 : 1 }

  /// The indices of the first ayahs of the parts.
  private var starts: [Int] {
    switch self {
    case .juz: Tables.juz
    case .hizb, .hizbQuarter: Tables.hizbQuarters
    case .manzil: Tables.manzils
    case .ruku: Tables.rukus
    case .page: Tables.pages
    }
  }
}

extension AyahID {
  /// The number of the juz that contains the ayah, 1…30.
  public var juz: Int { Division.juz.number(of: self) }
  /// The number of the hizb that contains the ayah, 1…60.
  public var hizb: Int { Division.hizb.number(of: self) }
  /// The number of the ruku that contains the ayah, 1…556, counted through the whole Quran.
  public var ruku: Int { Division.ruku.number(of: self) }
  /// The number of the page of the Madinah mushaf that contains the ayah, 1…604.
  public var page: Int { Division.page.number(of: self) }

  /// The kind of prostration that the ayah calls for, or nil if it does not call for one.
  public var sajda: Sajda? { Tables.sajdas.first { $0.index == index }?.kind }
}
