import CZlib
import Compression

/// Reads the entries of a zip file in memory, such as a Python wheel (PKWARE APPNOTE 6.3.10).
///
/// Entries are found through the central directory. They are stored or compressed with deflate.
/// Names are not used, and nothing is written to disk.
struct ZipArchive {
  /// An entry of the central directory.
  struct Entry {
    let isCompressed: Bool
    let checksum: UInt32
    let compressedSize: Int
    let size: Int
    /// The offset of the entry's local header.
    let offset: Int
  }

  /// The maximum number of entries.
  static let entryLimit = 4_096

  let entries: [Entry]
  private let bytes: [UInt8]

  /// Whether the bytes begin like a zip file with at least one entry.
  static func hasSignature(_ bytes: [UInt8]) -> Bool {
    bytes.starts(with: [0x50, 0x4B, 0x03, 0x04])
  }

  /// Reads the central directory.
  ///
  /// - Throws: `damagedArchive` or `unsupportedArchive`.
  init(_ bytes: [UInt8]) throws(EditionFailure) {
    self.bytes = bytes
    // The end record is the last one in the file; a comment of at most 65,535 bytes may follow it.
    let endSize = 22
    let earliest = max(0, bytes.count - endSize - 0xFFFF)
    var end = bytes.count - endSize
    while end >= earliest, bytes.uint32(at: end) != 0x0605_4B50 { end -= 1 }
    guard end >= earliest, end + endSize + bytes.uint16(at: end + 20) <= bytes.count else {
      throw .damagedArchive
    }
    let count = bytes.uint16(at: end + 10)
    let size = bytes.uint32(at: end + 12)
    let offset = bytes.uint32(at: end + 16)
    guard bytes.uint32(at: end + 4) == 0, bytes.uint16(at: end + 8) == count, count != 0xFFFF,
      size != 0xFFFF_FFFF, offset != 0xFFFF_FFFF, count <= Self.entryLimit
    else { throw .unsupportedArchive }
    guard offset <= end, size <= end - offset else { throw .damagedArchive }

    var entries: [Entry] = []
    var position = offset
    for _ in 0..<count {
      let headerSize = 46
      guard position + headerSize <= end, bytes.uint32(at: position) == 0x0201_4B50 else {
        throw .damagedArchive
      }
      let flags = bytes.uint16(at: position + 8)
      let method = bytes.uint16(at: position + 10)
      let compressedSize = bytes.uint32(at: position + 20)
      let size = bytes.uint32(at: position + 24)
      let headerOffset = bytes.uint32(at: position + 42)
      guard flags & 0x2041 == 0, [0, 8].contains(method), bytes.uint16(at: position + 34) == 0,
        ![compressedSize, size, headerOffset].contains(0xFFFF_FFFF)
      else { throw .unsupportedArchive }
      entries.append(
        Entry(
          isCompressed: method == 8, checksum: UInt32(bytes.uint32(at: position + 16)),
          compressedSize: compressedSize, size: size, offset: headerOffset))
      position +=
        headerSize + bytes.uint16(at: position + 28) + bytes.uint16(at: position + 30)
        + bytes.uint16(at: position + 32)
    }
    guard position <= end else { throw .damagedArchive }
    // The sum can only be larger than the file if entries share their data. Such a file is refused:
    // a small one could have thousands of entries that each take seconds to decompress.
    guard entries.reduce(0, { $0 + $1.compressedSize }) <= bytes.count else {
      throw .damagedArchive
    }
    self.entries = entries
  }

  /// Returns the decompressed content of an entry.
  ///
  /// - Parameter budget: The number of bytes that the output may have; reduced by those it has.
  /// - Throws: `damagedArchive` or `tooLargeUnpacked`.
  func content(of entry: Entry, _ budget: inout Int) throws(EditionFailure) -> [UInt8] {
    let headerSize = 30
    guard entry.offset + headerSize <= bytes.count, bytes.uint32(at: entry.offset) == 0x0403_4B50
    else { throw .damagedArchive }
    // The name and the extra field in the local header can be longer than in the directory.
    let start =
      entry.offset + headerSize + bytes.uint16(at: entry.offset + 26)
      + bytes.uint16(at: entry.offset + 28)
    guard start <= bytes.count, entry.compressedSize <= bytes.count - start else {
      throw .damagedArchive
    }
    let data = bytes[start..<(start + entry.compressedSize)]
    let content: [UInt8]
    if entry.isCompressed {
      content = try EditionFormat.unpack(data, .deflate, &budget)
    } else {
      budget -= data.count
      guard budget >= 0 else { throw .tooLargeUnpacked(limit: EditionFormat.byteLimit) }
      content = Array(data)
    }
    let checksum = content.withUnsafeBufferPointer {
      crc32(0, $0.baseAddress, UInt32($0.count))
    }
    guard content.count == entry.size, checksum == UInt(entry.checksum) else {
      throw .damagedArchive
    }
    return content
  }
}

extension [UInt8] {
  /// The little-endian 16-bit integer at an offset; 0 beyond the end.
  fileprivate func uint16(at offset: Int) -> Int {
    guard offset >= 0, offset + 2 <= count else { return 0 }
    return Int(self[offset]) | Int(self[offset + 1]) << 8
  }

  /// The little-endian 32-bit integer at an offset; 0 beyond the end.
  fileprivate func uint32(at offset: Int) -> Int {
    uint16(at: offset) | uint16(at: offset + 2) << 16
  }
}
