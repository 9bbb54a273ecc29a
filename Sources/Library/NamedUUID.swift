import Crypto
public import FoundationEssentials

extension UUID {
  /// The UUID of a name, the same wherever it is made: version 5 of RFC 9562, section 5.5.
  public init(name: String, in namespace: UUID) {
    var hash = Insecure.SHA1()
    withUnsafeBytes(of: namespace.uuid) { hash.update(bufferPointer: $0) }
    var name = name
    name.withUTF8 { hash.update(bufferPointer: UnsafeRawBufferPointer($0)) }
    var bytes = Array(hash.finalize())
    bytes[6] = bytes[6] & 0x0F | 0x50
    bytes[8] = bytes[8] & 0x3F | 0x80
    self = bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }
}
