import CloudRecords
import Crypto
import FoundationEssentials

/// The position where a page of a query ended. The client gets it as an opaque, signed string.
struct ContinuationMarker: Hashable {
  /// The epoch of the environment when the marker was issued.
  var epoch: Int64
  /// The digest of the query: a marker is valid only for the query it was issued for.
  var digest: Data
  /// Where the page ended.
  var end: QueryRun.PageEnd
  /// The newest tag of the zone, or of the database if the query covers all zones; nil in markers
  /// issued before marks were introduced.
  var tag: ChangeTag?

  /// The length of a digest in bytes.
  private static let digestLength = 8
  /// Stands for nil in the encoding.
  private static let none = 0xFFFF

  /// The digest of a query and of the zone that it searches.
  ///
  /// - Parameter zone: the name of the zone; nil if the query searches all zones.
  static func digest(_ query: Query, zone: String?) throws -> Data {
    var hash = SHA256()
    hash.update(data: try Wire.encode(query))
    hash.update(data: Data((zone ?? "").utf8))
    return Data(hash.finalize().prefix(digestLength))
  }

  /// The marker in its signed form, as sent to the client.
  func signed(by signer: TokenSigner, for purpose: TokenSigner.Purpose) -> String {
    var content = Data(bigEndian: epoch)
    content.append(digest)
    content.append(number: end.condition ?? Self.none)
    content.append(number: end.key)
    content.append(counted: Data(end.zone.utf8))
    content.append(number: end.position.map { $0.keys.count } ?? Self.none)
    if let position = end.position {
      for key in position.keys { content.append(counted: key.bytes) }
      content.append(counted: Data(position.name.utf8))
    }
    if let tag {
      content += Data(bigEndian: tag.number) + Data(bigEndian: tag.mark.stored)
    }
    return signer.sign(content, for: purpose)
  }
}

extension ContinuationMarker {
  /// Verifies and decodes a marker.
  ///
  /// - Throws: a `TokenProblem` if the marker is truncated, or was not issued by this service for
  ///   this purpose.
  init(
    _ marker: String, signedBy signer: TokenSigner, for purpose: TokenSigner.Purpose
  ) throws(TokenProblem) {
    var reader = ByteReader(try signer.verify(marker, length: 1, for: purpose))
    guard let epoch = reader.int64(), let digest = reader.data(Self.digestLength),
      let condition = reader.int16(), let key = reader.int16(), let zone = reader.counted(),
      let count = reader.int16()
    else { throw .unknown }
    self.init(
      epoch: epoch, digest: digest,
      end: QueryRun.PageEnd(
        condition: condition == Self.none ? nil : condition, key: key,
        zone: String(decoding: zone, as: UTF8.self)))
    if count != Self.none {
      var keys: [IndexKey] = []
      for _ in 0..<count {
        guard let key = reader.counted() else { throw .unknown }
        keys.append(IndexKey(bytes: key))
      }
      guard let name = reader.counted() else { throw .unknown }
      end.position = RecordSearch.Position(keys: keys, name: String(decoding: name, as: UTF8.self))
    }
    guard !reader.isAtEnd else { return }
    guard let number = reader.int64(), let mark = reader.int64(), reader.isAtEnd else {
      throw .unknown
    }
    tag = ChangeTag(number: number, mark: Mark(stored: mark))
  }
}

extension Data {
  /// Appends 16 bits, big-endian.
  fileprivate mutating func append(number: Int) {
    append(contentsOf: [UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number)])
  }

  /// Appends the length in 16 bits and the bytes.
  fileprivate mutating func append(counted bytes: Data) {
    append(number: bytes.count)
    append(bytes)
  }
}

extension ByteReader {
  /// Reads a length in 16 bits and that many bytes.
  fileprivate mutating func counted() -> Data? {
    guard let count = int16() else { return nil }
    return data(count)
  }
}
