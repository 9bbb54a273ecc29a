/// A footnote of an ayah.
public struct Footnote: Hashable, Sendable {
  /// The number in the mark `[1]` that leads to the footnote; nil if the footnote has none.
  public let number: Int?
  /// The text without the mark and the white space around it.
  public let text: String

  /// Separates the footnotes of an ayah, each of which begins with its mark on a new line.
  static func parse(_ text: String) -> [Footnote] {
    let starts = FootnoteMark.marks(in: text).filter { mark in
      text[..<mark.range.lowerBound].last { $0.isNewline || !$0.isWhitespace }?.isNewline ?? true
    }
    var footnotes: [Footnote] = []
    func add(_ number: Int?, _ part: Substring) {
      let text = part.trimmed
      if !text.isEmpty { footnotes.append(Footnote(number: number, text: text)) }
    }
    add(nil, text[..<(starts.first?.range.lowerBound ?? text.endIndex)])
    for (index, mark) in starts.enumerated() {
      let end = index + 1 < starts.count ? starts[index + 1].range.lowerBound : text.endIndex
      add(mark.number, text[mark.range.upperBound..<end])
    }
    return footnotes
  }
}

/// A mark such as `[1]` in the text of an ayah. It leads to the footnote with this number, if the
/// edition has footnotes.
public struct FootnoteMark: Hashable, Sendable {
  public let number: Int
  /// The range of the mark with its brackets.
  public let range: Range<String.Index>

  /// Returns the marks in a text, in order. A mark has one to four ASCII digits in brackets.
  public static func marks(in text: String) -> [FootnoteMark] {
    guard text.utf8.contains(UInt8(ascii: "[")) else { return [] }
    let bytes = text.utf8
    var marks: [FootnoteMark] = []
    var start = bytes.startIndex
    while let open = bytes[start...].firstIndex(of: UInt8(ascii: "[")) {
      start = bytes.index(after: open)
      let digits = bytes[start...].prefix { $0.isDecimalDigit }
      guard digits.endIndex < bytes.endIndex, bytes[digits.endIndex] == UInt8(ascii: "]"),
        let number = Array(digits)[...].smallNumber
      else { continue }
      let end = bytes.index(after: digits.endIndex)
      marks.append(FootnoteMark(number: number, range: open..<end))
      start = end
    }
    return marks
  }
}
