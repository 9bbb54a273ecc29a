import CloudRecords
import FoundationEssentials

/// What queries, indexes and subscriptions see of a record.
struct RecordValues {
  let row: RecordRow
  let fields: [String: Field]

  /// The value of a field; nil where there is none.
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

  /// The whole keys of a field's value, or of the elements of a list.
  func keys(of field: QueryField) -> [IndexKey] {
    value(of: field)?.elements.compactMap(IndexKey.init) ?? []
  }

  /// What the record is found by.
  ///
  /// - Parameter ids: the numbers of the type's fields.
  func entries(of type: RecordType, ids: [String: FieldID]) -> [IndexEntry] {
    type.indexedFields.flatMap { name, definition -> [IndexEntry] in
      guard let id = ids[name] else { return [] }
      let field = QueryField(fieldName: name)
      // In development a field may have become another: a list has no place in an order.
      let isFit = value(of: field)?.type.isList == definition.type.isList
      let keys = isFit ? keys(of: field) : []
      // Sorted by a field, a record without a value has its place too.
      if keys.isEmpty, !definition.type.isList { return [IndexEntry(field: id, key: .none)] }
      return keys.map { IndexEntry(field: id, key: $0.stored) }
    }
  }

  /// The references that matter to their targets.
  var references: [HeldReference] {
    let held = fields.flatMap { field, content -> [HeldReference] in
      (content.value?.references ?? []).compactMap { reference in
        let action: HeldReference.Action
        switch reference.action {
        case .deleteSelf: action = .deleteSelf
        case .validate: action = .validate
        case .noAction, nil: return nil
        }
        return HeldReference(
          target: reference.recordName, holder: row.name, field: field, action: action)
      }
    }
    // A list may have one reference twice.
    return Array(Set(held))
  }

  /// The record as an answer has it.
  func record(in zoneID: ZoneID) -> Record {
    Record(
      row.name, type: row.type, fields: fields, recordChangeTag: row.tag,
      created: Stamp(
        timestamp: Timestamp(milliseconds: row.createdAt), userRecordName: row.createdBy),
      modified: Stamp(
        timestamp: Timestamp(milliseconds: row.modifiedAt), userRecordName: row.modifiedBy),
      zoneID: zoneID, parent: row.parent.map { Parent($0) })
  }
}
