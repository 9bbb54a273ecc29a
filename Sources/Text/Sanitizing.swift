extension String {
  /// The string made safe for output to a terminal or a pipe.
  ///
  /// Control characters (C0, DEL, C1) are removed, except for line feeds. A tab becomes a space,
  /// and every other line break (CR LF, CR, NEL, U+2028, U+2029) becomes a line feed. Bidirectional
  /// controls are removed unless they are inside balanced isolates (UAX #9), where they cannot
  /// affect the surrounding text. A combining mark without a base gets a dotted circle (U+25CC) as
  /// its base, so that it is visible. Of more than 30 combining marks, joiners or modifiers in a
  /// row, which no writing has, only the first 30 are kept (UAX #15, 13, Stream-Safe Text Format).
  /// All other characters are unchanged.
  public var sanitizedForTerminal: String {
    if isPlain { return self }
    let scalars = Array(unicodeScalars)
    let keep = Self.balancedBidiControls(in: scalars)
    var result = String.UnicodeScalarView()
    var marks = 0
    for (index, scalar) in scalars.enumerated() {
      marks = scalar.extendsCluster ? marks + 1 : 0
      guard marks <= Self.markLimit else { continue }
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

  /// The maximum number of combining marks, joiners and modifiers in a row.
  private static let markLimit = 30

  /// The string made safe for output as by `sanitizedForTerminal`, and on a single line: line feeds
  /// become spaces.
  public var sanitizedLine: String {
    let text = sanitizedForTerminal
    return text.utf8.contains(0x0A)
      ? String(text.map { $0 == "\n" ? " " : $0 }) : text
  }

  /// The string with a dotted circle before each combining mark that has no base. Such a mark
  /// begins a grapheme cluster: it is at the start of the string, or follows a line feed or another
  /// character that marks do not combine with.
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

  /// Whether `sanitizedForTerminal` has nothing to change. A fast check that is true for most
  /// strings.
  private var isPlain: Bool {
    var text = self
    return text.withUTF8 { plainScalarCount($0, allowsLineFeeds: true) != nil }
  }

  /// The indices of the bidirectional controls that are inside an isolate closed on its own line,
  /// and of the two controls that delimit the isolate.
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
  /// Whether the scalar has the property Bidi_Control (UAX #9).
  var isBidiControl: Bool {
    switch value {
    case 0x61C, 0x200E...0x200F, 0x202A...0x202E, 0x2066...0x2069: true
    default: false
    }
  }

  /// Whether the scalar belongs to the same grapheme cluster as the one before it: a combining
  /// mark, a joiner or an emoji modifier.
  fileprivate var extendsCluster: Bool {
    value >= 0x300
      && (isMark || value == 0x200D || properties.isGraphemeExtend || properties.isEmojiModifier)
  }

  /// Whether the scalar is a combining mark (general category M).
  var isMark: Bool {
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .spacingMark: true
    default: false
    }
  }
}
