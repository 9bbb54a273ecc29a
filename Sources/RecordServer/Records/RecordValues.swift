import CloudRecords
import FoundationEssentials

/// A record with its decoded fields, as queries, indexes and subscriptions see it.
struct RecordValues {
  let row: RecordRow
  let fields: [String: Field]

  /// The value of a field; nil if the record has none.
  func value(of field: QueryField) -> FieldValue? {
    switch field {
    case .named(let name): fields[name]?.value
    case .system(.recordID): .reference(Reference(row.name))
    case .system(.createTime): .timestamp(Timestamp(milliseconds: row.createdAt))
    case .system(.createdBy): .reference(Reference(row.createdBy))
    case .system(.modTime): .timestamp(Timestamp(milliseconds: row.modifiedAt))
    case .system(.modifiedBy): .reference(Reference(row.modifiedBy))
    case .system(.etag): .string(row.tag)
    case .system(.parent): row.parent.map { .reference(Reference($0)) }
    case .system(.share): nil
    }
  }

  /// The full keys of a field's value, or of the elements of a list.
  func keys(of field: QueryField) -> [IndexKey] {
    value(of: field)?.elements.compactMap(IndexKey.init) ?? []
  }

  /// The index entries of the record.
  ///
  /// - Parameter ids: the IDs of the type's indexed fields, by name.
  func entries(of type: RecordType, ids: [String: FieldID]) -> [IndexEntry] {
    type.indexedFields.flatMap { name, definition -> [IndexEntry] in
      guard let id = ids[name] else { return [] }
      let field = QueryField(fieldName: name)
      // In development a field may have been retyped: a list value has no index entry in a field
      // that is not a list, nor the reverse.
      let isFit = value(of: field)?.type.isList == definition.type.isList
      let keys = isFit ? keys(of: field) : []
      // A record without a value has an entry, too: it appears in results that are sorted by the
      // field.
      if keys.isEmpty, !definition.type.isList { return [IndexEntry(field: id, key: .none)] }
      return keys.map { IndexEntry(field: id, key: $0.stored) }
    }
  }

  /// The DELETE_SELF and VALIDATE references of the record.
  var references: [ConstrainedReference] {
    let found = fields.flatMap { field, content -> [ConstrainedReference] in
      (content.value?.references ?? []).compactMap { reference in
        let action: ConstrainedReference.Action
        switch reference.action {
        case .deleteSelf: action = .deleteSelf
        case .validate: action = .validate
        case .noAction, nil: return nil
        }
        return ConstrainedReference(
          target: reference.recordName, source: row.name, field: field, action: action)
      }
    }
    // A list may contain the same reference twice.
    return Array(Set(found))
  }

  /// The record with all its fields, without the URLs of assets.
  func record(in zoneID: ZoneID?) -> Record {
    Record(
      row.name, type: row.type, fields: fields, recordChangeTag: row.tag, created: row.created,
      modified: row.modified, zoneID: zoneID, parent: row.parent.map { Parent($0) })
  }
}
