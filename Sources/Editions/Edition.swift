import BundledText
import Glibc
public import Quran

/// One text of the whole Quran, 6,236 ayahs, held in memory as it was published.
public struct Edition: Sendable {
  /// What is known of a text.
  public struct Info: Sendable, Hashable {
    /// Stable name in commands and settings, as `vi.quranvi`.
    public let id: String
    /// BCP 47.
    public let language: String
    public let direction: Direction
    public let title: String
    public let translator: String
    /// Where the text comes from.
    public let source: String
    public let version: String
    public let licence: String
    /// Whether it is a recognised publication. The bundled rendering is not,
    /// and wherever its name is shown, that is said.
    public let isRecognised: Bool
  }

  public enum Direction: String, Sendable {
    case leftToRight = "ltr"
    case rightToLeft = "rtl"
  }

  /// Why bytes are not a text of the Quran.
  public enum Failure: Error, Hashable, Sendable {
    /// The line that should hold this ayah holds something else, or is missing.
    case expected(AyahID)
    /// Lines follow the last ayah.
    case trailingLines
  }

  public let info: Info
  /// The file, which lives as long as the process does.
  private let storage: Storage
  /// Where each ayah's line begins in the file, and one more: where a line
  /// after the last would.
  private let lineStarts: [UInt32]

  /// Finds the ayahs in a text of Tanzil's form: `surah|ayah|text` lines in the
  /// order of the book, after any lines that begin with `#`.
  ///
  /// Nothing is copied, and nothing read but line breaks and line heads.
  ///
  /// - Parameter bytes: UTF-8 that stays valid and unchanged for the life of
  ///   the process.
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

  /// The text of an ayah as published, byte for byte.
  public func text(of ayah: AyahID) -> String {
    String(decoding: bytes(of: ayah), as: UTF8.self)
  }

  /// The UTF-8 of an ayah as published. Valid for the life of the process.
  public func bytes(of ayah: AyahID) -> UnsafeRawBufferPointer {
    let index = ayah.index
    let start =
      Int(lineStarts[index - 1]) + ayah.surah.rawValue.digitCount + ayah.ayah.digitCount + 2
    return UnsafeRawBufferPointer(rebasing: storage.bytes[start..<(Int(lineStarts[index]) - 1)])
  }

  /// Every byte of the file, for a checksum. Valid for the life of the process.
  public var file: UnsafeRawBufferPointer { storage.bytes }
}

extension Edition {
  /// The rendering that is part of the program, always there.
  public static let bundled: Edition = {
    let bytes = UnsafeRawBufferPointer(start: quranvi_text, count: quranvi_text_size)
    let info = Info(
      id: "vi.quranvi", language: "vi", direction: .leftToRight,
      title: "Bản diễn ý kèm theo", translator: "Quran-vi", source: "Quran-vi", version: "1",
      licence: "CC0-1.0", isRecognised: false)
    do {
      return try Edition(info: info, lines: bytes)
    } catch {
      // A test reads the whole text, so a build that passed cannot come here.
      preconditionFailure("the bundled text is damaged: \(error)")
    }
  }()

  /// The texts that can be read on this machine.
  public static var installed: [Edition] { [bundled] }
}

/// Read-only bytes that are never freed.
///
/// `@unchecked`: the memory is never written and outlives every user, which
/// `Edition.init(info:lines:)` demands of its caller.
private struct Storage: @unchecked Sendable {
  let bytes: UnsafeRawBufferPointer
}

extension UnsafeRawBufferPointer {
  /// Position of the next line feed, or of the end.
  fileprivate func endOfLine(from position: Int) -> Int {
    guard position < count, let base = baseAddress,
      let found = memchr(base + position, 0x0A, count - position)
    else { return count }
    return UnsafeRawPointer(found) - base
  }

  /// Whether `surah|ayah|` stands at a position, in decimal digits.
  fileprivate func hasHead(_ surah: Int, _ ayah: Int, at position: Int) -> Bool {
    let middle = position + surah.digitCount
    let end = middle + 1 + ayah.digitCount
    return end < count && hasNumber(surah, endingAt: middle) && hasNumber(ayah, endingAt: end)
  }

  /// Whether a number's digits, and then a bar at `end`, stand there.
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
  /// Decimal digits of a number from 1 to 999.
  fileprivate var digitCount: Int { self < 10 ? 1 : self < 100 ? 2 : 3 }
}
