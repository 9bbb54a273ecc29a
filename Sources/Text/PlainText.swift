/// Returns the number of scalars of valid UTF-8 that consists only of printable ASCII, precomposed
/// Latin letters, common punctuation, arrows and box drawing; nil if it has any other scalar. Each
/// of these scalars is a grapheme cluster of one column and is safe to output.
///
/// - Parameter allowsLineFeeds: Whether line feeds are accepted and counted, too.
func plainScalarCount(_ bytes: UnsafeBufferPointer<UInt8>, allowsLineFeeds: Bool) -> Int? {
  var index = 0
  var count = 0
  while index < bytes.count {
    switch bytes[index] {
    case 0x20...0x7E: index += 1
    case 0x0A where allowsLineFeeds: index += 1
    // U+00A1…U+02FF except the soft hyphen, U+1E00…U+1EFF, U+2010…U+2027, U+2190…U+21BF (arrows),
    // U+2500…U+25BF (box drawing and blocks). The UTF-8 is valid, so the continuation bytes exist.
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
