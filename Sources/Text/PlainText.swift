/// Whether UTF-8 is what most text here is: printable ASCII, Latin letters with
/// their marks composed, and the punctuation and lines between them. Each scalar of such
/// text is a grapheme cluster one column wide, and none does any harm.
///
/// - Returns: how many scalars it has, or nil where it is anything else.
func plainScalarCount(_ bytes: UnsafeBufferPointer<UInt8>, allowsLineFeeds: Bool) -> Int? {
  var index = 0
  var count = 0
  while index < bytes.count {
    switch bytes[index] {
    case 0x20...0x7E: index += 1
    case 0x0A where allowsLineFeeds: index += 1
    // U+00A1…U+02FF but the soft hyphen, U+1E00…U+1EFF, U+2010…U+2027, arrows, lines
    // and blocks (U+2190…U+21BF, U+2500…U+25BF); the bytes are valid, so a scalar's
    // are all there.
    case 0xC2 where bytes[index + 1] > 0xA0 && bytes[index + 1] != 0xAD: index += 2
    case 0xC3...0xCB: index += 2
    case 0xE1 where (0xB8...0xBB).contains(bytes[index + 1]): index += 3
    case 0xE2:
      switch (bytes[index + 1], bytes[index + 2]) {
      case (0x80, 0x90...0xA7), (0x86, 0x90...0xBF), (0x94...0x96, _): index += 3
      default: return nil
      }
    default: return nil
    }
    count += 1
  }
  return count
}
