/// Whether UTF-8 is what most text here is: printable ASCII, Latin letters with
/// their marks composed, and the punctuation between them. Each scalar of such
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
    // U+00C0…U+02FF, U+1E00…U+1EFF, U+2010…U+2027; the bytes are valid, so a
    // scalar's are all there.
    case 0xC3...0xCB: index += 2
    case 0xE1 where (0xB8...0xBB).contains(bytes[index + 1]): index += 3
    case 0xE2 where bytes[index + 1] == 0x80 && (0x90...0xA7).contains(bytes[index + 2]):
      index += 3
    default: return nil
    }
    count += 1
  }
  return count
}
