import FoundationEssentials
import GRDB
import Glibc

/// The pages of a library that tell of its tables, for one that has lost them.
///
/// Tables are made in one order, so that those of every new library lie on the same
/// pages, and those of every copy that SQLite made of one; a library that an older
/// version made may have them elsewhere.
enum PageReplacement {
  case ofLibrary
  /// Of one that was restored from a backup.
  case ofBackup

  /// Replaces the pages of the copy of a library by those of a new one.
  func apply(to copy: WorkingCopy) throws {
    let made = copy.directory + "/made.sqlite"
    let queue = try DatabaseQueue(path: made)
    try Schema.migrator.migrate(queue)
    let donor: String
    switch self {
    case .ofLibrary: donor = made
    case .ofBackup:
      donor = copy.directory + "/copied.sqlite"
      try queue.writeWithoutTransaction {
        try $0.execute(sql: "VACUUM INTO ?", arguments: [donor])
      }
    }
    try queue.close()
    try Self.copyPages(from: donor, to: copy.path)
  }

  private static func copyPages(from donor: String, to path: String) throws {
    let queue = try DatabaseQueue(path: donor)
    let (size, roots) = try queue.inDatabase {
      try (
        Int.fetchOne($0, sql: "PRAGMA page_size") ?? 4096,
        Int.fetchSet($0, sql: "SELECT rootpage FROM sqlite_schema")
      )
    }
    try queue.close()
    var bytes = [UInt8](FileManager.default.contents(atPath: donor) ?? Data())
    let file = LibraryFile(path: path)
    guard file.size(path) > size, bytes.count >= size else { return }
    // The number of pages, which is then taken from the file's size:
    // https://www.sqlite.org/fileformat.html, 1.3.7.
    bytes.replaceSubrange(28..<32, with: [0, 0, 0, 0])
    let descriptor = open(path, O_WRONLY | O_CLOEXEC)
    defer { close(descriptor) }
    for page in 1...bytes.count / size where !roots.contains(page) {
      let start = (page - 1) * size
      let isWritten = bytes.withUnsafeBytes {
        pwrite(descriptor, $0.baseAddress.map { $0 + start }, size, start) == size
      }
      guard isWritten else { throw LibraryFailure.diskFull }
    }
  }
}
