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
  ///
  /// Nearly all clusters are one letter of one or two columns, possibly with marks. These are
  /// recognised by their bytes, so that even a line of a megabyte can be wrapped at each key.
  struct Cells {
    fileprivate let text: String
    fileprivate let bytes: UnsafeBufferPointer<UInt8>
    fileprivate let width: Int

    var end: Int { bytes.count }

    /// Returns the cluster that begins at an offset.
    func cell(at offset: Int) -> Cell {
      let first = bytes[offset]
      if first < 0x20 || first == 0x7F {
        let isTab = first == 0x09
        return Cell(length: 1, columns: isTab ? 1 : 0, isBlank: isTab)
      }
      let (length, columns) = letter(at: offset)
      guard length > 0 else { return anyCell(at: offset) }
      var next = offset + length
      while next < bytes.count, isMark(at: next) { next += 2 }
      // The scalar that follows may still belong to the cluster.
      guard next == bytes.count || bytes[next] < 0x80 || letter(at: next).length > 0 else {
        return anyCell(at: offset)
      }
      return Cell(
        length: next - offset, columns: columns > width ? 1 : columns,
        isBlank: first == 0x20 && next == offset + 1)
    }

    private func anyCell(at offset: Int) -> Cell {
      let cluster = character(at: offset)
      let length = cluster.utf8.count
      let isBlank: Bool
      let columns: Int
      if cluster.mayBeChanged {
        let shown = String(cluster).sanitizedLine
        isBlank = shown == " "
        columns = shown.columns
      } else {
        isBlank = length == 1 && bytes[offset] == 0x20
        columns = cluster.columns
      }
      return Cell(length: length, columns: columns > width ? 1 : columns, isBlank: isBlank)
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

    /// Returns the length in bytes and the columns of a scalar that always begins a cluster if its
    /// neighbours are ASCII, other such scalars or combining marks (UAX #29); a length of 0 for any
    /// other scalar.
    ///
    /// The string is valid UTF-8, so that all bytes of the scalar exist.
    @inline(__always)
    private func letter(at offset: Int) -> (length: Int, columns: Int) {
      let isLetter: Bool
      switch bytes[offset] {
      case 0x20...0x7E: return (1, 1)
      // U+00A1…U+02FF except the soft hyphen
      case 0xC2: isLetter = bytes[offset + 1] > 0xA0 && bytes[offset + 1] != 0xAD
      case 0xC3...0xCB: return (2, 1)
      // Arabic: U+0620…U+064A, U+0660…U+06D5 except U+0670
      case 0xD8: isLetter = bytes[offset + 1] >= 0xA0
      case 0xD9: isLetter = !(0x8B...0x9F).contains(bytes[offset + 1]) && bytes[offset + 1] != 0xB0
      case 0xDA: return (2, 1)
      case 0xDB: isLetter = bytes[offset + 1] <= 0x95
      default: return wideLetter(at: offset)
      }
      return isLetter ? (2, 1) : (0, 0)
    }

    /// Returns the result of `letter(at:)` for a scalar of three bytes.
    @inline(__always)
    private func wideLetter(at offset: Int) -> (length: Int, columns: Int) {
      let isLetter: Bool
      switch bytes[offset] {
      // U+1E00…U+1EFF
      case 0xE1: return (0xB8...0xBB).contains(bytes[offset + 1]) ? (3, 1) : (0, 0)
      // U+2010…U+2027
      case 0xE2:
        let isLetter = bytes[offset + 1] == 0x80 && (0x90...0xA7).contains(bytes[offset + 2])
        return isLetter ? (3, 1) : (0, 0)
      // U+3000…U+3029, U+3041…U+3096, U+30A0…U+30FF: punctuation and kana
      case 0xE3:
        switch (bytes[offset + 1], bytes[offset + 2]) {
        case (0x80, 0x80...0xA9), (0x81, 0x81...), (0x82, 0x80...0x96), (0x82, 0xA0...), (0x83, _):
          isLetter = true
        default: isLetter = false
        }
      // U+4000…U+9FFF: ideographs; U+AC00…U+D77F: syllables of Hangul
      case 0xE4...0xE9, 0xEB...0xEC: isLetter = true
      case 0xEA: isLetter = bytes[offset + 1] >= 0xB0
      case 0xED: isLetter = bytes[offset + 1] < 0x9E
      // U+FF01…U+FF3F
      case 0xEF: isLetter = bytes[offset + 1] == 0xBC && bytes[offset + 2] > 0x80
      default: isLetter = false
      }
      return isLetter ? (3, 2) : (0, 0)
    }

    /// Whether a combining mark of two bytes, Latin or Arabic, begins at an offset. Such a mark has
    /// no width.
    @inline(__always)
    private func isMark(at offset: Int) -> Bool {
      switch bytes[offset] {
      // U+0300…U+036F
      case 0xCC: true
      case 0xCD: bytes[offset + 1] <= 0xAF
      // U+064B…U+065F, U+0670
      case 0xD9: (0x8B...0x9F).contains(bytes[offset + 1]) || bytes[offset + 1] == 0xB0
      // U+06D6…U+06DC, U+06DF…U+06E4, U+06E7, U+06E8, U+06EA…U+06ED
      case 0xDB:
        switch bytes[offset + 1] {
        case 0x96...0x9C, 0x9F...0xA4, 0xA7...0xA8, 0xAA...0xAD: true
        default: false
        }
      default: false
      }
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

extension String {
  /// Calls a function with the clusters of this line, which are valid only during the call.
  func withCells<Result>(width: Int, _ body: (TextArea.Cells) -> Result) -> Result {
    var text = self
    return text.withUTF8 { body(TextArea.Cells(text: self, bytes: $0, width: width)) }
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
