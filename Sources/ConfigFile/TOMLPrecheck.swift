/// Rejects texts that would crash TOMLKit's parser (toml++ 3.4.0).
///
/// The parser has assertions that are active in release builds and that fail for `[#`, for `[}` as
/// a value, and for a date followed by ` 1` or `T`. It recurses for each dot of a key, so that a
/// long key overflows the stack. Also, a string that contains `\u0000` is truncated there when it
/// is passed to Swift.
///
/// Nearly all rejected texts are invalid TOML. Other invalid TOML is not rejected here; the parser
/// reports it.
struct TOMLPrecheck {
  /// The maximum number of open brackets, and of dots in a key. Valid configurations need two.
  static let deepest = 16

  private let text: [Unicode.Scalar]
  private var position = 0
  private var line = 1
  /// The open brackets, outermost first.
  private var open: [Bracket] = []
  /// Whether a key or the header of a table can begin at the position.
  private var isAtStart = true
  /// Whether the position is in a value, on the right of an equals sign.
  private var isValue = false
  /// The number of dots in the current key.
  private var dots = 0

  private enum Bracket {
    case header, array, table
  }

  private typealias Failure = Configuration.SyntaxError

  private init(_ text: String) {
    self.text = Array(text.unicodeScalars)
    // The parser skips a byte order mark, too.
    if self.text.first == "\u{FEFF}" { position = 1 }
  }

  /// Returns the reason why the text is rejected, and the text before the rejected position, which
  /// the parser can read without harm. Returns nil if the text can be parsed completely.
  static func check(_ text: String) -> (problem: Configuration.Problem, before: String)? {
    var scan = TOMLPrecheck(text)
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
      return (.syntax(line: scan.line, error), String(before))
    }
  }

  private var next: Unicode.Scalar? { position < text.count ? text[position] : nil }

  private mutating func step(_ next: Unicode.Scalar) throws(Failure) {
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

  private mutating func symbol(_ next: Unicode.Scalar) throws(Failure) {
    switch next {
    case "\"", "'": try string(next)
    case "[":
      if isAtStart { try header() } else { try push(.array) }
    case "{": try push(.table)
    case "]": try pop(.array, .header)
    case "}": try pop(.table)
    case "=":
      guard !isValue, open.last ?? .table == .table else { throw .unexpected(next) }
      position += 1
      (isValue, dots) = (true, 0)
    case ",":
      position += 1
      (isValue, dots) = (false, 0)
    default: try word()
    }
  }

  // MARK: Brackets

  private mutating func push(_ bracket: Bracket) throws(Failure) {
    guard open.count < Self.deepest else { throw .tooDeep(limit: Self.deepest) }
    open.append(bracket)
    position += 1
    (isValue, dots) = (false, 0)
  }

  private mutating func pop(_ expected: Bracket...) throws(Failure) {
    guard let bracket = open.popLast(), expected.contains(bracket) else {
      throw .unexpected(text[position])
    }
    position += 1
    // After the bracket, the position is still in a value or an array.
    (isValue, dots) = (true, 0)
  }

  /// Parses the opening brackets of a table header, up to the name.
  private mutating func header() throws(Failure) {
    try push(.header)
    if next == "[" { try push(.header) }
    while next == " " || next == "\t" { position += 1 }
    guard let next, next != "]", next != "\"", next != "'", !Self.isOfKey(next) else { return }
    throw .missingTableName
  }

  private static func isOfKey(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "a"..."z", "A"..."Z", "0"..."9", "_", "-": true
    default: false
    }
  }

  // MARK: Strings

  private mutating func string(_ quote: Unicode.Scalar) throws(Failure) {
    let isLong = text[position...].starts(with: [quote, quote, quote])
    position += isLong ? 3 : 1
    while let next {
      if next == quote {
        // A multiline string can end with up to two quotes that belong to its content.
        let quotes = text[position...].prefix(isLong ? 5 : 1).prefix { $0 == quote }.count
        position += quotes
        if quotes >= (isLong ? 3 : 1) { return }
      } else if next == "\n" {
        // A line break ends a string on a single line. The parser reports it as an error.
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

  private mutating func escape() throws(Failure) {
    position += 1
    let rest = text[position...]
    for null in ["u0000", "U00000000"] where rest.starts(with: null.unicodeScalars) {
      throw .nullCharacter
    }
    if let next, next != "\n" { position += 1 }
  }

  // MARK: Keys, numbers, dates

  /// Parses unquoted characters up to the next delimiter.
  private mutating func word() throws(Failure) {
    let word = text[position...].prefix { !Self.ends.contains($0) && $0.isASCII && $0 >= " " }
    position = word.endIndex
    let isValue = isValue || open.last == .array
    switch next {
    case "\"" where !isValue && word.last == ".", "'" where !isValue && word.last == ".": break
    case let next? where word.isEmpty || "\"'[{".unicodeScalars.contains(next):
      throw .unexpected(next)
    default: break
    }
    dots += word.count { $0 == "." }
    if dots > Self.deepest { throw .tooDeep(limit: Self.deepest) }
    if isValue, Self.isCutDate(word, before: text[position...]) {
      throw .incompleteTime
    }
  }

  private static let ends = Set("\t\n\r #,=[]{}\"'".unicodeScalars)

  /// Whether the parser would fail an assertion: the word looks like a date, and an incomplete time
  /// follows it.
  private static func isCutDate(
    _ word: ArraySlice<Unicode.Scalar>, before rest: ArraySlice<Unicode.Scalar>
  ) -> Bool {
    func isDigit(_ scalar: Unicode.Scalar?) -> Bool {
      scalar.map { ("0"..."9").contains($0) } == true
    }
    func isDate(_ word: ArraySlice<Unicode.Scalar>) -> Bool {
      word.count == 10 && word.dropFirst(4).first == "-" && word.dropFirst(7).first == "-"
    }
    // The parser ignores underscores in the date if a space follows it, but not if T follows it.
    if isDate(ArraySlice(word.filter { $0 != "_" })), rest.first == " " {
      return isDigit(rest.dropFirst().first) && !isDigit(rest.dropFirst(2).first)
    }
    guard isDate(word.prefix(10)), let sign = word.dropFirst(10).first else { return false }
    return (sign == "T" || sign == "t") && !isDigit(word.dropFirst(11).first)
  }
}
