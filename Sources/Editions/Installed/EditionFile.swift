import Digests
import FoundationEssentials
import Quran

/// The format of the files of installed editions.
///
/// A file is mapped into memory and used as it is. Integers are little-endian and have 32 bits.
///
/// | bytes | content |
/// |---|---|
/// | 8 | `magic` |
/// | 4 | the version of the format |
/// | 4 × 4 | the sizes in bytes of the metadata, the texts, the footnotes and the basmalas |
/// | 4 × 6,237 | where each text begins and the last one ends, relative to the first text |
/// | 4 × 6,237 | the same for the footnotes of each ayah |
/// | 4 × 115 | the same for the basmalas before each surah that are not a part of a text |
/// | 4 × 114 | the number of bytes of the basmala at the beginning of each surah's first ayah |
/// | | the metadata as JSON, the texts, the footnotes, the basmalas: UTF-8 without separators |
/// | 32 | the SHA-256 of all bytes before it |
enum EditionFile {
  static let magic = Array("QVEDITN\n".utf8)
  static let version = 1
  /// The maximum size of a file in bytes: the texts of the largest source and the tables.
  static let byteLimit = EditionFormat.byteLimit + (1 << 20)
  static let metadataLimit = 64 << 10

  private static let headerCount = 28
  private static let tableCounts = [AyahID.count + 1, AyahID.count + 1, SurahNumber.count + 1]
  private static let tablesCount = 4 * (tableCounts.reduce(0, +) + SurahNumber.count)

  /// The places of the parts of a validated file.
  struct Sections: Sendable {
    let texts: Table
    let footnotes: Table
    let basmalas: Table
    /// The position of the table of leading basmalas.
    fileprivate let leadingBasmalas: Int

    /// The number of bytes of the basmala at the beginning of a surah's first ayah.
    func leadingBasmalaCount(_ surah: SurahNumber, in file: UnsafeRawBufferPointer) -> Int {
      file.word(at: leadingBasmalas + 4 * (surah.rawValue - 1))
    }
  }

  /// A table of strings.
  struct Table: Sendable {
    /// The position of the table of positions.
    fileprivate let positions: Int
    /// The position of the first string.
    fileprivate let start: Int
    /// The number of strings.
    fileprivate let count: Int
    /// The size of all strings in bytes.
    fileprivate let size: Int

    /// Whether all strings are empty.
    var isEmpty: Bool { size == 0 }

    /// Returns the bytes of a string by its zero-based index. They are inside the table even if the
    /// file was changed after its validation.
    func bytes(at index: Int, in file: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
      let lower = min(file.word(at: positions + 4 * index), size)
      let upper = min(max(file.word(at: positions + 4 * (index + 1)), lower), size)
      return UnsafeRawBufferPointer(rebasing: file[(start + lower)..<(start + upper)])
    }
  }

  // MARK: Writing

  /// Returns the content of a file. The metadata must be within `metadataLimit`.
  static func encode(_ info: Edition.Info, _ content: EditionContent) throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let metadata = try encoder.encode(info)
    let tables = [
      content.texts,
      (AyahID.first...AyahID.last).map { content.footnotes[$0] ?? "" },
      SurahNumber.all.map { content.basmalas[$0] ?? "" },
    ]
    let sizes = tables.map { $0.reduce(0) { $0 + $1.utf8.count } }
    var file: [UInt8] = []
    file.reserveCapacity(
      headerCount + tablesCount + metadata.count + sizes.reduce(0, +) + SHA256.byteCount)
    file += magic
    file.append(word: version)
    file.append(word: metadata.count)
    for size in sizes { file.append(word: size) }
    for table in tables {
      var position = 0
      file.append(word: 0)
      for string in table {
        position += string.utf8.count
        file.append(word: position)
      }
    }
    for count in content.leadingBasmalaLengths { file.append(word: count) }
    file += metadata
    for table in tables {
      for string in table { file += string.utf8 }
    }
    file += file.withUnsafeBytes(SHA256.digest)
    return file
  }

  // MARK: Reading

  /// Validates the content of a file: its size, its checksum, its tables, its metadata and its
  /// text.
  static func validate(
    _ file: UnsafeRawBufferPointer
  ) throws(EditionFileFailure.Reason) -> (info: Edition.Info, sections: Sections) {
    guard file.count <= byteLimit else { throw .tooLarge(limit: byteLimit) }
    let sizes = try sizes(in: file)
    let expected = headerCount + tablesCount + sizes.reduce(0, +) + SHA256.byteCount
    guard file.count == expected else { throw .wrongSize(file.count, expected: expected) }
    let end = file.count - SHA256.byteCount
    let digest = SHA256.digest(of: UnsafeRawBufferPointer(rebasing: file[..<end]))
    guard file[end...].elementsEqual(digest) else { throw .wrongChecksum }

    var positions = headerCount
    var start = headerCount + tablesCount + sizes[0]
    var tables: [Table] = []
    for (count, size) in zip(tableCounts, sizes.dropFirst()) {
      tables.append(Table(positions: positions, start: start, count: count - 1, size: size))
      positions += 4 * count
      start += size
    }
    let metadata = file[(headerCount + tablesCount)..<tables[0].start]
    let info = try info(in: UnsafeRawBufferPointer(rebasing: metadata))
    let sections = Sections(
      texts: tables[0], footnotes: tables[1], basmalas: tables[2], leadingBasmalas: positions)
    for table in tables { try validate(table, in: file) }
    let empty = (0..<AyahID.count).first { sections.texts.bytes(at: $0, in: file).isEmpty }
    if let empty, let ayah = AyahID(index: empty + 1) { throw .emptyAyah(ayah) }
    for surah in SurahNumber.all {
      let text = sections.texts.bytes(at: surah.firstAyah.index - 1, in: file)
      let count = sections.leadingBasmalaCount(surah, in: file)
      guard count < text.count, !text[count].isContinuation else { throw .wrongTable }
    }
    return (info, sections)
  }

  /// Returns the metadata of a file without validating anything else.
  ///
  /// - Parameter prefix: The first `prefixCount` bytes of the file, or the whole file.
  static func info(
    inPrefix prefix: UnsafeRawBufferPointer
  ) throws(EditionFileFailure.Reason) -> Edition.Info {
    let start = headerCount + tablesCount
    let end = start + (try sizes(in: prefix)[0])
    guard end <= prefix.count else { throw .wrongMetadata }
    return try info(in: UnsafeRawBufferPointer(rebasing: prefix[start..<end]))
  }

  /// The number of bytes at the beginning of a file that always include the metadata.
  static let prefixCount = headerCount + tablesCount + metadataLimit

  /// The sizes of the sections.
  private static func sizes(
    in file: UnsafeRawBufferPointer
  ) throws(EditionFileFailure.Reason) -> [Int] {
    guard file.count >= headerCount, file.starts(with: magic) else { throw .notAnEdition }
    let version = file.word(at: 8)
    guard version == Self.version else { throw .otherVersion(version, supported: Self.version) }
    let sizes = (0..<4).map { file.word(at: 12 + 4 * $0) }
    guard sizes[0] <= metadataLimit else { throw .wrongMetadata }
    return sizes
  }

  private static func info(
    in metadata: UnsafeRawBufferPointer
  ) throws(EditionFileFailure.Reason) -> Edition.Info {
    do {
      return try JSONDecoder().decode(Edition.Info.self, from: Data(metadata))
    } catch {
      throw .wrongMetadata
    }
  }

  /// Checks that the strings of a table follow each other without gaps, and that they are UTF-8
  /// without control characters.
  private static func validate(
    _ table: Table, in file: UnsafeRawBufferPointer
  ) throws(EditionFileFailure.Reason) {
    let strings = UnsafeRawBufferPointer(rebasing: file[table.start..<(table.start + table.size)])
    var previous = 0
    for index in 0...table.count {
      let position = file.word(at: table.positions + 4 * index)
      guard position >= previous, position <= table.size, index > 0 || position == 0,
        position - previous <= EditionFormat.ayahByteLimit,
        position == table.size || !strings[position].isContinuation
      else { throw .wrongTable }
      previous = position
    }
    guard previous == table.size else { throw .wrongTable }
    guard !strings.isPlainText else { return }
    do {
      _ = try UTF8Span(validating: strings.bindMemory(to: UInt8.self).span)
    } catch {
      throw .notUTF8
    }
    for index in 0..<table.count {
      let string = String(decoding: table.bytes(at: index, in: file), as: UTF8.self)
      if string.firstForbiddenControl != nil { throw .controlCharacter }
    }
  }
}

extension UnsafeRawBufferPointer {
  fileprivate func word(at position: Int) -> Int {
    Int(UInt32(littleEndian: loadUnaligned(fromByteOffset: position, as: UInt32.self)))
  }
}

extension [UInt8] {
  fileprivate mutating func append(word: Int) {
    Swift.withUnsafeBytes(of: UInt32(word).littleEndian) { append(contentsOf: $0) }
  }
}

extension UInt8 {
  fileprivate var isContinuation: Bool { self & 0xC0 == 0x80 }
}
