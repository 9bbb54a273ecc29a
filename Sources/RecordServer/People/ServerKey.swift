import Crypto
import FoundationEssentials
import Glibc

/// The server's own secret, of which the tokens of sessions and the seals on forms are made.
/// It lies in a file of its own, so that who reads the database, or a backup of it, can make
/// neither.
public struct ServerKey: Sendable {
  static let length = 32

  private let key: SymmetricKey

  init(bytes: [UInt8]) {
    key = SymmetricKey(data: bytes)
  }

  /// The key that a file holds. Where there is none it is made, once, readable by its owner
  /// only; of processes that begin together all get the same.
  ///
  /// - Parameter random: makes so many random bytes.
  public static func load(
    path: String, random: @Sendable (Int) -> [UInt8]
  ) throws(ServerKeyFailure) -> ServerKey {
    if let key = try read(path) { return key }
    try make(path, random(length))
    guard let key = try read(path) else { throw .unreadable(path: path, code: ENOENT) }
    return key
  }

  /// - Returns: nil where there is no file.
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
    // One more than it should have, to see that it has not.
    var text = [UInt8](repeating: 0, count: 2 * length + 2)
    let count = Glibc.read(descriptor, &text, text.count)
    guard count >= 0 else { throw .unreadable(path: path, code: errno) }
    let digits = String(decoding: text[..<count], as: UTF8.self)
    guard digits.hasSuffix("\n"), let bytes = Hex.bytes(digits.dropLast()), bytes.count == length
    else { throw .damaged(path: path) }
    return ServerKey(bytes: bytes)
  }

  /// Puts a whole file in the place, or leaves one that is there meanwhile.
  private static func make(_ path: String, _ bytes: [UInt8]) throws(ServerKeyFailure) {
    let unfinished = "\(path).\(getpid())-\(UInt64.random(in: .min ... .max)).new"
    let descriptor = open(unfinished, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .cannotCreate(path: path, code: errno) }
    defer {
      close(descriptor)
      unlink(unfinished)
    }
    let text = Array((Hex.text(bytes) + "\n").utf8)
    guard write(descriptor, text, text.count) == text.count, fsync(descriptor) == 0 else {
      throw .cannotCreate(path: path, code: errno)
    }
    // A link, unlike a rename, takes nobody's place.
    guard link(unfinished, path) == 0 || errno == EEXIST else {
      throw .cannotCreate(path: path, code: errno)
    }
    synchronizeDirectory(of: path)
  }

  // MARK: What is made of it

  /// Thirty-two bytes that are made of it for another use, and tell nothing of it nor of
  /// those for any other.
  public func secret(for use: String) -> [UInt8] {
    code(SHA256.self, "secret", [Array(use.utf8)])
  }

  /// What proves that this server wrote something, for one purpose.
  func seal(_ bytes: [UInt8], purpose: String) -> [UInt8] {
    code(SHA256.self, purpose, [bytes])
  }

  /// Bytes of a long seal.
  static let longSealLength = SHA512.byteCount

  /// An HMAC-SHA512 over length-prefixed parts.
  func longSeal(_ parts: [[UInt8]], purpose: String) -> [UInt8] {
    code(SHA512.self, purpose, parts)
  }

  /// Compares in a time that tells nothing of where they differ.
  func isSeal(_ seal: [UInt8], of bytes: [UInt8], purpose: String) -> Bool {
    Self.areEqual(self.seal(bytes, purpose: purpose), seal)
  }

  /// Compares in a time that tells nothing of where they differ.
  static func areEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
    SymmetricKey(data: one) == SymmetricKey(data: other)
  }

  private func code<Hash: HashFunction>(
    _: Hash.Type, _ purpose: String, _ parts: [[UInt8]]
  ) -> [UInt8] {
    var code = HMAC<Hash>(key: key)
    // Each with its length before it, so that no two lists of parts look alike.
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

/// Why there is no key.
public enum ServerKeyFailure: Error, Hashable, Sendable {
  /// `errno`.
  case unreadable(path: String, code: Int32)
  /// `errno`.
  case cannotCreate(path: String, code: Int32)
  /// Others than its owner may read or change it, or it is no plain file.
  case exposed(path: String)
  /// It holds no key.
  case damaged(path: String)
}
