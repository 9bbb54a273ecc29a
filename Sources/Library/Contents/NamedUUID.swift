import Digests
public import FoundationEssentials

extension UUID {
  /// Creates the UUID of a name in a namespace, version 5 of RFC 9562, section 5.5.
  public init(name: String, in namespace: UUID) {
    let hashed = withUnsafeBytes(of: namespace.uuid) { Array($0) } + Array(name.utf8)
    var bytes = SHA1.digest(of: hashed)
    bytes[6] = bytes[6] & 0x0F | 0x50
    bytes[8] = bytes[8] & 0x3F | 0x80
    self = bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }
}
