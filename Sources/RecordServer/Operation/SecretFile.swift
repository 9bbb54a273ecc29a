import FoundationEssentials
import Glibc

/// A file with a line that only its owner may read.
public enum SecretFile {
  /// More than any secret here has, in bytes.
  private static let limit = 4096

  /// - Returns: nil where there is no file.
  public static func read(_ path: String) throws(StorageFailure) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw .system("read", path)
    }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: limit)
    let count = Glibc.read(descriptor, &bytes, limit)
    guard count >= 0 else { throw .system("read", path) }
    return String(String(decoding: bytes[..<count], as: UTF8.self).prefix { $0 != "\n" })
  }

  /// Puts a file in the place of whatever is there, whole or not at all.
  public static func write(_ text: String, to path: String) throws(StorageFailure) {
    let unfinished = "\(path).\(UInt64.random(in: .min ... .max)).new"
    let descriptor = open(unfinished, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .system("make", unfinished) }
    defer {
      close(descriptor)
      unlink(unfinished)
    }
    let bytes = Array("\(text)\n".utf8)
    guard Glibc.write(descriptor, bytes, bytes.count) == bytes.count, fsync(descriptor) == 0 else {
      throw .system("write", unfinished)
    }
    guard rename(unfinished, path) == 0 else { throw .system("make", path) }
    synchronizeDirectory(of: path)
  }
}
