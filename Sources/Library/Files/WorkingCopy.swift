import FoundationEssentials
import Glibc

/// A copy of a library and its WAL or journal in a private directory, to read a library that must
/// not be changed. It is deleted when the value is deinitialized.
///
/// The files are deleted as soon as SQLite has opened them, so that a killed process does not leave
/// notes behind. SQLite can still read them.
final class WorkingCopy: Sendable {
  let directory: String
  var path: String { directory + "/library.sqlite" }

  /// Creates a copy in the first directory with room for it. Nil if there is none.
  static func of(_ original: String) -> WorkingCopy? {
    let named = getenv("TMPDIR").map { String(cString: $0) }
    let parents = [named, "/tmp", "/dev/shm", Directory.containing(original)]
    for case let parent? in parents where parent.hasPrefix("/") {
      if let copy = WorkingCopy(of: original, in: parent) { return copy }
    }
    return nil
  }

  private init?(of original: String, in parent: String) {
    var template = Array("\(parent)/quran-vi-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { return nil }
    directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    for suffix in ["", "-wal", "-journal"] where access(original + suffix, F_OK) == 0 {
      guard LibraryFile.copyBytes(of: original + suffix, to: path + suffix) == 0 else {
        return nil
      }
    }
  }

  /// Clears the number of pages in the header, so that SQLite computes it from the size of the
  /// file. SQLite reads nothing of a file that is shorter than the number says
  /// (https://www.sqlite.org/fileformat.html, 1.3.7).
  func clearPageCount() {
    let descriptor = open(path, O_WRONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_size >= 100 else { return }
    _ = pwrite(descriptor, [UInt8](repeating: 0, count: 4), 4, 28)
  }

  /// Deletes the files. Open connections can still read them.
  func discard() { try? FileManager.default.removeItem(atPath: directory) }

  deinit { discard() }
}
