import CloudRecords

/// A schema with each field type and each index, even if the type cannot have it: `int64QS` is
/// QUERYABLE and SORTABLE, and `int64T` is SEARCHABLE.
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

/// The cause of a query's error; nil if the query is valid.
func cause(_ filters: [Filter], _ sorts: [Sort] = []) -> ErrorCause? {
  cause { try schemaOfEverything.check(Query("T", filters: filters, sorts: sorts)) }
}

func cause(
  _ field: String, _ comparator: Filter.Comparator, _ value: FieldValue
) -> ErrorCause? {
  cause([Filter(field, comparator, value)])
}
