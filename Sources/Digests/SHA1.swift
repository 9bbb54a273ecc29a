import CNettle

/// SHA-1 (FIPS 180-4). It is not secure, and only used for UUIDs of version 5, which require it.
package enum SHA1 {
  /// Returns the digest of bytes.
  package static func digest(of bytes: [UInt8]) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: 20)
    digest_sha1(bytes.count, bytes, &digest)
    return digest
  }
}
