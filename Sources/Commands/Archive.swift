import FoundationEssentials
import Glibc

/// A directory for files that have served.
struct Archive {
  let directory: String

  struct Failure: Error, Hashable {
    /// `errno`.
    let code: Int32
  }

  /// Moves a file here, beside others of its name.
  ///
  /// - Returns: where it is now.
  /// - Throws: `Failure`; then the file is where it was.
  func take(_ path: String) throws(Failure) -> String {
    do {
      try FileManager.default.createDirectory(
        atPath: directory, withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
    } catch {
      throw Failure(code: errno == 0 ? EACCES : errno)
    }
    let name = path.split(separator: "/").last.map(String.init) ?? path
    for number in 1... {
      let target = "\(directory)/\(number == 1 ? name : "\(number)-\(name)")"
      // Unlike rename(2), link(2) never takes the place of another file.
      if link(path, target) == 0 {
        guard unlink(path) == 0 else {
          let code = errno
          unlink(target)
          throw Failure(code: code)
        }
        return target
      }
      switch errno {
      case EEXIST: continue
      // Another file system, or one without links.
      case EXDEV, EPERM, EOPNOTSUPP, EMLINK: return try move(path, to: target)
      default: throw Failure(code: errno)
      }
    }
    throw Failure(code: EEXIST)
  }

  /// Moves a file to another file system.
  private func move(_ path: String, to target: String) throws(Failure) -> String {
    do {
      try FileManager.default.copyItem(atPath: path, toPath: target)
    } catch {
      throw Failure(code: errno == 0 ? EIO : errno)
    }
    let copy = open(target, O_RDONLY | O_CLOEXEC)
    defer { close(copy) }
    guard copy >= 0, fsync(copy) == 0, unlink(path) == 0 else {
      let code = errno
      unlink(target)
      throw Failure(code: code)
    }
    return target
  }
}
