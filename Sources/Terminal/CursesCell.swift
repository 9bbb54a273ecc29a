import CCurses
import Text

/// A grapheme cluster converted to ncurses cells. An ncurses cell holds one spacing character and
/// its combining marks, at most five code points (`CCHARW_MAX`); further marks are not shown.
///
/// ncurses itself silently drops what does not fit, and draws nothing for characters whose width it
/// does not know. Such characters are replaced here by U+FFFD.
struct CursesCell: Hashable {
  /// The code points of each cell. A wide character is one cell for both of its columns.
  let characters: [[wchar_t]]

  /// The maximum number of code points in a cell (`CCHARW_MAX`).
  static let limit = 5
  private static let blank = wchar_t(0x20)
  private static let leftToRightMark = wchar_t(0x200E)
  /// U+FFFD, shown in place of a character that ncurses cannot draw.
  private static let substitute = wchar_t(0xFFFD)

  /// - Parameters:
  ///   - cluster: The grapheme cluster to convert.
  ///   - columns: The number of columns of the cluster on the canvas, 1 or 2.
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
        // There is no room for a second emoji joined to the first.
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

  /// Returns the ncurses cells of a row of a canvas. After right-to-left text that the terminal
  /// reorders, a left-to-right mark is added to the last cell of the text or, if that cell is full,
  /// to the next one with room for it.
  static func row(_ cells: ArraySlice<Cell>) -> [(characters: [wchar_t], style: Style)] {
    var row: [(characters: [wchar_t], style: Style)] = []
    row.reserveCapacity(cells.count)
    var isMarkDue = false
    for index in cells.indices {
      let cell = cells[index]
      guard let cluster = cell.cluster else { continue }
      let isWide = cells.indices.contains(index + 1) && cells[index + 1].cluster == nil
      isMarkDue = isMarkDue || cell.endsRightToLeft
      for var characters in CursesCell(cluster, columns: isWide ? 2 : 1).characters {
        if isMarkDue, characters.count < limit {
          characters.append(leftToRightMark)
          isMarkDue = false
        }
        row.append((characters, cell.style))
      }
    }
    return row
  }
}

extension Unicode.Scalar {
  /// Whether the scalar is not drawn itself, but only controls how its neighbours are joined or
  /// displayed, such as joiners, directional marks, variation selectors and tags.
  fileprivate var isInvisible: Bool {
    switch value {
    case 0x200B...0x200F, 0x2060...0x2064, 0xFE00...0xFE0F, 0xE0000...0xE01EF: true
    default: false
    }
  }
}

extension Character {
  /// Whether every terminal draws the character one column wide: Latin, Greek, Cyrillic and Arabic
  /// letters with their marks, also in their joined forms, punctuation, arrows, box drawing and
  /// blocks.
  ///
  /// Terminals disagree about the marks and conjuncts of Indic scripts, about Arabic number signs
  /// (U+0600…U+0605, U+06DD) and about symbols that are also emoji.
  var hasCertainWidth: Bool {
    if utf8.count == 1 { return true }
    return columns == 1
      && unicodeScalars.allSatisfy {
        switch $0.value {
        case 0...0x52F, 0x606...0x6DC, 0x6DE...0x6FF, 0x750...0x77F, 0x8A0...0x8E1, 0x8E3...0x8FF,
          0x1E00...0x1EFF, 0x2010...0x2027, 0x2190...0x21FF, 0x2500...0x25BF, 0xFB50...0xFDCF,
          0xFE70...0xFEFC:
          true
        default: false
        }
      }
  }
}
