/// A way of dividing the book into parts that are numbered through it.
public enum Division: String, CaseIterable, Sendable {
  /// 30 parts of about equal length.
  case juz
  /// 60 parts, two to a juz.
  case hizb
  /// 240 parts, four to a hizb.
  case hizbQuarter
  /// 7 parts, one for each day of a week.
  case manzil
  /// 556 sections by subject.
  case ruku
  /// 604 pages of the Madinah print.
  case page

  /// How many parts there are.
  public var count: Int { starts.count / stride }

  /// The ayahs of a part.
  ///
  /// - Parameter number: one-based; nil outside 1…`count`.
  public func ayahs(of number: Int) -> ClosedRange<AyahID>? {
    guard (1...count).contains(number) else { return nil }
    let first = starts[(number - 1) * stride]
    let end = number < count ? starts[number * stride] - 1 : AyahID.count
    return AyahID(uncheckedIndex: first)...AyahID(uncheckedIndex: end)
  }

  /// The number of the part that holds an ayah, one-based.
  public func number(of ayah: AyahID) -> Int {
    starts.lastIndex(before: ayah.index + 1) / stride + 1
  }

  private var stride: Int { self == .hizb ? 4 : 1 }

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
  /// 1…30
  public var juz: Int { Division.juz.number(of: self) }
  /// 1…60
  public var hizb: Int { Division.hizb.number(of: self) }
  /// 1…240
  public var hizbQuarter: Int { Division.hizbQuarter.number(of: self) }
  /// 1…7
  public var manzil: Int { Division.manzil.number(of: self) }
  /// 1…556, counted through the book.
  public var ruku: Int { Division.ruku.number(of: self) }
  /// Page of the Madinah print, 1…604.
  public var page: Int { Division.page.number(of: self) }

  /// The prostration that this ayah calls for, if it does.
  public var sajda: Sajda? { Tables.sajdas.first { $0.index == index }?.kind }

  /// The 15 ayahs that call for prostration, in order.
  public static var sajdas: [AyahID] { Tables.sajdas.map { AyahID(uncheckedIndex: $0.index) } }
}
