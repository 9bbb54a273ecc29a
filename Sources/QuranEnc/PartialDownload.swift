import Editions
import FoundationEssentials
import Glibc
import Quran

/// A file that stores the responses of a download until it is complete. Each response is appended.
///
/// The file begins with a line of JSON: the translation's entry in QuranEnc's list. For each
/// response, a line `surah bytes`, the response and a line feed follow. An incomplete end is
/// ignored, so that the process can be killed at any time. The file is locked as long as the object
/// exists.
final class PartialDownload {
  /// The responses that the file had when it was opened, in the order in which they arrived.
  private(set) var responses: [(surah: SurahNumber, bytes: [UInt8])] = []
  private let path: String
  private let descriptor: Int32
  /// The size of the valid part of the file.
  private var end = 0

  /// Opens the file of a download, or creates it. The stored responses are discarded if they belong
  /// to another entry, for example one with another version.
  ///
  /// - Throws: `busy` if another process has opened it, or `storage` if the file cannot be used.
  init(path: String, entry: CatalogEntry) throws(DownloadFailure) {
    self.path = path
    descriptor = try Self.openLocked(path)
    let bytes = try read()
    guard let start = load(bytes, entry) else {
      try reset(to: entry)
      return
    }
    end = start
    for (surah, range) in Self.responses(in: bytes, from: start) {
      responses.append((surah, Array(bytes[range])))
      end = range.upperBound + 1
    }
    try truncate(to: end)
  }

  deinit {
    // Closing the file alone does not release the lock while a child process has a copy of the
    // descriptor, as it has until it executes its program.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  private static func openLocked(_ path: String) throws(DownloadFailure) -> Int32 {
    while true {
      let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
      guard descriptor >= 0 else { throw .storage(code: errno) }
      guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
        let code = errno
        close(descriptor)
        if code == EINTR { continue }
        throw code == EWOULDBLOCK ? .busy : .storage(code: code)
      }
      var status = stat()
      // Another process may have completed the download and deleted the file.
      if fstat(descriptor, &status) == 0, status.st_nlink > 0 { return descriptor }
      close(descriptor)
    }
  }

  // MARK: Reading

  private func read() throws(DownloadFailure) -> [UInt8] {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .storage(code: errno) }
    let count = min(Int(status.st_size), EditionFormat.byteLimit)
    var bytes = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < count {
      let step = bytes.withUnsafeMutableBytes {
        pread(descriptor, $0.baseAddress! + filled, count - filled, off_t(filled))
      }
      if step > 0 {
        filled += step
      } else if step == 0 {
        break
      } else if errno != EINTR {
        throw .storage(code: errno)
      }
    }
    return Array(bytes[..<filled])
  }

  /// Returns the position after the first line if this line is the given entry, otherwise nil.
  private func load(_ bytes: [UInt8], _ entry: CatalogEntry) -> Int? {
    guard let line = bytes.firstIndex(of: 0x0A),
      let stored = try? JSONDecoder().decode(CatalogEntry.self, from: Data(bytes[..<line])),
      stored == entry
    else { return nil }
    return line + 1
  }

  /// Returns the positions of the complete responses.
  private static func responses(
    in bytes: [UInt8], from start: Int
  ) -> [(SurahNumber, Range<Int>)] {
    var found: [(SurahNumber, Range<Int>)] = []
    var position = start
    while let line = bytes[position...].prefix(24).firstIndex(of: 0x0A) {
      let numbers = String(decoding: bytes[position..<line], as: UTF8.self).split(separator: " ")
        .map { Int($0) }
      guard numbers.count == 2, let surah = numbers[0].flatMap(SurahNumber.init),
        let count = numbers[1], count >= 0, count < bytes.count - line - 1,
        bytes[line + 1 + count] == 0x0A
      else { break }
      found.append((surah, (line + 1)..<(line + 1 + count)))
      position = line + 1 + count + 1
    }
    return found
  }

  // MARK: Writing

  /// Appends a response.
  func append(_ response: [UInt8], of surah: SurahNumber) throws(DownloadFailure) {
    try write(Array("\(surah) \(response.count)\n".utf8) + response + [0x0A])
  }

  /// Discards the content of the file, and begins it with an entry.
  private func reset(to entry: CatalogEntry) throws(DownloadFailure) {
    try truncate(to: 0)
    end = 0
    guard let line = try? JSONEncoder().encode(entry) else { throw .unreadableCatalog }
    try write(Array(line) + [0x0A])
  }

  /// Deletes the file.
  func delete() { unlink(path) }

  private func truncate(to count: Int) throws(DownloadFailure) {
    guard ftruncate(descriptor, off_t(count)) == 0 else { throw .storage(code: errno) }
  }

  private func write(_ bytes: [UInt8]) throws(DownloadFailure) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let offset = off_t(end + bytes.count - rest.count)
      let count = rest.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, offset) }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if errno != EINTR {
        throw .storage(code: errno)
      }
    }
    end += bytes.count
  }
}
