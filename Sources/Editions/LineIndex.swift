import Glibc
import Quran
import Synchronization

/// Finds the lines of the ayahs in a file of Tanzil's format. To find the line of an ayah, only the
/// lines up to it are read, so that the first screen needs only a part of the file.
final class LineIndex: Sendable {
  let storage: PermanentBytes
  /// The byte offsets at which the lines that were read so far begin, and the offset after the last
  /// of these lines.
  private let starts: Mutex<[UInt32]>

  /// - Parameter bytes: UTF-8 that stays valid and unchanged for the life of the process.
  init(_ bytes: UnsafeRawBufferPointer) {
    var position = 0
    while position < bytes.count, bytes[position] == UInt8(ascii: "#") {
      position = bytes.endOfLine(from: position) + 1
    }
    storage = PermanentBytes(bytes: bytes)
    starts = Mutex([UInt32(position)])
  }

  /// Reads all lines.
  ///
  /// - Throws: `Failure` if they are not the 6,236 ayahs in order.
  func validate() throws(Edition.Failure) {
    let end = try line(of: .last).upperBound
    guard end >= storage.bytes.count else { throw .trailingLines }
  }

  /// Returns the UTF-8 of an ayah, valid for the life of the process. The lines up to its own must
  /// be those of the ayahs, as `validate` checks.
  func text(of ayah: AyahID) -> UnsafeRawBufferPointer {
    do {
      let line = try line(of: ayah)
      let start = line.lowerBound + ayah.surah.rawValue.digitCount + ayah.ayah.digitCount + 2
      return UnsafeRawBufferPointer(rebasing: storage.bytes[start..<line.upperBound - 1])
    } catch {
      // A test validates the bundled text, so this cannot happen in a tested build.
      preconditionFailure("the text is damaged: \(error)")
    }
  }

  /// Returns the positions of the line of an ayah, with its line break.
  ///
  /// - Throws: `Failure.expected` with the first ayah whose line is missing.
  private func line(of ayah: AyahID) throws(Edition.Failure) -> Range<Int> {
    try starts.withLock { starts throws(Edition.Failure) in
      while starts.count <= ayah.index {
        guard let next = AyahID(index: starts.count), let position = starts.last.map({ Int($0) }),
          storage.bytes.hasHead(next.surah.rawValue, next.ayah, at: position)
        else { throw .expected(AyahID(index: starts.count) ?? ayah) }
        starts.append(UInt32(storage.bytes.endOfLine(from: position) + 1))
      }
      return Int(starts[ayah.index - 1])..<Int(starts[ayah.index])
    }
  }
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
  /// The number of decimal digits. The integer must be from 1 to 999.
  fileprivate var digitCount: Int { self < 10 ? 1 : self < 100 ? 2 : 3 }
}
