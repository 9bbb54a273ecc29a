import Quran

/// How ayahs stand on the page.
public enum PageLayout: String, CaseIterable, Sendable {
  /// Each ayah begins a row, its number in the margin.
  case verse
  /// Ayahs run on as prose, a paragraph for each ruku, their numbers within.
  case flow
}

/// A run of text on a row.
struct Segment: Equatable {
  let text: String
  /// Zero-based, from the left edge of the page.
  let column: Int
  let role: Role
  /// Index of the ayah in the book, 1…6236.
  let ayah: Int
  /// Where `text` begins in the ayah's displayed text, in bytes of UTF-8; nil
  /// for what is not the ayah's own text.
  let offset: Int?
}

/// One row of the page.
struct Row: Equatable {
  var segments: [Segment] = []
}

/// A stretch of the book laid out on rows: one ayah, or in flow layout a ruku;
/// before the first ayah of a surah its name and basmala.
struct Block: Equatable {
  let rows: [Row]
  /// The rows of each ayah of the block; the heading belongs to the first.
  let rowsOfAyah: [ClosedRange<Int>]
  /// Indexes of the ayahs in the book.
  let ayahs: ClosedRange<Int>

  func rows(of ayah: Int) -> ClosedRange<Int> {
    rowsOfAyah[min(max(ayah, ayahs.lowerBound), ayahs.upperBound) - ayahs.lowerBound]
  }
}
