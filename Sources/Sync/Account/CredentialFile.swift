import FoundationEssentials
import Glibc
public import Library
import RecordClient

/// The credentials of this device. They are stored in a file beside the library, never in the
/// library itself. Only the owner of the file can read it.
///
/// The file is replaced atomically: if the process is killed while it writes, the previous content
/// remains.
public struct CredentialFile: Sendable {
  /// The path of the file.
  public let path: String

  /// The service and the tokens for it.
  public struct Content: Codable, Hashable, Sendable {
    /// The origin of the service, for example `https://records.example.org`.
    public var origin: String
    /// The container identifier.
    public var container: String
    /// The container's environment: `development` or `production`.
    public var environment: String
    /// The API token of the container.
    public var apiToken: String
    /// The user's token; nil if nobody is signed in.
    public var webAuthToken: String?
    /// The record name of the user that `webAuthToken` belongs to.
    public var userRecordName: String?

    /// Creates the content of a credential file.
    ///
    /// - Parameters:
    ///   - origin: The origin of the service.
    ///   - container: The container identifier.
    ///   - environment: `development` or `production`.
    ///   - apiToken: The API token of the container.
    ///   - webAuthToken: The user's token; nil if nobody is signed in.
    ///   - userRecordName: The record name of the user that `webAuthToken` belongs to.
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

  /// Why the credentials cannot be used.
  public enum Problem: Error, Hashable, Sendable {
    /// Other users of this machine can read the file, or it is not a regular file.
    case exposed(path: String)
    /// The content of the file cannot be decoded or encoded.
    case damaged(path: String)
    /// The file cannot be read.
    ///
    /// - Parameter code: `errno`.
    case unreadable(path: String, code: Int32)
    /// The file cannot be written.
    ///
    /// - Parameter code: `errno`.
    case cannotWrite(path: String, code: Int32)
    /// There is no file: the library is not connected.
    case missing
    /// The credentials are for another account than the library's.
    case otherAccount
  }

  /// Creates the credential file of a library. The file need not exist.
  ///
  /// - Parameter library: The path of the library.
  public init(beside library: String) {
    path = Library.credentialsPath(of: library)
  }

  /// The maximum number of bytes that are read, which is more than any credentials need.
  private static let limit = 65_536

  // MARK: Reading

  /// Reads the file.
  ///
  /// - Returns: nil if there is no file.
  /// - Throws: `unreadable`, `exposed` or `damaged`.
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

  /// Writes the file.
  ///
  /// - Parameter content: The new content.
  /// - Throws: `cannotWrite`.
  public func save(_ content: Content) throws(Problem) {
    try locked { () throws(Problem) in try write(content) }
  }

  /// Changes the content of the file. Does nothing if there is none.
  ///
  /// - Parameter body: Changes the content.
  /// - Throws: The errors of `load` and `save`.
  public func change(_ body: (inout Content) -> Void) throws(Problem) {
    _ = try update { content in
      guard var content else { return nil }
      body(&content)
      return content
    }
  }

  /// Replaces the content of the file, which no other process changes meanwhile.
  ///
  /// - Parameter body: Returns the new content for the present one, which is nil if there is no
  ///   file. Nothing is written if it returns nil.
  /// - Returns: Whether the file was written.
  /// - Throws: The errors of `load` and `save`.
  public func update(_ body: (Content?) -> Content?) throws(Problem) -> Bool {
    try locked { () throws(Problem) in
      guard let content = body(try load()) else { return false }
      try write(content)
      return true
    }
  }

  private var lockPath: String { path + ".lock" }

  /// Runs a closure while it holds the lock that other processes need to change the file.
  ///
  /// - Throws: `cannotWrite` if the lock cannot be acquired, or the error of the closure.
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
    // A file of this name was left by a process that was killed, or somebody else created it. It is
    // not reused, because it would keep its permissions.
    unlink(unfinished)
    let descriptor = open(
      unfinished, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw .cannotWrite(path: path, code: errno) }
    defer {
      close(descriptor)
      unlink(unfinished)
    }
    guard Glibc.write(descriptor, bytes, bytes.count) == bytes.count, fsync(descriptor) == 0,
      rename(unfinished, path) == 0
    else { throw .cannotWrite(path: path, code: errno) }
    // Without this, a power failure could bring back a token that the service no longer accepts.
    Directory.synchronize(Directory.containing(path))
  }
}

extension CredentialFile.Content {
  /// Whether the credentials are for the service of an account, and either nobody or the user of
  /// the account is signed in.
  public func belongs(to account: SyncAccount) -> Bool {
    (origin, container, environment) == (account.origin, account.container, account.environment)
      && (webAuthToken == nil || userRecordName == account.userRecordName)
  }
}

/// The credentials of one account. Reading them fails if the file meanwhile belongs to another
/// account, so that a library is never sent to the wrong account.
struct AccountCredentials: CredentialStore {
  let file: CredentialFile
  let account: SyncAccount

  /// - Throws: `CredentialFile.Problem`
  func read() async throws -> Credentials {
    guard let content = try file.load() else { throw CredentialFile.Problem.missing }
    guard content.belongs(to: account) else { throw CredentialFile.Problem.otherAccount }
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
  /// A description without the tokens.
  public var description: String { "\(origin) \(container) \(environment)" }
  /// The same as `description`.
  public var debugDescription: String { description }
  /// A mirror without children, so that no dump shows the tokens.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
