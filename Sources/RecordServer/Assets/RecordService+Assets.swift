public import CloudRecords
import FoundationEssentials

extension RecordService {
  /// How long an asset that no record holds is kept after its upload, in milliseconds. The client
  /// saves the record within this time.
  static let unusedAssetLifetime: Int64 = 6 * 3_600_000
  /// The beginning of the path of upload URLs.
  static let uploadPath = "/assets/upload/"

  /// Returns URLs to which the assets of records can be uploaded. They are paths until the response
  /// is encoded.
  ///
  /// In development a field that does not exist yet is accepted, as saving the record creates it.
  ///
  /// - Throws: AUTHENTICATION_REQUIRED without a caller; BAD_REQUEST if a field is not for assets
  ///   or a record name is invalid; ACCESS_DENIED if the caller may not save a record with the
  ///   field; LIMIT_EXCEEDED if there are too many tokens; QUOTA_EXCEEDED.
  public func assetsUpload(
    _ request: AssetsUpload.Request, at address: DatabaseAddress, by caller: Caller?
  ) async throws(ServiceError) -> AssetsUpload.Response {
    try Limits.check(items: request.tokens.count, atMost: Limits.operations)
    let caller = try caller.signedIn()
    let expiresAt = now() + AssetSigner.uploadLifetime
    return try await read(at: address, by: caller) { transaction, context in
      let zone = try context.zone(request.zoneID, in: transaction)
      guard
        try transaction.usage(of: caller.account, in: context.owner.id).bytes < options.quota.bytes
      else { throw ServiceError(.quotaExceeded, cause: .quotaExceeded) }
      let tokens = try request.tokens.map { token in
        if let name = token.recordName,
          let problem = RecordNameRules.problem(withName: name, user: caller.userRecordName)
        {
          throw ServiceError(.badRequest, cause: .invalidName(name, problem), recordName: name)
        }
        try Self.check(token, context)
        try Self.checkGrants(of: token, in: context.scope(zone), context, transaction)
        let permission = try signer.assets.seal(
          AssetSigner.Upload(
            owner: context.owner.id.rawValue, zoneName: zone.name, zone: zone.incarnation,
            account: caller.account, type: token.recordType, field: token.fieldName,
            record: token.recordName, expiresAt: expiresAt))
        return AssetsUpload.UploadURL(
          recordName: token.recordName ?? options.newName(), fieldName: token.fieldName,
          url: Self.uploadPath + permission)
      }
      return AssetsUpload.Response(tokens: tokens)
    }
  }

  /// Checks that a field is for assets.
  private static func check(
    _ token: AssetsUpload.Token, _ context: RequestContext
  ) throws(ServiceError) {
    var draft = RecordInput(type: token.recordType)
    draft[token.fieldName] = .asset(Asset(fileChecksum: "", size: 0))
    var schema = context.state.schema
    if context.address.environment == .development {
      schema = try schema.adding(typesAndFieldsOf: draft)
    }
    if let type = schema[token.recordType]?.fields[token.fieldName]?.type, type.isList {
      draft[token.fieldName] = .assets([])
    }
    _ = try schema.check(draft)
  }

  /// Checks that the caller may save the record, if it exists, or create one of the type.
  private static func checkGrants(
    of token: AssetsUpload.Token, in scope: Scope, _ context: RequestContext,
    _ transaction: SQLTransaction
  ) throws {
    let row = try token.recordName.flatMap {
      try transaction.records([$0], in: scope, bytes: .max)[$0]
    }
    if let row, !row.isDeleted, context.allows(.read, row.heading) {
      guard context.allows(.write, row.heading) else {
        throw ServiceError(.accessDenied, cause: .notPermitted(.write))
      }
    } else if context.state.schema[token.recordType] != nil {
      // The type of a record that does not exist is created with the default grants.
      guard context.allows(.create, type: token.recordType, creator: nil) else {
        throw ServiceError(.accessDenied, cause: .notPermitted(.create))
      }
    }
  }

  // MARK: Uploading

  /// Begins to receive an asset.
  ///
  /// - Parameters:
  ///   - permission: the last part of the upload URL.
  ///   - bytes: the number of bytes that the client announces; nil if it does not.
  /// - Throws: NOT_FOUND if the URL is wrong or has expired; LIMIT_EXCEEDED; QUOTA_EXCEEDED.
  func beginUpload(
    _ permission: String, bytes: Int?
  ) async throws(ServiceError) -> AssetUpload {
    guard let upload = signer.assets.upload(permission), now() < upload.expiresAt else {
      throw ServiceError(.notFound, cause: .unusableAssetURL)
    }
    guard bytes ?? 0 <= Limits.assetBytes else {
      throw ServiceError(.limitExceeded, cause: .bodyTooLarge(limit: Limits.assetBytes))
    }
    let usage = try await read {
      try $0.usage(of: upload.account, in: OwnerID(rawValue: upload.owner))
    }
    guard usage.bytes + (bytes ?? 0) <= options.quota.bytes else {
      throw ServiceError(.quotaExceeded, cause: .quotaExceeded)
    }
    return AssetUpload(service: self, upload, AssetID(random: options.randomNumber))
  }

  // MARK: Downloading

  /// An asset that may be downloaded.
  struct AssetDownload {
    let owner: OwnerID
    let row: AssetRow
    /// The account that is charged; nil if the URL was given to someone who was not signed in.
    let account: Int64?
  }

  /// Returns the asset of a download URL.
  ///
  /// - Parameter permission: the last part of the URL.
  /// - Throws: NOT_FOUND if the URL is wrong or has expired, or no record holds the asset any more.
  func download(_ permission: String) async throws(ServiceError) -> AssetDownload {
    guard let download = signer.assets.download(permission), now() < download.expiresAt,
      let id = AssetID(download.asset)
    else { throw ServiceError(.notFound, cause: .unusableAssetURL) }
    let owner = OwnerID(rawValue: download.owner)
    guard let row = try await read({ try $0.asset(id, of: owner) }), row.expiresAt == nil else {
      throw ServiceError(.notFound, cause: .unusableAssetURL)
    }
    return AssetDownload(
      owner: owner, row: row, account: download.account == 0 ? nil : download.account)
  }

  /// Returns bytes of an asset. All are from one chunk, so there may be fewer than `count`.
  ///
  /// - Parameter position: the number of bytes before them, less than the size of the asset.
  /// - Throws: NOT_FOUND if the asset was deleted meanwhile.
  func bytes(
    of asset: AssetDownload, from position: Int, count: Int
  ) async throws(ServiceError) -> Data {
    let (number, offset) = position.quotientAndRemainder(dividingBy: AssetRow.chunkBytes)
    let bytes = try await read {
      try $0.bytes(
        ofChunk: number, from: offset, count: count, of: asset.row.id, in: asset.owner)
    }
    guard let bytes, !bytes.isEmpty else {
      throw ServiceError(.notFound, cause: .unusableAssetURL)
    }
    return bytes
  }

  // MARK: Deleting

  /// The number of assets that are looked up at once.
  private static let expiredAssets = 100

  /// Deletes the assets that no record holds any more, and those that were uploaded hours ago and
  /// never saved in a record.
  public func deleteUnusedAssets() async throws(ServiceError) {
    try await eachOwner { owner throws(ServiceError) in
      try await self.deleteUnusedAssets(of: owner)
    }
  }

  /// Deletes the assets of an owner that no record holds, in small transactions.
  func deleteUnusedAssets(of owner: OwnerID) async throws(ServiceError) {
    while true {
      let time = now()
      let expired = try await read {
        try $0.expiredAssets(of: owner, at: time, limit: Self.expiredAssets)
      }
      for asset in expired { try await delete(asset, of: owner) }
      if expired.count < Self.expiredAssets { return }
    }
  }

  /// Deletes an asset that no record holds, in small transactions.
  func delete(_ asset: AssetRow, of owner: OwnerID) async throws(ServiceError) {
    var isGone = false
    while !isGone {
      isGone = try await write { transaction in
        guard try transaction.asset(asset.id, of: owner)?.expiresAt != nil else { return true }
        let deleted = try transaction.deleteChunks(of: asset.id, in: owner, limit: .max)
        try transaction.charge(Usage(bytes: -deleted.bytes), to: asset.account, in: owner)
        return deleted.isGone
      }
    }
  }
}
