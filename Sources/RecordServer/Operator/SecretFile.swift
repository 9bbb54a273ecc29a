import FoundationEssentials
import Glibc

/// Files with a single line that only their owner may read.
public enum SecretFile {
  /// The maximum number of bytes that are read; secrets are shorter.
  private static let limit = 4096

  /// Reads the first line of a file.
  ///
  /// - Returns: nil if the file does not exist.
  public static func read(_ path: String) throws(StorageFailure) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw .file(.read, path)
    }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: limit)
    let count = Glibc.read(descriptor, &bytes, limit)
    guard count >= 0 else { throw .file(.read, path) }
    return String(String(decoding: bytes[..<count], as: UTF8.self).prefix { $0 != "\n" })
  }

  /// Writes a file, or replaces it atomically.
  public static func write(_ text: String, to path: String) throws(StorageFailure) {
    let unfinished = "\(path).\(UInt64.random(in: .min ... .max)).new"
    let descriptor = open(unfinished, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .file(.create, unfinished) }
    defer {
      close(descriptor)
      unlink(unfinished)
    }
    guard writeAll(Array("\(text)\n".utf8), to: descriptor), fsync(descriptor) == 0 else {
      throw .file(.write, unfinished)
    }
    guard rename(unfinished, path) == 0 else { throw .file(.create, path) }
    synchronizeDirectory(of: path)
  }
}
