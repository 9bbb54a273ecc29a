// The standard library normalizes strings in order to compare them, but does not export the
// function as public API yet. Foundation's function would make the binary eight times larger.
@_spi(_Unicode) import Swift

extension String {
  /// The string in Normalization Form C (UAX #15). A string with more than 1000 combining marks in
  /// a row, which no language uses, is returned unchanged: the time to reorder them grows with the
  /// square of their number.
  public var nfc: String {
    guard mayHaveMarks, !hasMarks(inARow: 1000) else { return self }
    return String(scalars: _nfc)
  }

  /// Whether the string may contain combining marks or may not be in Normalization Form C. False
  /// for most Vietnamese and other Latin text, including its punctuation.
  ///
  /// This is a fast check that is false only for strings of U+0000…02FF, U+1E00…1EFF and
  /// U+2010…2027.
  public var mayHaveMarks: Bool {
    unicodeScalars.contains {
      !($0.value < 0x300 || 0x1E00...0x1EFF ~= $0.value || 0x2010...0x2027 ~= $0.value)
    }
  }

  /// Whether the string has more than `limit` combining marks in a row.
  public func hasMarks(inARow limit: Int) -> Bool {
    guard mayHaveMarks else { return false }
    var run = 0
    for scalar in unicodeScalars {
      // Combining marks begin at U+0300; the block of the Vietnamese letters has none.
      let isLetter = scalar.value < 0x300 || (0x1E00...0x1EFF).contains(scalar.value)
      let isMark = !isLetter && scalar.properties.canonicalCombiningClass != .notReordered
      run = isMark ? run + 1 : 0
      if run > limit { return true }
    }
    return false
  }

  // `append(contentsOf:)` of the standard library is generic code that is not specialized, and
  // takes several times as long.
  init(scalars: some Sequence<Unicode.Scalar>) {
    var view = String.UnicodeScalarView()
    for scalar in scalars { view.append(scalar) }
    self.init(view)
  }

  /// The scalars of the string in Normalization Form D, the canonical decomposition (UAX #15).
  var nfd: [Unicode.Scalar] { Array(_nfd) }
}
