import Editions

extension Edition {
  /// An edition of a copy of the bytes, which is never freed, as `init(info:lines:)` requires.
  init(bytes: some Collection<UInt8>, info: Info = Edition.bundled.info) throws {
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    copy.copyBytes(from: bytes)
    try self.init(info: info, lines: UnsafeRawBufferPointer(copy))
  }

  init(text: String) throws {
    try self.init(bytes: text.utf8)
  }

  init(lines: [String]) throws {
    try self.init(text: lines.joined(separator: "\n") + "\n")
  }

  init(lines: [String], id: String) throws {
    var info = Edition.bundled.info
    info.id = id
    try self.init(bytes: (lines.joined(separator: "\n") + "\n").utf8, info: info)
  }
}
