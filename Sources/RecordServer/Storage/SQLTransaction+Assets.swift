import FoundationEssentials

extension SQLTransaction {
  private static let assetColumns =
    "id, account, zone, type, field, record, checksum, bytes, expires_at"

  private static func asset(_ row: any SQLRow) throws -> AssetRow {
    try AssetRow(
      id: id(row), account: row[1], zone: row[2], type: row[3], field: row[4], record: row[5],
      checksum: row[6], bytes: row[7], expiresAt: row[8])
  }

  /// Returns an asset; nil if there is none with this ID.
  func asset(_ id: AssetID, of owner: OwnerID) throws -> AssetRow? {
    try lock(owner)
    return try connection.row(
      "SELECT \(Self.assetColumns) FROM asset WHERE owner_id = ? AND id = ?",
      [owner.rawValue, id.bytes], Self.asset)
  }

  /// Returns a part of a chunk of an asset; nil if the chunk is not stored.
  ///
  /// - Parameters:
  ///   - number: the number of the chunk; the first chunk is 0.
  ///   - offset: the position in the chunk where the part begins.
  ///   - count: the maximum number of bytes to return.
  func bytes(
    ofChunk number: Int, from offset: Int, count: Int, of id: AssetID, in owner: OwnerID
  ) throws -> Data? {
    try connection.row(
      """
      SELECT substr(bytes, CAST(? AS INTEGER), CAST(? AS INTEGER)) FROM asset_chunk
      WHERE owner_id = ? AND asset = ? AND number = ?
      """, [offset + 1, count, owner.rawValue, id.bytes, number]
    ) { try $0[0] as Data }
  }

  /// Returns assets that no record holds and that expired before or at `time`.
  func expiredAssets(of owner: OwnerID, at time: Int64, limit: Int) throws -> [AssetRow] {
    try lock(owner)
    return try connection.rows(
      """
      SELECT \(Self.assetColumns) FROM asset
      WHERE owner_id = ? AND expires_at <= ? ORDER BY expires_at LIMIT ?
      """, [owner.rawValue, time, limit], Self.asset)
  }

  fileprivate static func id(_ row: any SQLRow) throws -> AssetID {
    guard let id = AssetID(try row[0]) else { throw StorageFailure.failed(.damaged(.asset)) }
    return id
  }
}

extension SQLWriteTransaction {
  /// The maximum number of chunks that a transaction deletes. SQLite reads all pages of a chunk to
  /// delete it.
  private static let deletedChunks = 64

  /// Saves an asset; replaces one with the same ID.
  func save(_ asset: AssetRow, in owner: OwnerID) throws {
    try restrictChanges(to: owner)
    try connection.run(
      """
      INSERT INTO asset VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (owner_id, id) DO UPDATE SET
      account = excluded.account, zone = excluded.zone, type = excluded.type,
      field = excluded.field, record = excluded.record, checksum = excluded.checksum,
      bytes = excluded.bytes, expires_at = excluded.expires_at
      """,
      [
        owner.rawValue, asset.id.bytes, asset.account, asset.zone, asset.type, asset.field,
        asset.record, asset.checksum, asset.bytes, asset.expiresAt,
      ])
  }

  /// Saves the bytes of a chunk of an asset.
  func saveChunk(_ bytes: Data, number: Int, of id: AssetID, in owner: OwnerID) throws {
    try restrictChanges(to: owner)
    try connection.run(
      "INSERT INTO asset_chunk VALUES (?, ?, ?, ?)", [owner.rawValue, id.bytes, number, bytes])
  }

  /// Deletes the last chunks of an asset and, once none are left, the asset.
  ///
  /// - Parameter limit: the maximum number of chunks to delete.
  /// - Returns: the number of deleted bytes, and whether the asset is gone.
  func deleteChunks(
    of id: AssetID, in owner: OwnerID, limit: Int
  ) throws -> (bytes: Int, isGone: Bool) {
    try restrictChanges(to: owner)
    let chunks = try connection.rows(
      """
      SELECT number, length(bytes) FROM asset_chunk
      WHERE owner_id = ? AND asset = ? ORDER BY number DESC LIMIT ?
      """, [owner.rawValue, id.bytes, min(limit, Self.deletedChunks)]
    ) { try ($0[0] as Int, $0[1] as Int) }
    let bytes = chunks.reduce(0) { $0 + $1.1 }
    for (number, _) in chunks {
      try connection.run(
        "DELETE FROM asset_chunk WHERE owner_id = ? AND asset = ? AND number = ?",
        [owner.rawValue, id.bytes, number])
    }
    if chunks.last?.0 ?? 0 == 0 {
      try connection.run(
        "DELETE FROM asset WHERE owner_id = ? AND id = ?", [owner.rawValue, id.bytes])
      return (bytes, true)
    }
    try connection.run(
      "UPDATE asset SET bytes = bytes - ?, checksum = NULL WHERE owner_id = ? AND id = ?",
      [bytes, owner.rawValue, id.bytes])
    return (bytes, false)
  }

  /// Deletes chunks of an owner's assets.
  ///
  /// - Parameter incarnation: the incarnation of a zone; nil for all assets of the owner.
  /// - Returns: the number of deleted bytes; nil if there were no assets.
  func purgeAssets(_ owner: OwnerID, _ incarnation: Int64?, limit: Int) throws -> Int? {
    let ids = try connection.rows(
      """
      SELECT id FROM asset
      WHERE owner_id = ?\(incarnation == nil ? "" : " AND zone = ?") LIMIT ?
      """,
      incarnation.map { [owner.rawValue, $0, limit] } ?? [owner.rawValue, limit],
      Self.id)
    return try purge(ids, of: owner, limit: limit)
  }

  /// Deletes some of the assets in a public database that belong to an account. The quota of an
  /// account includes the bytes of its assets.
  ///
  /// - Parameter limit: the maximum number of chunks to delete in this transaction.
  /// - Returns: false if the account has no assets left. Otherwise, call this again.
  func purgeAssets(of account: Int64, in owner: OwnerID, limit: Int) throws -> Bool {
    let ids = try connection.rows(
      "SELECT id FROM asset WHERE owner_id = ? AND account = ? LIMIT ?",
      [owner.rawValue, account, limit], Self.id)
    return try purge(ids, of: owner, limit: limit) != nil
  }

  /// Deletes chunks of some assets.
  ///
  /// - Returns: the number of deleted bytes; nil if there are no assets.
  private func purge(_ ids: [AssetID], of owner: OwnerID, limit: Int) throws -> Int? {
    guard !ids.isEmpty else { return nil }
    var bytes = 0
    let most = min(limit, Self.deletedChunks) * AssetRow.chunkBytes
    for id in ids where bytes < most {
      bytes += try deleteChunks(of: id, in: owner, limit: limit).bytes
    }
    return bytes
  }
}
