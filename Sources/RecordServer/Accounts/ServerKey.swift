import Crypto
import FoundationEssentials
import Glibc

/// The secret key of the server, from which the tokens of sessions and the signatures of forms are
/// derived. It has its own file, so that the database or a backup of it is not enough to forge
/// them.
public struct ServerKey: Sendable {
  /// The length of the key in bytes.
  static let length = 32

  private let key: SymmetricKey

  init(bytes: [UInt8]) {
    key = SymmetricKey(data: bytes)
  }

  var bytes: [UInt8] { key.withUnsafeBytes { Array($0) } }

  /// Returns cryptographically secure random bytes (`SystemRandomNumberGenerator`).
  public static func randomBytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in .random(in: .min ... .max) }
  }

  /// Reads the key from a file. If the file does not exist, it is created with a new key so that
  /// only its owner can read it. Processes that start at the same time get the same key.
  ///
  /// - Parameters:
  ///   - path: the path of the file.
  ///   - random: returns the given number of cryptographically secure random bytes.
  /// - Throws: `exposed` if it is not a regular file that only its owner can use; otherwise the
  ///   reason why it cannot be read or created.
  public static func load(
    path: String, random: @Sendable (Int) -> [UInt8]
  ) throws(ServerKeyFailure) -> ServerKey {
    if let key = try read(path) { return key }
    try make(path, random(length))
    guard let key = try read(path) else { throw .unreadable(path: path, code: ENOENT) }
    return key
  }

  /// Reads the key from a file, which is not created.
  ///
  /// - Throws: a `ServerKeyFailure`, also if the file does not exist.
  static func existing(path: String) throws(ServerKeyFailure) -> ServerKey {
    guard let key = try read(path) else { throw .unreadable(path: path, code: ENOENT) }
    return key
  }

  /// Reads the key; nil if the file does not exist.
  private static func read(_ path: String) throws(ServerKeyFailure) -> ServerKey? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
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
    // Read up to one byte more than a valid file has, to detect longer files.
    var text = [UInt8](repeating: 0, count: 2 * length + 2)
    let count = Glibc.read(descriptor, &text, text.count)
    guard count >= 0 else { throw .unreadable(path: path, code: errno) }
    let digits = String(decoding: text[..<count], as: UTF8.self)
    guard digits.hasSuffix("\n"), let bytes = Hex.bytes(digits.dropLast()), bytes.count == length
    else { throw .damaged(path: path) }
    return ServerKey(bytes: bytes)
  }

  /// Creates the file with all its content. If another process has created it in the meantime, that
  /// file stays.
  private static func make(_ path: String, _ bytes: [UInt8]) throws(ServerKeyFailure) {
    let unfinished = "\(path).\(getpid())-\(UInt64.random(in: .min ... .max)).new"
    let descriptor = open(unfinished, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .cannotCreate(path: path, code: errno) }
    defer {
      close(descriptor)
      unlink(unfinished)
    }
    guard writeAll(Array((Hex.text(bytes) + "\n").utf8), to: descriptor), fsync(descriptor) == 0
    else {
      throw .cannotCreate(path: path, code: errno)
    }
    // Unlike a rename, a link does not replace an existing file.
    guard link(unfinished, path) == 0 || errno == EEXIST else {
      throw .cannotCreate(path: path, code: errno)
    }
    synchronizeDirectory(of: path)
  }

  // MARK: Derived values

  /// Returns 32 bytes derived for another use. They reveal nothing about the key or the values for
  /// other uses.
  public func secret(for use: String) -> [UInt8] {
    code(SHA256.self, "secret", [Array(use.utf8)])
  }

  /// Returns an HMAC-SHA256, which proves that this server wrote the bytes for a purpose.
  func seal(_ bytes: [UInt8], purpose: String) -> [UInt8] {
    code(SHA256.self, purpose, [bytes])
  }

  /// The length of a long seal in bytes.
  static let longSealLength = SHA512.byteCount

  /// Returns an HMAC-SHA512 over length-prefixed parts.
  func longSeal(_ parts: [[UInt8]], purpose: String) -> [UInt8] {
    code(SHA512.self, purpose, parts)
  }

  /// Whether `seal` returns this value for the bytes. The comparison takes constant time.
  func isSeal(_ seal: [UInt8], of bytes: [UInt8], purpose: String) -> Bool {
    Self.areEqual(self.seal(bytes, purpose: purpose), seal)
  }

  /// Compares two values in constant time.
  static func areEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
    SymmetricKey(data: one) == SymmetricKey(data: other)
  }

  private func code<Hash: HashFunction>(
    _: Hash.Type, _ purpose: String, _ parts: [[UInt8]]
  ) -> [UInt8] {
    var code = HMAC<Hash>(key: key)
    // Each part follows its length, so that two different lists of parts never have the same
    // encoding.
    for part in [Array(purpose.utf8)] + parts {
      withUnsafeBytes(of: UInt64(part.count).bigEndian) { code.update(data: $0) }
      code.update(data: part)
    }
    return Array(code.finalize())
  }
}

extension ServerKey: CustomStringConvertible, CustomReflectable {
  public var description: String { "ServerKey" }
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The reason why the key cannot be read or created.
public enum ServerKeyFailure: Error, Hashable, Sendable {
  /// The file cannot be read; `code` is an `errno`.
  case unreadable(path: String, code: Int32)
  /// The file cannot be created; `code` is an `errno`.
  case cannotCreate(path: String, code: Int32)
  /// The file is not a regular file that only its owner can read and change.
  case exposed(path: String)
  /// The file does not contain a key.
  case damaged(path: String)
}
