@testable import Editions

extension Edition {
  /// Creates an edition from a copy of an edition file. The copy is never freed, because
  /// `init(file:)` needs memory that stays.
  init(file bytes: [UInt8]) throws {
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    copy.copyBytes(from: bytes)
    try self.init(file: UnsafeRawBufferPointer(copy))
  }

  /// Creates an edition of 6,236 texts, none of which is empty.
  init(texts: [String], id: String = bundledID) throws {
    var info = Edition.bundled.info
    info.id = id
    let content = EditionContent(texts: texts, footnotes: [:], basmalas: [:])
    try self.init(file: EditionFile.encode(info, content))
  }
}
