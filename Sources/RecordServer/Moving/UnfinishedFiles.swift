import FoundationEssentials
import Glibc

/// The files of a service that are being written. They are in a directory of their own, in the
/// directory of the service, until they are complete.
struct UnfinishedFiles {
  let directory: String

  private static let name = "move.unfinished"
  private var unfinished: String { "\(directory)/\(Self.name)" }

  /// Returns the path at which a file is written.
  ///
  /// - Parameter path: the path to which the complete file is moved.
  func path(for path: String) -> String {
    "\(unfinished)/\(path.split(separator: "/").last ?? "")"
  }

  /// Creates the directory of unfinished files, and deletes those of a process that was
  /// interrupted.
  ///
  /// - Throws: `MoveFailure.directoryNotEmpty` if there are other files; a `StorageFailure`.
  func begin() throws {
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: directory) else {
      throw StorageFailure.file(.read, directory)
    }
    guard names.allSatisfy({ $0 == Self.name }) else {
      throw MoveFailure.directoryNotEmpty(path: directory)
    }
    remove()
    guard mkdir(unfinished, 0o700) == 0 else { throw StorageFailure.file(.create, unfinished) }
  }

  /// Moves files to their places, in this order.
  func finish(_ paths: [String]) throws(StorageFailure) {
    for path in paths {
      guard rename(self.path(for: path), path) == 0 else { throw .file(.create, path) }
      synchronizeDirectory(of: path)
    }
  }

  /// Deletes what is not finished.
  func remove() { try? FileManager.default.removeItem(atPath: unfinished) }
}
