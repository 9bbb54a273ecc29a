import CloudRecords

extension RecordRow {
  /// The record as it appears in responses, with the fields that are stored as JSON unchanged where
  /// possible.
  ///
  /// - Parameters:
  ///   - zoneID: the result of `RequestContext.recordZoneID`.
  ///   - keys: the names of the fields to return; nil for all fields.
  ///   - links: the download URLs of assets.
  ///   - fields: returns all fields. It is called only if some are encrypted or may be assets.
  /// - Throws: what `fields` throws; a `StorageFailure` if the content is damaged.
  func record(
    in zoneID: ZoneID?, selecting keys: Set<String>?, _ links: AssetLinks,
    fields: @autoclosure () throws -> [String: Field]
  ) throws -> Record {
    guard sealed == nil, !mayHaveAssets else {
      let values = RecordValues(row: self, fields: try fields())
      return try links.addingURLs(to: values.record(in: zoneID).selecting(keys))
    }
    do {
      return try Record(
        name, type: type, canonicalFields: content, recordChangeTag: tag, created: created,
        modified: modified, zoneID: zoneID, parent: parent.map { Parent($0) }
      ).selecting(keys)
    } catch {
      throw StorageFailure.failed(.damaged(.record))
    }
  }

  /// Whether the record may have assets. It has none if this is false; encrypted fields are no
  /// assets.
  var mayHaveAssets: Bool { CanonicalJSON.mayHaveAssets(content) }

  /// The time and author of the record's creation.
  var created: ModificationInfo {
    ModificationInfo(
      timestamp: Timestamp(milliseconds: createdAt), userRecordName: createdBy)
  }

  /// The time and author of the last change.
  var modified: ModificationInfo {
    ModificationInfo(
      timestamp: Timestamp(milliseconds: modifiedAt), userRecordName: modifiedBy)
  }
}
