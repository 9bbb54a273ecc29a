import FoundationEssentials
import Glibc
import Library
public import RecordClient

/// What lets this device in, beside its library and never in it: a file that only its owner
/// may read.
///
/// It is replaced whole, so that a process that is killed leaves the former one.
public final class CredentialFile: CredentialKeeper {
  public let path: String

  /// Which service, and what is needed to be let in there.
  public struct Content: Codable, Hashable, Sendable {
    public var origin: String
    public var container: String
    public var environment: String
    public var apiToken: String
    /// Nil for one who is signed out.
    public var webAuthToken: String?

    public init(
      origin: String, container: String, environment: String, apiToken: String,
      webAuthToken: String? = nil
    ) {
      self.origin = origin
      self.container = container
      self.environment = environment
      self.apiToken = apiToken
      self.webAuthToken = webAuthToken
    }
  }

  public enum Problem: Error, Hashable, Sendable {
    /// Others may read it.
    case exposed(path: String)
    /// It holds something else.
    case damaged(path: String)
    /// `errno`.
    case unreadable(path: String, code: Int32)
    case cannotWrite(path: String, code: Int32)
    /// Nobody is connected.
    case missing
  }

  /// - Parameter library: the path of the library.
  public init(beside library: String) {
    path = library + ".credentials"
  }

  /// More than any token has, in bytes.
  private static let limit = 65_536

  // MARK: Reading

  /// - Returns: nil where there is no file.
  public func load() throws(Problem) -> Content? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw .unreadable(path: path, code: errno)
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .unreadable(path: path, code: errno) }
    guard status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o077 == 0 else {
      throw .exposed(path: path)
    }
    var bytes = [UInt8](repeating: 0, count: Self.limit)
    let count = Glibc.read(descriptor, &bytes, bytes.count)
    guard count >= 0 else { throw .unreadable(path: path, code: errno) }
    do {
      return try JSONDecoder().decode(Content.self, from: Data(bytes[..<count]))
    } catch {
      throw .damaged(path: path)
    }
  }

  public func read() async throws -> Credentials {
    guard let content = try load() else { throw Problem.missing }
    return Credentials(apiToken: content.apiToken, webAuthToken: content.webAuthToken)
  }

  // MARK: Writing

  public func save(_ content: Content) throws(Problem) {
    try locked { () throws(Problem) in try write(content) }
  }

  public func keep(webAuthToken: String) async throws {
    try change { $0.webAuthToken = webAuthToken }
  }

  /// Changes what the file holds. Nothing happens where there is none.
  public func change(_ body: (inout Content) -> Void) throws(Problem) {
    try locked { () throws(Problem) in
      guard var content = try load() else { return }
      body(&content)
      try write(content)
    }
  }

  public func remove() {
    unlink(path)
    unlink(lockPath)
  }

  private var lockPath: String { path + ".lock" }

  /// Two processes that change it would undo each other.
  private func locked<Value>(_ body: () throws(Problem) -> Value) throws(Problem) -> Value {
    let lock: FileLock
    do {
      lock = try FileLock.exclusive(lockPath)
    } catch .cannotCreate(let code) {
      throw .cannotWrite(path: lockPath, code: code)
    } catch {
      throw .cannotWrite(path: lockPath, code: EWOULDBLOCK)
    }
    defer { withExtendedLifetime(lock) {} }
    return try body()
  }

  private func write(_ content: Content) throws(Problem) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    guard let bytes = try? Array(encoder.encode(content)) + [10] else {
      throw .damaged(path: path)
    }
    let unfinished = "\(path).\(getpid()).new"
    let descriptor = open(
      unfinished, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw .cannotWrite(path: path, code: errno) }
    defer {
      close(descriptor)
      unlink(unfinished)
    }
    guard Glibc.write(descriptor, bytes, bytes.count) == bytes.count, fsync(descriptor) == 0,
      rename(unfinished, path) == 0
    else { throw .cannotWrite(path: path, code: errno) }
  }
}

extension CredentialFile.Content: CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  /// Without what nobody else may see.
  public var description: String { "\(origin) \(container) \(environment)" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: []) }
}
