import CloudRecords

/// The download URLs of the assets in one response.
struct AssetLinks {
  let signer: AssetSigner
  let owner: OwnerID
  /// The account that is charged for downloads; 0 if the caller is not signed in.
  let account: Int64
  /// The end of their validity in milliseconds since 1970.
  let expiresAt: Int64

  /// The beginning of the path of download URLs.
  static let path = "/assets/download/"

  /// Returns the record with a URL in each of its assets. The URLs are paths until the response is
  /// encoded.
  func addingURLs(to record: Record) throws -> Record {
    var record = record
    for (name, field) in record.fields {
      guard let value = field.value, !value.assets.isEmpty else { continue }
      record.fields[name]?.content = .value(try value.mappingAssets(addingURL))
    }
    return record
  }

  private func addingURL(to asset: Asset) throws -> Asset {
    guard let id = asset.id else { return asset }
    var asset = asset
    asset.downloadURL =
      try Self.path
      + signer.seal(
        AssetSigner.Download(
          owner: owner.rawValue, asset: id.bytes, account: account, expiresAt: expiresAt))
    return asset
  }
}

extension Field {
  /// The field without the URLs of its assets.
  var withoutURL: Field {
    guard let value, !value.assets.isEmpty else { return self }
    let bare = value.mappingAssets { asset -> Asset in
      var asset = asset
      asset.downloadURL = nil
      return asset
    }
    return Field(bare, isEncrypted: isEncrypted)
  }
}

extension RequestContext {
  /// The download URLs of the assets in a response.
  ///
  /// - Parameter now: the time of the request in milliseconds since 1970.
  func assetLinks(_ signer: TokenSigner, at now: Int64) -> AssetLinks {
    AssetLinks(
      signer: signer.assets, owner: owner.id, account: caller?.account ?? 0,
      expiresAt: now + AssetSigner.downloadLifetime)
  }
}
