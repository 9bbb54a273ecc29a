import Crypto
import FoundationEssentials

/// Creates and verifies the receipts and URLs of assets.
struct AssetSigner: Sendable {
  /// How long an upload URL is valid, in milliseconds. Apple: 15 minutes.
  static let uploadLifetime: Int64 = 15 * 60_000
  /// How long a download URL is valid, in milliseconds.
  static let downloadLifetime: Int64 = 3_600_000

  private let receiptKey: SymmetricKey
  private let urlKey: SymmetricKey

  /// - Parameter derived: returns a key for a use.
  init(_ derived: (String) -> SymmetricKey) {
    receiptKey = derived("record-service asset receipts")
    urlKey = derived("record-service asset URLs")
  }

  // MARK: Receipts

  /// Returns the proof that an asset was uploaded for a field: its ID and an HMAC-SHA256, in
  /// base64.
  func receipt(of asset: AssetRow, in owner: OwnerID) -> String {
    let code = HMAC<SHA256>.authenticationCode(
      for: Self.subject(of: asset, in: owner), using: receiptKey)
    return (asset.id.bytes + code).base64EncodedString()
  }

  /// The ID in a receipt; nil if it does not have the form of one.
  func id(in receipt: String) -> AssetID? {
    guard let bytes = Data(base64Encoded: receipt),
      bytes.count == AssetID.length + SHA256.byteCount
    else { return nil }
    return AssetID(bytes.prefix(AssetID.length))
  }

  /// Whether this service issued a receipt for the asset.
  func isReceipt(_ receipt: String, of asset: AssetRow, in owner: OwnerID) -> Bool {
    guard let bytes = Data(base64Encoded: receipt) else { return false }
    return HMAC<SHA256>.isValidAuthenticationCode(
      bytes.dropFirst(AssetID.length), authenticating: Self.subject(of: asset, in: owner),
      using: receiptKey)
  }

  /// What a receipt is about. Each part follows its length, so that two different subjects never
  /// have the same bytes.
  private static func subject(of asset: AssetRow, in owner: OwnerID) -> Data {
    let parts = [
      Data(bigEndian: owner.rawValue), Data(bigEndian: asset.zone), Data(asset.type.utf8),
      Data(asset.field.utf8), asset.checksum ?? Data(), Data(bigEndian: Int64(asset.bytes)),
      asset.id.bytes,
    ]
    return parts.reduce(into: Data()) { $0 += Data(bigEndian: Int64($1.count)) + $1 }
  }

  // MARK: URLs

  /// What an upload URL permits: to upload an asset for a field of a record type in a zone.
  struct Upload: Codable, Hashable, Sendable {
    var owner: Int64
    /// The name of the zone.
    var zoneName: String
    /// The incarnation of the zone.
    var zone: Int64
    /// The account that uploads.
    var account: Int64
    var type: String
    var field: String
    /// The only record in which the asset may be saved; nil for any.
    var record: String?
    /// The time at which the URL expires, in milliseconds since 1970.
    var expiresAt: Int64
  }

  /// What a download URL permits: to download an asset.
  struct Download: Codable, Hashable, Sendable {
    var owner: Int64
    var asset: Data
    /// The account that is charged for the download; 0 if the caller was not signed in.
    var account: Int64
    /// The time at which the URL expires, in milliseconds since 1970.
    var expiresAt: Int64
  }

  /// The part of a URL by which an upload is permitted.
  func seal(_ upload: Upload) throws -> String { try seal(upload, "upload") }

  /// The part of a URL by which a download is permitted.
  func seal(_ download: Download) throws -> String { try seal(download, "download") }

  /// What a part of a URL permits; nil if this service did not issue it for an upload.
  func upload(_ text: String) -> Upload? { opened(text, "upload") }

  /// What a part of a URL permits; nil if this service did not issue it for a download.
  func download(_ text: String) -> Download? { opened(text, "download") }

  /// The maximum length of the part of a URL in bytes.
  private static let limit = 4096

  /// Encrypts the value, because clients must not learn the numbers of owners and accounts.
  private func seal(_ value: some Encodable, _ purpose: String) throws -> String {
    let box = try AES.GCM.seal(
      JSONEncoder().encode(value), using: urlKey, authenticating: Data(purpose.utf8))
    return Base64URL.text(box.combined ?? Data())
  }

  private func opened<Value: Decodable>(_ text: String, _ purpose: String) -> Value? {
    guard text.utf8.count <= Self.limit, let bytes = Base64URL.bytes(text),
      let box = try? AES.GCM.SealedBox(combined: bytes),
      let content = try? AES.GCM.open(box, using: urlKey, authenticating: Data(purpose.utf8))
    else { return nil }
    return try? JSONDecoder().decode(Value.self, from: content)
  }
}
