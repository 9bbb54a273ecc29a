import FoundationEssentials
import Glibc

/// A copy of a library and its WAL in a private directory, which goes with the value:
/// for looking into what must not change.
///
/// SQLite reads on from a copy that it has opened when its names are gone: they are
/// taken away as soon as it has, so that a killed process leaves no notes behind.
final class WorkingCopy: Sendable {
  let directory: String
  var path: String { directory + "/library.sqlite" }

  /// A copy wherever there is room for it, else nil.
  static func of(_ original: String) -> WorkingCopy? {
    let named = getenv("TMPDIR").map { String(cString: $0) }
    let parents = [named, "/tmp", "/dev/shm", LibraryFile.directory(of: original)]
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

  /// Takes the names away. What has the copy open reads on.
  func discard() { try? FileManager.default.removeItem(atPath: directory) }

  deinit { discard() }
}
