extension String {
  /// This text made harmless for a terminal or a pipe.
  ///
  /// Control characters (C0, DEL, C1) are gone, except the line feed; a tab is a
  /// space, and every other line break (CR LF, CR, NEL, U+2028, U+2029) a line
  /// feed. Bidirectional controls stay only inside balanced isolates (UAX #9),
  /// where they cannot reach what stands around them. A mark with nothing to
  /// stand on gets a dotted circle, so that it is seen. All else is unchanged.
  public var displayable: String {
    if isPlain { return self }
    let scalars = Array(unicodeScalars)
    let keep = Self.balancedBidiControls(in: scalars)
    var result = String.UnicodeScalarView()
    for (index, scalar) in scalars.enumerated() {
      switch scalar.value {
      case 0x0A, 0x85, 0x2028, 0x2029:
        result.append("\n")
      case 0x0D:
        if index + 1 < scalars.count, scalars[index + 1] == "\n" { continue }
        result.append("\n")
      case 0x09:
        result.append(" ")
      case 0...0x1F, 0x7F...0x9F:
        continue
      case _ where scalar.isBidiControl:
        if keep.contains(index) { result.append(scalar) }
      default:
        result.append(scalar)
      }
    }
    return String(result).withCirclesUnderLoneMarks
  }

  /// `displayable` on a single line: line feeds become spaces.
  public var displayableLine: String {
    let text = displayable
    return text.utf8.contains(0x0A)
      ? String(text.map { $0 == "\n" ? " " : $0 }) : text
  }

  /// Only what begins a grapheme cluster can lack a base: a mark at the start of
  /// the text, or after a line feed or a character that takes no marks.
  private var withCirclesUnderLoneMarks: String {
    func isLoneMark(_ cluster: Character) -> Bool { cluster.unicodeScalars.first?.isMark ?? false }
    guard contains(where: isLoneMark) else { return self }
    var result = ""
    for cluster in self {
      if isLoneMark(cluster) { result.unicodeScalars.append("\u{25CC}") }
      result.append(cluster)
    }
    return result
  }

  /// Whether there is nothing to do, as in nearly every text.
  private var isPlain: Bool {
    var text = self
    return text.withUTF8 { plainScalarCount($0, allowsLineFeeds: true) != nil }
  }

  /// Positions of bidirectional controls that stand inside an isolate which is
  /// closed on its own line, the isolate's own two included.
  private static func balancedBidiControls(in scalars: [Unicode.Scalar]) -> Set<Int> {
    var kept: Set<Int> = []
    var open: [Int] = []
    var inside: [Int] = []
    for (index, scalar) in scalars.enumerated() {
      switch scalar.value {
      case 0x0A, 0x0D, 0x85, 0x2028, 0x2029:
        open = []
        inside = []
      case 0x2066...0x2068:
        open.append(index)
      case 0x2069:
        guard let start = open.popLast() else { continue }
        kept.insert(start)
        kept.insert(index)
        while let last = inside.last, last > start {
          kept.insert(last)
          inside.removeLast()
        }
      case _ where scalar.isBidiControl:
        if !open.isEmpty { inside.append(index) }
      default:
        continue
      }
    }
    return kept
  }
}

extension Unicode.Scalar {
  /// Property Bidi_Control (UAX #9).
  var isBidiControl: Bool {
    switch value {
    case 0x61C, 0x200E...0x200F, 0x202A...0x202E, 0x2066...0x2069: true
    default: false
    }
  }

  var isMark: Bool {
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .spacingMark: true
    default: false
    }
  }
}
