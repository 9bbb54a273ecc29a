import Quran
import Text

/// A run of text on a row.
struct Segment: Equatable {
  let text: String
  /// The zero-based column from the left edge of the page.
  var column: Int
  let role: TextRole
  /// The index of the ayah in the Quran, 1…6236.
  let ayah: Int
  /// The offset of `text` in the ayah's displayed text, in UTF-8 bytes; nil if it is not part of
  /// it.
  let offset: Int?
  /// The index of the segment's edition in the shown editions.
  var editionIndex = 0
  /// The writing direction. Right-to-left text is aligned to the right edge of its columns.
  var direction = TextDirection.leftToRight
}

/// A row of the page.
typealias Row = [Segment]

/// A part of the Quran laid out in rows: one ayah or, in flow layout, a ruku. The name of a surah
/// and its basmala precede its first ayah.
struct Block: Equatable {
  let rows: [Row]
  /// The rows of each ayah of the block; a heading belongs to the first ayah.
  let rowsOfAyah: [ClosedRange<Int>]
  /// The indexes of the ayahs in the Quran.
  let ayahs: ClosedRange<Int>

  func rows(of ayah: Int) -> ClosedRange<Int> {
    rowsOfAyah[min(max(ayah, ayahs.lowerBound), ayahs.upperBound) - ayahs.lowerBound]
  }
}
