import FoundationEssentials
import Glibc
import Library
import RecordClient

/// What lets this device in, beside its library and never in it: a file that only its owner
/// may read.
///
/// It is replaced whole, so that a process that is killed leaves the former one.
public struct CredentialFile: Sendable {
  public let path: String

  /// Which service, and what is needed to be let in there.
  public struct Content: Codable, Hashable, Sendable {
    public var origin: String
    public var container: String
    public var environment: String
    public var apiToken: String
    /// Nil for one who is signed out.
    public var webAuthToken: String?
    /// Whose that is.
    public var userRecordName: String?

    public init(
      origin: String, container: String, environment: String, apiToken: String,
      webAuthToken: String? = nil, userRecordName: String? = nil
    ) {
      self.origin = origin
      self.container = container
      self.environment = environment
      self.apiToken = apiToken
      self.webAuthToken = webAuthToken
      self.userRecordName = userRecordName
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
    /// Somebody else signed in than the library belongs to.
    case otherAccount
  }

  /// - Parameter library: the path of the library.
  public init(beside library: String) {
    path = Library.resolved(library) + ".credentials"
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

  // MARK: Writing

  public func save(_ content: Content) throws(Problem) {
    try locked { () throws(Problem) in try write(content) }
  }

  /// Changes what the file holds. Nothing happens where there is none.
  public func change(_ body: (inout Content) -> Void) throws(Problem) {
    try locked { () throws(Problem) in
      guard var content = try load() else { return }
      body(&content)
      try write(content)
    }
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

extension CredentialFile.Content {
  /// Whether nobody else is signed in, nor anywhere else.
  func isOf(_ account: SyncAccount) -> Bool {
    (origin, container, environment) == (account.origin, account.container, account.environment)
      && (webAuthToken == nil || userRecordName == account.userRecordName)
  }
}

/// What a file lets one account do, and no other: who signs in as somebody else while a library
/// is synced does not have it sent there.
struct AccountCredentials: CredentialStore {
  let file: CredentialFile
  let account: SyncAccount

  /// - Throws: `CredentialFile.Problem`
  func read() async throws -> Credentials {
    guard let content = try file.load() else { throw CredentialFile.Problem.missing }
    guard content.isOf(account) else { throw CredentialFile.Problem.otherAccount }
    return Credentials(apiToken: content.apiToken, webAuthToken: content.webAuthToken)
  }

  func store(webAuthToken: String, replacing previous: String?) async throws {
    try file.change { content in
      if content.webAuthToken == previous { content.webAuthToken = webAuthToken }
    }
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
