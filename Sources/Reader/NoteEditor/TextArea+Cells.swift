import Text

extension TextArea {
  /// A grapheme cluster as it is shown.
  struct Cell {
    /// The length in UTF-8 bytes.
    var length: Int
    /// The number of columns.
    var columns: Int
    /// Whether it is shown as a space; a row may end after it.
    var isBlank: Bool
  }

  /// The grapheme clusters of a line.
  struct Cells {
    let text: String
    /// The width of a row in columns.
    let width: Int

    var end: Int { text.utf8.count }

    /// Returns the cluster that begins at an offset.
    func cell(at offset: Int) -> Cell {
      let cluster = character(at: offset)
      let isBlank: Bool
      let columns: Int
      if cluster.mayBeChanged {
        let shown = String(cluster).sanitizedLine
        isBlank = shown == " "
        columns = shown.columns
      } else {
        isBlank = cluster == " "
        columns = cluster.columns
      }
      return Cell(
        length: cluster.utf8.count, columns: columns > width ? 1 : columns, isBlank: isBlank)
    }

    /// Returns how the cluster that begins at an offset is shown, and whether that differs from the
    /// cluster itself.
    func shown(at offset: Int) -> (text: String, isChanged: Bool) {
      let cluster = character(at: offset)
      let text = cluster.mayBeChanged ? String(cluster).sanitizedLine : String(cluster)
      if text.columns > width { return ("…", true) }
      return (text, text != String(cluster))
    }

    private func character(at offset: Int) -> Character {
      text[text.utf8.index(text.startIndex, offsetBy: offset)]
    }

    /// Returns the clusters of a range with their offsets.
    func sequence(_ range: Range<Int>) -> some Sequence<(offset: Int, cell: Cell)> {
      Swift.sequence(state: range.lowerBound) { offset in
        guard offset < range.upperBound else { return nil }
        let cell = cell(at: offset)
        defer { offset += cell.length }
        return (offset, cell)
      }
    }
  }
}

extension Character {
  /// Whether the cluster may be shown differently: it begins with a control character, a format
  /// character or a line separator, or with a mark that has no base.
  fileprivate var mayBeChanged: Bool {
    switch unicodeScalars.first?.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .nonspacingMark, .enclosingMark,
      .spacingMark:
      true
    default: false
    }
  }
}
