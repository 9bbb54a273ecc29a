import BundledText
import Glibc
public import Quran
import Text

/// An edition of the whole Quran, 6,236 ayahs, in memory exactly as it was published.
public struct Edition: Sendable {
  /// The metadata of the edition.
  public let info: Info
  /// The bytes of the file, which are valid for the life of the process.
  private let storage: PermanentBytes
  private let layout: Layout

  /// The places of the ayahs in the bytes.
  private enum Layout: Sendable {
    /// Where the text of each ayah is in the bundled text.
    case lines([Range<UInt32>])
    /// An edition file.
    case sections(EditionFile.Sections)
  }

  /// Creates an edition from the content of an edition file (see `EditionFile`).
  ///
  /// - Parameter bytes: The whole file, which stays valid and unchanged for the life of the
  ///   process.
  /// - Throws: The reason why the content is not an edition file.
  init(file bytes: UnsafeRawBufferPointer) throws(EditionFileFailure.Reason) {
    let file = try EditionFile.validate(bytes)
    info = file.info
    storage = PermanentBytes(bytes: bytes)
    layout = .sections(file.sections)
  }

  /// Returns the text of an ayah exactly as it was published.
  public func text(of ayah: AyahID) -> String {
    String(decoding: bytes(of: ayah), as: UTF8.self)
  }

  /// Returns the UTF-8 of an ayah exactly as it was published. Valid for the life of the process.
  public func bytes(of ayah: AyahID) -> UnsafeRawBufferPointer {
    switch layout {
    case .lines(let texts):
      let text = texts[ayah.index - 1]
      return UnsafeRawBufferPointer(
        rebasing: storage.bytes[Int(text.lowerBound)..<Int(text.upperBound)])
    case .sections(let sections):
      return sections.texts.bytes(at: ayah.index - 1, in: storage.bytes)
    }
  }

  /// The bytes of the whole file, for example for a checksum. Valid for the life of the process.
  public var fileBytes: UnsafeRawBufferPointer { storage.bytes }
}

extension Edition {
  /// Returns the basmala before a surah exactly as it was published: at the beginning of its first
  /// ayah, or as a separate text. Returns nil if the source has none there.
  public func basmala(before surah: SurahNumber) -> String? {
    guard case .sections(let sections) = layout else { return nil }
    let count = leadingBasmalaCount(surah)
    let bytes =
      count > 0
      ? UnsafeRawBufferPointer(rebasing: bytes(of: surah.firstAyah)[..<count])
      : sections.basmalas.bytes(at: surah.rawValue - 1, in: storage.bytes)
    return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
  }

  /// Returns the basmala to show above a surah, without footnote marks: the basmala that the source
  /// has there or, if it has none, the text of 1:1. Returns nil if the surah is not headed by a
  /// basmala, or if the source of a commentary has none: its text of 1:1 explains the basmala.
  public func heading(of surah: SurahNumber) -> String? {
    guard surah.surah.isHeadedByBasmala,
      var heading = basmala(before: surah) ?? (info.kind == .commentary ? nil : text(of: .first))
    else { return nil }
    for mark in FootnoteMark.marks(in: heading).reversed() { heading.removeSubrange(mark.range) }
    while heading.last?.isWhitespace == true { heading.removeLast() }
    return heading
  }

  /// Returns the text of an ayah without a basmala at its beginning that is not a part of the ayah,
  /// for display below a heading and for comparison with other editions.
  public func textWithoutBasmala(of ayah: AyahID) -> String {
    String(decoding: bytesWithoutBasmala(of: ayah), as: UTF8.self)
  }

  /// Returns the UTF-8 of `textWithoutBasmala`. Valid for the life of the process.
  public func bytesWithoutBasmala(of ayah: AyahID) -> UnsafeRawBufferPointer {
    let bytes = bytes(of: ayah)
    guard ayah.ayah == 1 else { return bytes }
    return UnsafeRawBufferPointer(rebasing: bytes[leadingBasmalaCount(ayah.surah)...])
  }

  /// Whether the edition has any footnotes.
  public var hasFootnotes: Bool {
    guard case .sections(let sections) = layout else { return false }
    return !sections.footnotes.isEmpty
  }

  /// Returns all footnotes of an ayah in one string exactly as they were published, or nil if it
  /// has none.
  public func footnoteText(of ayah: AyahID) -> String? {
    guard case .sections(let sections) = layout else { return nil }
    let bytes = sections.footnotes.bytes(at: ayah.index - 1, in: storage.bytes)
    return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
  }

  /// Returns the footnotes of an ayah in the order of the source.
  public func footnotes(of ayah: AyahID) -> [Footnote] {
    footnoteText(of: ayah).map(Footnote.parse) ?? []
  }

  /// The number of bytes of the basmala at the beginning of a surah's first ayah. The bundled text
  /// has none.
  func leadingBasmalaCount(_ surah: SurahNumber) -> Int {
    guard case .sections(let sections) = layout else { return 0 }
    let count = sections.leadingBasmalaCount(surah, in: storage.bytes)
    return min(count, bytes(of: surah.firstAyah).count)
  }
}

extension Edition {
  /// The edition that is compiled into the program.
  public static let bundled = Edition(
    info: Info(
      id: bundledID, language: "vi", direction: .leftToRight,
      title: "Bản diễn ý kèm theo", translator: "Quran-vi", publisher: "Quran-vi",
      source: "Quran-vi", version: "1", licence: "CC0-1.0", isRecognised: false),
    lines: UnsafeRawBufferPointer(start: quranvi_text, count: quranvi_text_size))

  /// Creates an edition from lines `surah|ayah|text` of all ayahs in the order of the Quran.
  /// Lines that begin with `#` are skipped. The numbers are not read; a test checks the lines.
  private init(info: Info, lines bytes: UnsafeRawBufferPointer) {
    let bar = UInt8(ascii: "|")
    var texts: [Range<UInt32>] = []
    texts.reserveCapacity(AyahID.count)
    var line = 0
    while line < bytes.count {
      let end = bytes.position(of: 0x0A, in: line..<bytes.count)
      if bytes[line] != UInt8(ascii: "#") {
        let ayah = bytes.position(of: bar, in: line..<end)
        let text = bytes.position(of: bar, in: min(ayah + 1, end)..<end)
        texts.append(UInt32(min(text + 1, end))..<UInt32(end))
      }
      line = end + 1
    }
    precondition(texts.count == AyahID.count, "the bundled text is damaged")
    self.info = info
    storage = PermanentBytes(bytes: bytes)
    layout = .lines(texts)
  }
}

extension UnsafeRawBufferPointer {
  /// The position of the first byte of a value in a range, or the end of the range.
  fileprivate func position(of byte: UInt8, in range: Range<Int>) -> Int {
    guard let base = baseAddress,
      let found = memchr(base + range.lowerBound, Int32(byte), range.count)
    else { return range.upperBound }
    return UnsafeRawPointer(found) - base
  }
}

/// Read-only bytes that are never freed.
///
/// `@unchecked Sendable`, because the memory is not written and outlives all users, as the
/// initializers of `Edition` require.
struct PermanentBytes: @unchecked Sendable {
  let bytes: UnsafeRawBufferPointer
}
