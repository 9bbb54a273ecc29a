import Editions

extension Edition {
  /// Creates an edition from a copy of the bytes. The copy is never freed, because
  /// `init(info:lines:)` needs memory that stays.
  init(bytes: some Collection<UInt8>, info: Info = Edition.bundled.info) throws {
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    copy.copyBytes(from: bytes)
    try self.init(info: info, lines: UnsafeRawBufferPointer(copy))
  }

  init(text: String) throws {
    try self.init(bytes: text.utf8)
  }

  init(lines: [String], id: String = Edition.bundled.info.id) throws {
    var info = Edition.bundled.info
    info.id = id
    try self.init(bytes: (lines.joined(separator: "\n") + "\n").utf8, info: info)
  }
}
