import CloudRecords
import FoundationEssentials

extension BatchPass {
  /// Checks the assets of a record that is going to be saved: each was already in the same field,
  /// or has a receipt for the field and is not that of another record. Removes the receipts and
  /// URLs, which are not stored.
  ///
  /// An asset belongs to one record. Apple: for several records, create an asset for each
  /// (`CKAsset.init(fileURL:)`).
  ///
  /// - Parameter before: the record before the operation; nil if it is new.
  /// - Throws: BAD_REQUEST; QUOTA_EXCEEDED if the account that pays for the record has no room.
  mutating func admitAssets(of candidate: inout Candidate, before: RecordRow?) throws {
    let row = candidate.row
    let values = candidate.fields.compactMapValues(\.value).filter { !$0.value.assets.isEmpty }
    guard !values.isEmpty else { return }
    // A caller who cannot read the record must not get its assets by naming their checksums.
    let readable = before.flatMap { isVisible($0.heading) ? $0 : nil }
    let fieldsBefore = try readable.map { try fields(of: $0) } ?? [:]
    for (field, value) in values {
      let known = Dictionary(
        (fieldsBefore[field]?.value?.assets ?? []).map { (AssetContent($0), $0) }
      ) { first, _ in first }
      candidate.fields[field]?.content = .value(
        try value.mappingAssets { asset throws -> Asset in
          // Clients send an asset back as they got it, without its receipt.
          if let same = known[AssetContent(asset)] { return same }
          return try admit(asset, in: field, of: row)
        })
    }
  }

  /// Returns a new asset of a record as it is stored.
  private mutating func admit(
    _ asset: Asset, in field: String, of record: RecordRow
  ) throws -> Asset {
    let invalid = ServiceError(.badRequest, cause: .invalidReceipt(field: field))
    let signer = batch.records.signer.assets
    guard let receipt = asset.receipt, let id = signer.id(in: receipt),
      let stored = try batch.records.asset(id), let checksum = stored.checksum,
      signer.isReceipt(receipt, of: stored, in: batch.scope.owner),
      stored.zone == batch.scope.incarnation, stored.type == record.type, stored.field == field,
      asset.fileChecksum == checksum.base64EncodedString(), asset.size == Int64(stored.bytes)
    else { throw invalid }
    // The name is set if it was uploaded for one record only, or if a record holds it.
    let isHeld = stored.expiresAt == nil
    guard stored.record.map({ $0 == record.name }) ?? true else {
      throw isHeld ? ServiceError(.badRequest, cause: .assetInUse(field: field)) : invalid
    }
    // All accounts share the owner of a public database, so the account is compared, too.
    guard
      isHeld
        || stored.expiresAt.map({ $0 > batch.now }) == true
          && stored.account == context.caller?.account
    else { throw invalid }
    // A list can have the same asset several times.
    let isFirst = claims[id] == nil
    guard claim(id, for: record.name) else {
      throw ServiceError(.badRequest, cause: .assetInUse(field: field))
    }
    if !isHeld, isFirst {
      try usage.move(stored.bytes, from: stored.account, to: context.payer(of: record))
    }
    return Asset(
      fileChecksum: asset.fileChecksum, size: asset.size,
      referenceChecksum: asset.referenceChecksum,
      wrappingKey: id.bytes.base64EncodedString())
  }
}

extension BatchWriter {
  /// Marks the new assets of a changed record as held, and lets the assets expire that it no longer
  /// has.
  ///
  /// - Returns: whether any expired.
  func saveAssets(
    of name: String, before: Set<AssetID>, after: Set<AssetID>, payer: Int64,
    to transaction: SQLWriteTransaction
  ) throws -> Bool {
    let owner = batch.scope.owner
    func change(_ ids: Set<AssetID>, _ change: (inout AssetRow) -> Void) throws {
      for id in ids {
        guard var asset = try transaction.asset(id, of: owner) else {
          throw StorageFailure.failed(.missing(.asset))
        }
        change(&asset)
        try transaction.save(asset, in: owner)
      }
    }
    try change(after.subtracting(before)) { asset in
      asset.record = name
      asset.account = payer
      asset.expiresAt = nil
    }
    let gone = before.subtracting(after)
    try change(gone) { $0.expiresAt = batch.now }
    return !gone.isEmpty
  }
}

/// What two assets with the same bytes have in common.
private struct AssetContent: Hashable {
  let checksum: String
  let size: Int64

  init(_ asset: Asset) {
    checksum = asset.fileChecksum
    size = asset.size
  }
}
