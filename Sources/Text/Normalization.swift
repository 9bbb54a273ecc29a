// The standard library normalises strings to compare them; this name for that
// is not yet public API. Foundation's would cost a binary eight times the size.
@_spi(_Unicode) import Swift

extension String {
  /// This text in Normalization Form C (UAX #15).
  public var nfc: String {
    // Below U+0300 nothing composes with what stands before it.
    if utf8.allSatisfy({ $0 < 0xCC }) { return self }
    var composed = String.UnicodeScalarView()
    composed.append(contentsOf: _nfc)
    return String(composed)
  }

  /// The canonical decomposition (Normalization Form D, UAX #15).
  var nfd: [Unicode.Scalar] { Array(_nfd) }
}
