import Glibc
import Synchronization

/// Room at the end of a library's WAL, written before it is needed.
///
/// To commit where the file has to grow costs the file system twice what it costs where
/// the blocks are there. SQLite takes what it did not write for no part of the WAL
/// (https://www.sqlite.org/fileformat.html, 4.2): the checksums are not those of it.
final class RoomAhead: Sendable {
  private static let step = 1 << 18

  private let path: String
  /// How long the file was left; nil before the first change.
  private let size = Mutex<Int?>(nil)

  init(path: String) {
    self.path = path
  }

  /// Called before each change, by who alone may write: from the second on, adds room
  /// where what there was is used.
  func make() {
    size.withLock { size in
      let file = open(path, O_WRONLY | O_CLOEXEC)
      guard file >= 0 else { return }
      defer { close(file) }
      let end = Int(lseek(file, 0, SEEK_END))
      guard end >= 0, size != end else { return }
      defer { size = Int(lseek(file, 0, SEEK_END)) }
      guard size != nil else { return }
      let zeros = [UInt8](repeating: 0, count: Self.step)
      // What is left of a disk that is nearly full is left to the changes themselves.
      if pwrite(file, zeros, zeros.count, end) < zeros.count { ftruncate(file, end) }
    }
  }
}
