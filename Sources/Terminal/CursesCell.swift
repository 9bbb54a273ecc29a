import CCurses
import Text

/// The characters of a cluster as cells of ncurses hold them: one that takes columns, and marks,
/// five code points in all (`CCHARW_MAX`). What is beyond that is not shown.
///
/// ncurses drops by itself, and without a word, whatever does not fit; and it draws nothing of
/// characters whose width it does not know.
struct CursesCell: Hashable {
  /// For each column one cell, or one for both columns of a wide character.
  let characters: [[wchar_t]]

  private static let limit = 5
  private static let blank = wchar_t(0x20)
  /// U+FFFD, for what cannot be shown.
  private static let substitute = wchar_t(0xFFFD)

  /// - Parameter columns: that the cluster takes on the canvas, 1 or 2.
  init(_ cluster: Character, columns: Int) {
    if cluster.utf8.count == 1, let byte = cluster.asciiValue {
      characters = [[wchar_t(byte)]]
      return
    }
    var cells: [[wchar_t]] = []
    var taken = 0
    for scalar in cluster.unicodeScalars {
      let character = wchar_t(scalar.value)
      let width = Int(curses_width(character))
      if width > 0 || cells.isEmpty {
        // A second picture that is joined to the first has no room.
        guard taken < columns else { break }
        let isKnown = width > 0 && taken + width <= columns
        cells.append([isKnown ? character : Self.substitute])
        taken += isKnown ? width : 1
      } else if width == 0, !scalar.isInvisible, let last = cells.indices.last,
        cells[last].count < Self.limit
      {
        cells[last].append(character)
      }
    }
    while taken < columns {
      cells.append([Self.blank])
      taken += 1
    }
    characters = cells
  }
}

extension Unicode.Scalar {
  /// Whether it only says how its neighbours are joined or shown: ZWJ, ZWNJ, variation selectors.
  fileprivate var isInvisible: Bool {
    switch value {
    case 0x200B...0x200F, 0x2060...0x2064, 0xFE00...0xFE0F, 0xE0000...0xE01EF: true
    default: false
    }
  }
}

extension Character {
  /// Whether every terminal draws it one column wide: Latin, Arabic and their
  /// neighbours with their marks, punctuation, arrows, lines and blocks.
  var hasCertainWidth: Bool {
    if utf8.count == 1 { return true }
    return columns == 1
      && unicodeScalars.allSatisfy {
        switch $0.value {
        case 0...0x10FF, 0x1E00...0x1EFF, 0x2010...0x2027, 0x2190...0x21FF, 0x2500...0x25BF: true
        default: false
        }
      }
  }
}
