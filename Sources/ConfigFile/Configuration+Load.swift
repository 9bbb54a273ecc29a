import Glibc

extension Configuration {
  /// The largest file that is read, in bytes: a configuration by hand is far smaller.
  public static let largestSize = 1 << 20

  /// What the file sets, and what could not be understood in it.
  ///
  /// No file sets nothing, and that is no problem.
  ///
  /// - Parameter path: nil where there is no place for the file.
  public static func load(path: String?) -> (Configuration, [Problem]) {
    guard let path else { return (Configuration(), []) }
    switch contents(of: path) {
    case .success(let bytes):
      guard let text = String(validating: bytes, as: UTF8.self) else {
        return (Configuration(), [.notText])
      }
      return parse(text)
    case .failure(.absent): return (Configuration(), [])
    case .failure(.unusable(let problem)): return (Configuration(), [problem])
    }
  }

  private enum Unread: Error {
    case absent
    case unusable(Problem)
  }

  private static func contents(of path: String) -> Result<[UInt8], Unread> {
    // Not to wait where something else than a file lies there.
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
    guard file >= 0 else {
      let code = errno
      // Where a file stands for a directory of the path, as /dev/null may, nothing is in it.
      let isAbsent = code == ENOENT || code == ENOTDIR
      return .failure(isAbsent ? .absent : .unusable(.unreadable(code: code)))
    }
    defer { close(file) }
    var failure: Int32?
    let bytes = [UInt8](unsafeUninitializedCapacity: largestSize + 1) { buffer, count in
      while count < buffer.count {
        let rest = UnsafeMutableBufferPointer(rebasing: buffer[count...])
        let length = read(file, rest.baseAddress, rest.count)
        if length > 0 {
          count += length
        } else if length == 0 {
          return
        } else if errno != EINTR {
          failure = errno
          return
        }
      }
    }
    if let failure { return .failure(.unusable(.unreadable(code: failure))) }
    return bytes.count > largestSize ? .failure(.unusable(.tooLarge)) : .success(bytes)
  }
}
