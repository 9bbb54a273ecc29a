import FoundationEssentials

/// A stored asset, without its bytes. The bytes are stored in chunks of `chunkBytes`.
///
/// An asset is stored before the record that contains it is saved, and the transaction that saves
/// the record also marks the asset as held. A record therefore always has the bytes of its assets.
public struct AssetRow: Hashable, Sendable {
  let id: AssetID
  /// The account whose usage includes the bytes.
  var account: Int64
  /// The incarnation of the zone for which it was uploaded.
  var zone: Int64
  /// The record type for which it was uploaded.
  var type: String
  /// The name of the field for which it was uploaded.
  var field: String
  /// The name of the record that holds it or, before a record does, of the only one that may; nil
  /// if any record may.
  var record: String?
  /// The SHA-256 of the bytes; nil until they are complete.
  var checksum: Data?
  /// The number of stored bytes.
  var bytes = 0
  /// The time at which it may be deleted, in milliseconds since 1970; nil as long as a record holds
  /// it.
  var expiresAt: Int64?

  /// The number of bytes of each chunk but the last. It must not change, because the position of a
  /// byte is computed from it. A transaction writes one chunk, so others do not wait long for it.
  static let chunkBytes = 1 << 18
}
