import Editions

extension Edition {
  /// An edition of such bytes, which stay in memory to the end of the tests, as
  /// `init(info:lines:)` asks.
  init(bytes: some Collection<UInt8>) throws {
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    copy.copyBytes(from: bytes)
    try self.init(info: Edition.bundled.info, lines: UnsafeRawBufferPointer(copy))
  }

  init(text: String) throws {
    try self.init(bytes: text.utf8)
  }

  init(lines: [String]) throws {
    try self.init(text: lines.joined(separator: "\n") + "\n")
  }
}
