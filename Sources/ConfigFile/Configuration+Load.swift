import Glibc

extension Configuration {
  /// The maximum size of the file in bytes, far more than a configuration written by hand needs.
  public static let largestSize = 1 << 20

  /// Reads the file. Returns the configuration and the problems found. A missing file is an empty
  /// configuration without problems.
  ///
  /// - Parameter path: The path of the file, or nil if there is no configuration directory.
  public static func load(path: String?) -> (Configuration, [Problem]) {
    guard let path else { return (Configuration(), []) }
    switch contents(of: path) {
    case .success(let bytes):
      guard let text = String(validating: bytes, as: UTF8.self) else {
        return (Configuration(), [.notUTF8])
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
    // O_NONBLOCK, so that opening does not block if the path is a FIFO or a device.
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
    guard file >= 0 else {
      let code = errno
      // ENOTDIR means that a component of the path is a file, such as /dev/null, so the
      // configuration file does not exist.
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
