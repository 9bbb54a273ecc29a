import CNettle

/// SHA-256 (FIPS 180-4).
package enum SHA256 {
  /// The number of bytes of a digest.
  package static let byteCount = 32

  /// Returns the digest of bytes.
  package static func digest(of bytes: UnsafeRawBufferPointer) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: byteCount)
    digest_sha256(bytes.count, bytes.bindMemory(to: UInt8.self).baseAddress, &digest)
    return digest
  }

  /// Returns the digest of bytes as lowercase hexadecimal digits.
  package static func hex(of bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    let hex = bytes.withUnsafeBytes(digest).flatMap {
      [digits[Int($0 >> 4)], digits[Int($0 & 15)]]
    }
    return String(decoding: hex, as: UTF8.self)
  }
}
