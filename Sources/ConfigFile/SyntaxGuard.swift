/// Refuses texts that would end the program in TOMLKit's parser, which is toml++ 3.4.0.
///
/// It asserts, in release builds too, where it should report: at `[#`, at `[}` as a value,
/// at a date with ` 1` or `T` behind it. It calls itself for each dot of a key, until the
/// stack is full. And what follows `\u0000` in a string is lost on the way to Swift.
///
/// Nearly all that is refused is no TOML. What is no TOML in other ways passes: the parser
/// tells of it.
struct SyntaxGuard {
  /// How many brackets may be open, and how many dots a key may have; two would do.
  static let deepest = 16

  private let text: [Unicode.Scalar]
  private var position = 0
  private var line = 1
  /// What is open.
  private var open: [Bracket] = []
  /// Whether a key or a table's header may begin here.
  private var isAtStart = true
  /// Whether this is right of an equals sign.
  private var isValue = false
  /// Of the key so far.
  private var dots = 0

  private enum Bracket {
    case header, array, table
  }

  private struct Refusal: Error {
    let reason: String
  }

  private init(_ text: String) {
    self.text = Array(text.unicodeScalars)
    // The parser passes over a byte order mark as well.
    if self.text.first == "\u{FEFF}" { position = 1 }
  }

  /// Why the text is kept from the parser, and what stands before that, which it may have;
  /// nil where it may have all.
  static func check(_ text: String) -> (problem: Configuration.Problem, before: String)? {
    var scan = SyntaxGuard(text)
    var start = scan.position
    do {
      while let next = scan.next {
        start = scan.position
        try scan.step(next)
      }
      return nil
    } catch {
      var before = String.UnicodeScalarView()
      before.append(contentsOf: scan.text[..<start])
      return (.syntax(line: scan.line, reason: error.reason), String(before))
    }
  }

  private var next: Unicode.Scalar? { position < text.count ? text[position] : nil }

  private mutating func step(_ next: Unicode.Scalar) throws(Refusal) {
    switch next {
    case "\n":
      position += 1
      line += 1
      dots = 0
      if open.isEmpty { (isAtStart, isValue) = (true, false) }
    case " ", "\t", "\r": position += 1
    case "#": position = text[position...].firstIndex(of: "\n") ?? text.count
    default:
      try symbol(next)
      isAtStart = false
    }
  }

  private mutating func symbol(_ next: Unicode.Scalar) throws(Refusal) {
    switch next {
    case "\"", "'": try string(next)
    case "[":
      if isAtStart { try header() } else { try push(.array) }
    case "{": try push(.table)
    case "]": try pop(.array, .header)
    case "}": try pop(.table)
    case "=":
      guard !isValue, open.last ?? .table == .table else { throw unexpected(next) }
      position += 1
      (isValue, dots) = (true, 0)
    case ",":
      position += 1
      (isValue, dots) = (false, 0)
    default: try word()
    }
  }

  private func unexpected(_ scalar: Unicode.Scalar) -> Refusal {
    let isControl = scalar.properties.generalCategory == .control
    let shown = isControl ? "U+\(String(scalar.value, radix: 16, uppercase: true))" : "\(scalar)"
    return Refusal(reason: "unexpected '\(shown)'")
  }

  private var tooDeep: Refusal { Refusal(reason: "nested deeper than \(Self.deepest)") }

  // MARK: Brackets

  private mutating func push(_ bracket: Bracket) throws(Refusal) {
    guard open.count < Self.deepest else { throw tooDeep }
    open.append(bracket)
    position += 1
    (isValue, dots) = (false, 0)
  }

  private mutating func pop(_ expected: Bracket...) throws(Refusal) {
    guard let bracket = open.popLast(), expected.contains(bracket) else {
      throw unexpected(text[position])
    }
    position += 1
    // The value that ends here was right of an equals sign, or in an array.
    (isValue, dots) = (true, 0)
  }

  /// The brackets of a header, up to the name.
  private mutating func header() throws(Refusal) {
    try push(.header)
    if next == "[" { try push(.header) }
    while next == " " || next == "\t" { position += 1 }
    guard let next, next != "]", next != "\"", next != "'", !Self.isOfKey(next) else { return }
    throw Refusal(reason: "parsing table header: expected a name after '['")
  }

  private static func isOfKey(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "a"..."z", "A"..."Z", "0"..."9", "_", "-": true
    default: false
    }
  }

  // MARK: Strings

  private mutating func string(_ quote: Unicode.Scalar) throws(Refusal) {
    let isLong = text[position...].starts(with: [quote, quote, quote])
    position += isLong ? 3 : 1
    while let next {
      if next == quote {
        // A long string may end in two quotes of its own.
        let quotes = text[position...].prefix(isLong ? 5 : 1).prefix { $0 == quote }.count
        position += quotes
        if quotes >= (isLong ? 3 : 1) { return }
      } else if next == "\n" {
        // In a short string an error to the parser; what follows is none of the string.
        guard isLong else { return }
        line += 1
        position += 1
      } else if next == "\\", quote == "\"" {
        try escape()
      } else {
        position += 1
      }
    }
  }

  private mutating func escape() throws(Refusal) {
    position += 1
    let rest = text[position...]
    for null in ["u0000", "U00000000"] where rest.starts(with: null.unicodeScalars) {
      throw Refusal(reason: "parsing string: U+0000 cannot be used")
    }
    if let next, next != "\n" { position += 1 }
  }

  // MARK: Keys, numbers, dates

  /// What stands without quotes, up to the next sign of the syntax.
  private mutating func word() throws(Refusal) {
    let word = text[position...].prefix { !Self.ends.contains($0) && $0.isASCII && $0 >= " " }
    position = word.endIndex
    let isValue = isValue || open.last == .array
    switch next {
    case "\"" where !isValue && word.last == ".", "'" where !isValue && word.last == ".": break
    case let next? where word.isEmpty || "\"'[{".unicodeScalars.contains(next):
      throw unexpected(next)
    default: break
    }
    dots += word.count { $0 == "." }
    if dots > Self.deepest { throw tooDeep }
    if isValue, Self.isCutDate(word, before: text[position...]) {
      throw Refusal(reason: "parsing date-time: expected a time after the date")
    }
  }

  private static let ends = Set("\t\n\r #,=[]{}\"'".unicodeScalars)

  /// Whether the parser asserts at what looks to it like a date with a time behind it.
  private static func isCutDate(
    _ word: ArraySlice<Unicode.Scalar>, before rest: ArraySlice<Unicode.Scalar>
  ) -> Bool {
    func isDigit(_ scalar: Unicode.Scalar?) -> Bool {
      scalar.map { ("0"..."9").contains($0) } == true
    }
    func isDate(_ word: ArraySlice<Unicode.Scalar>) -> Bool {
      word.count == 10 && word.dropFirst(4).first == "-" && word.dropFirst(7).first == "-"
    }
    // Before a space it looks past underscores, after a T it does not.
    if isDate(ArraySlice(word.filter { $0 != "_" })), rest.first == " " {
      return isDigit(rest.dropFirst().first) && !isDigit(rest.dropFirst(2).first)
    }
    guard isDate(word.prefix(10)), let sign = word.dropFirst(10).first else { return false }
    return (sign == "T" || sign == "t") && !isDigit(word.dropFirst(11).first)
  }
}
