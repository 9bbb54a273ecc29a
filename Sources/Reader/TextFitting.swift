import Quran
import Text

// Strings fitted into columns.
enum Alignment { case left, right }

extension String {
  /// The string cut to a number of columns, with an ellipsis if it was longer.
  func fitted(to width: Int) -> String {
    var taken = 0
    // The last place at which the ellipsis still fits.
    var cut = startIndex
    for index in indices {
      taken += self[index].columns
      if taken > width { return width > 0 ? self[..<cut] + "…" : "" }
      if taken < width { cut = self.index(after: index) }
    }
    return self
  }

  /// The UTF-8 offsets of a part of the string.
  func utf8Offsets(of range: Range<Index>) -> Range<Int> {
    let start = utf8.distance(from: startIndex, to: range.lowerBound)
    return start..<start + utf8.distance(from: range.lowerBound, to: range.upperBound)
  }

  /// The string padded with spaces to a number of columns.
  func padded(to width: Int, alignment: Alignment = .left) -> String {
    let fill = String(repeating: " ", count: max(width - columns, 0))
    return alignment == .left ? self + fill : fill + self
  }
}

extension Model {
  func wrapped(_ text: String, width: Int) -> [String] {
    var builder = RowBuilder(margin: 0, measure: max(width, 1))
    builder.put(text, ayah: 0)
    return builder.finish().map { $0.map(\.text).joined(separator: " ") }
  }
}
