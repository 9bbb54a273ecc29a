import CloudRecords

/// A schema with each field type and each index, even if the type cannot have it: `int64QS` is
/// QUERYABLE and SORTABLE.
let schemaOfEverything: Schema = {
  var type = RecordType("T", systemIndexes: [.recordID: .queryable])
  for (name, fieldType) in [
    ("string", FieldType.string), ("int64", .int64), ("double", .double),
    ("timestamp", .timestamp), ("bytes", .bytes), ("location", .location),
    ("reference", .reference), ("asset", .asset), ("number", .number),
    ("strings", .string.list), ("int64s", .int64.list), ("references", .reference.list),
  ] {
    type.fields[name] = FieldDefinition(fieldType)
    type.fields[name + "Q"] = FieldDefinition(fieldType, .queryable)
    type.fields[name + "S"] = FieldDefinition(fieldType, .sortable)
    type.fields[name + "QS"] = FieldDefinition(fieldType, [.queryable, .sortable])
    type.fields[name + "T"] = FieldDefinition(fieldType, .searchable)
  }
  return Schema([type])
}()

/// The problem of a query; nil if it is valid.
func complaint(_ filters: [Filter], _ sorts: [Sort] = []) -> String? {
  reason { try schemaOfEverything.check(Query("T", filters: filters, sorts: sorts)) }
}

func complaint(
  _ field: String, _ comparator: Filter.Comparator, _ value: FieldValue
) -> String? {
  complaint([Filter(field, comparator, value)])
}
