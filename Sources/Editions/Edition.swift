import BundledText
import Glibc
public import Quran

/// An edition of the whole Quran, 6,236 ayahs, in memory exactly as it was published.
public struct Edition: Sendable {
  /// The metadata of an edition.
  public struct Info: Sendable, Hashable {
    /// The identifier in commands and settings, such as `vi.quranvi`; never changes.
    public let id: String
    /// The BCP 47 language tag.
    public let language: String
    public let direction: Direction
    public let title: String
    public let translator: String
    /// The source of the text.
    public let source: String
    public let version: String
    public let licence: String
    /// Whether the text is a recognised publication. The bundled text is not, and the user
    /// interface says so wherever it shows the title.
    public let isRecognised: Bool
  }

  /// The direction of writing.
  public enum Direction: String, Sendable {
    case leftToRight = "ltr"
    case rightToLeft = "rtl"
  }

  /// The reason why bytes are not an edition.
  public enum Failure: Error, Hashable, Sendable {
    /// The line of this ayah is missing, or contains something else.
    case expected(AyahID)
    /// More lines follow the last ayah.
    case trailingLines
  }

  /// The metadata of the edition.
  public let info: Info
  /// The bytes of the file, which are valid for the life of the process.
  private let storage: Storage
  /// The positions at which the lines of the ayahs begin in the file, and the position after the
  /// last line.
  private let lineStarts: [UInt32]

  /// Creates an edition from a text in Tanzil's format: `surah|ayah|text` lines in the order of the
  /// Quran, preceded by any number of lines that begin with `#`.
  ///
  /// The text is not copied, and only line breaks and the beginnings of lines are read.
  ///
  /// - Parameters:
  ///   - info: The metadata of the edition.
  ///   - bytes: UTF-8 that stays valid and unchanged for the life of the process.
  /// - Throws: `Failure` if the lines are not those of the 6,236 ayahs.
  public init(info: Info, lines bytes: UnsafeRawBufferPointer) throws(Failure) {
    var starts: [UInt32] = []
    starts.reserveCapacity(AyahID.count + 1)
    var position = 0
    while position < bytes.count, bytes[position] == UInt8(ascii: "#") {
      position = bytes.endOfLine(from: position) + 1
    }
    for surah in SurahNumber.all {
      for ayah in 1...surah.ayahCount {
        guard bytes.hasHead(surah.rawValue, ayah, at: position) else {
          throw .expected(surah.ayah(clamping: ayah))
        }
        starts.append(UInt32(position))
        position = bytes.endOfLine(from: position) + 1
      }
    }
    guard position >= bytes.count else { throw .trailingLines }
    starts.append(UInt32(position))
    self.info = info
    self.storage = Storage(bytes: bytes)
    self.lineStarts = starts
  }

  /// Returns the text of an ayah exactly as it was published.
  public func text(of ayah: AyahID) -> String {
    String(decoding: bytes(of: ayah), as: UTF8.self)
  }

  /// Returns the UTF-8 of an ayah exactly as it was published. Valid for the life of the process.
  public func bytes(of ayah: AyahID) -> UnsafeRawBufferPointer {
    let index = ayah.index
    let start =
      Int(lineStarts[index - 1]) + ayah.surah.rawValue.digitCount + ayah.ayah.digitCount + 2
    return UnsafeRawBufferPointer(rebasing: storage.bytes[start..<(Int(lineStarts[index]) - 1)])
  }

  /// The bytes of the whole file, for example for a checksum. Valid for the life of the process.
  public var file: UnsafeRawBufferPointer { storage.bytes }
}

extension Edition {
  /// The edition that is compiled into the program.
  public static let bundled: Edition = {
    let bytes = UnsafeRawBufferPointer(start: quranvi_text, count: quranvi_text_size)
    let info = Info(
      id: "vi.quranvi", language: "vi", direction: .leftToRight,
      title: "Bản diễn ý kèm theo", translator: "Quran-vi", source: "Quran-vi", version: "1",
      licence: "CC0-1.0", isRecognised: false)
    do {
      return try Edition(info: info, lines: bytes)
    } catch {
      // A test reads the whole text, so this cannot happen in a tested build.
      preconditionFailure("the bundled text is damaged: \(error)")
    }
  }()

  /// All editions that are available on this machine.
  public static var installed: [Edition] { [bundled] }
}

/// Read-only bytes that are never freed.
///
/// `@unchecked Sendable`, because the memory is not written and outlives all users, as
/// `Edition.init(info:lines:)` requires.
private struct Storage: @unchecked Sendable {
  let bytes: UnsafeRawBufferPointer
}

extension UnsafeRawBufferPointer {
  /// The position of the next line feed, or of the end.
  fileprivate func endOfLine(from position: Int) -> Int {
    guard position < count, let base = baseAddress,
      let found = memchr(base + position, 0x0A, count - position)
    else { return count }
    return UnsafeRawPointer(found) - base
  }

  /// Whether the bytes at a position are `surah|ayah|` in decimal digits.
  fileprivate func hasHead(_ surah: Int, _ ayah: Int, at position: Int) -> Bool {
    let middle = position + surah.digitCount
    let end = middle + 1 + ayah.digitCount
    return end < count && hasNumber(surah, endingAt: middle) && hasNumber(ayah, endingAt: end)
  }

  /// Whether the decimal digits of a number end at `end` and a bar follows them.
  private func hasNumber(_ number: Int, endingAt end: Int) -> Bool {
    guard self[end] == UInt8(ascii: "|") else { return false }
    var rest = number
    var position = end
    while rest > 0 {
      position -= 1
      guard self[position] == UInt8(ascii: "0") + UInt8(rest % 10) else { return false }
      rest /= 10
    }
    return true
  }
}

extension Int {
  /// The number of decimal digits of an integer from 1 to 999.
  fileprivate var digitCount: Int { self < 10 ? 1 : self < 100 ? 2 : 3 }
}
