import CloudRecords
import Crypto
import FoundationEssentials

/// An asset that is being received. Its bytes are stored in chunks as they arrive, and count
/// against the quota.
///
///     var upload = try await service.beginUpload(permission, bytes: length)
///     do {
///       for try await part in body { try await upload.append(part) }
///       let asset = try await upload.finish()
///     } catch {
///       await upload.discard()
///     }
struct AssetUpload {
  private let service: RecordService
  /// What the URL permits.
  let permission: AssetSigner.Upload
  private let owner: OwnerID
  private var row: AssetRow
  private var hash = SHA256()
  /// The bytes that are not stored yet.
  private var buffer = Data()
  private var chunks = 0
  /// The number of bytes received.
  private(set) var bytes = 0

  init(service: RecordService, _ permission: AssetSigner.Upload, _ id: AssetID) {
    self.service = service
    self.permission = permission
    owner = OwnerID(rawValue: permission.owner)
    row = AssetRow(
      id: id, account: permission.account, zone: permission.zone, type: permission.type,
      field: permission.field, record: permission.record,
      expiresAt: service.now() + RecordService.unusedAssetLifetime)
  }

  /// Receives bytes.
  ///
  /// - Throws: LIMIT_EXCEEDED, QUOTA_EXCEEDED; NOT_FOUND if the zone or the account was deleted
  ///   meanwhile; the errors of the storage.
  mutating func append(_ part: some Collection<UInt8>) async throws(ServiceError) {
    bytes += part.count
    guard bytes <= Limits.assetBytes else {
      throw ServiceError(.limitExceeded, cause: .bodyTooLarge(limit: Limits.assetBytes))
    }
    buffer.append(contentsOf: part)
    while buffer.count >= AssetRow.chunkBytes {
      let chunk = buffer.prefix(AssetRow.chunkBytes)
      hash.update(data: chunk)
      try await write(chunk)
      buffer = Data(buffer.dropFirst(AssetRow.chunkBytes))
    }
  }

  /// Stores the rest of the bytes.
  ///
  /// - Returns: the asset with its receipt.
  /// - Throws: as `append`.
  mutating func finish() async throws(ServiceError) -> Asset {
    let rest = buffer
    hash.update(data: rest)
    let checksum = Data(hash.finalize())
    row.checksum = checksum
    row.expiresAt = service.now() + RecordService.unusedAssetLifetime
    try await write(rest)
    return Asset(
      fileChecksum: checksum.base64EncodedString(), size: Int64(bytes),
      referenceChecksum: Data(SHA256.hash(data: row.id.bytes)).base64EncodedString(),
      wrappingKey: row.id.bytes.base64EncodedString(),
      receipt: service.signer.assets.receipt(of: row, in: owner))
  }

  /// Deletes the stored chunks, even if the task was cancelled.
  func discard() async {
    guard chunks > 0 else { return }
    let (service, row, owner) = (service, row, owner)
    // What cannot be deleted now is deleted when it expires.
    await Task { _ = try? await service.delete(row, of: owner) }.value
  }

  /// Stores a chunk and the row in one transaction.
  private mutating func write(_ chunk: Data) async throws(ServiceError) {
    row.bytes += chunk.count
    let (row, owner, permission, number) = (row, owner, permission, chunks)
    let quota = service.options.quota
    try await service.write(for: permission.account) { transaction in
      let isAlive =
        number == 0
        ? try transaction.isAlive(permission) : try transaction.asset(row.id, of: owner) != nil
      guard isAlive else { throw ServiceError(.notFound, cause: .unusableAssetURL) }
      let usage = try transaction.usage(of: row.account, in: owner)
      guard usage.bytes + chunk.count <= quota.bytes else {
        throw ServiceError(.quotaExceeded, cause: .quotaExceeded)
      }
      try transaction.save(row, in: owner)
      guard !chunk.isEmpty else { return }
      try transaction.saveChunk(chunk, number: number, of: row.id, in: owner)
      try transaction.charge(Usage(bytes: chunk.count), to: row.account, in: owner)
    }
    chunks += 1
  }
}

extension SQLWriteTransaction {
  /// Whether the account that uploads and the zone for which it uploads still exist.
  fileprivate func isAlive(_ upload: AssetSigner.Upload) throws -> Bool {
    // The look-up of the zone locks the owner.
    guard let zone = try zone(upload.zoneName, of: OwnerID(rawValue: upload.owner)),
      try !isGone(account: upload.account, isHeld: false)
    else { return false }
    return !zone.isDeleted && zone.incarnation == upload.zone
  }
}
