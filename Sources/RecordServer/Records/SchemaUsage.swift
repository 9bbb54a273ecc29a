public import CloudRecords

/// What requests used of the schema of the development environment, successfully.
///
/// A schema that has all of this answers the same requests in the same way.
public struct SchemaUsage: Hashable, Sendable {
  /// The declarations that were used.
  public private(set) var schema = Schema()
  private var purposes: [Declaration: Set<Purpose>] = [:]
  /// The types of the fields that were used with several types, which is possible after a reset.
  private var severalTypes: [Declaration: Set<FieldType>] = [:]

  /// What a declaration was used for, other than for saving records.
  enum Purpose: CaseIterable, Hashable, Sendable {
    /// A filter of a query compared the field.
    case filter
    /// A query was sorted by the field.
    case sort
    /// A query had no filter, which needs the index of the record name.
    case noFilter
    /// A subscription's query has the record type.
    case subscription
    /// A filter of a subscription's query compares the field.
    case subscriptionFilter
    /// A saved reference refers to a record of the type.
    case referenceTarget
  }

  /// A record type or, if `field` is not nil, one of its fields.
  private struct Declaration: Hashable {
    let type: String
    let field: String?
  }

  /// Creates a usage of nothing.
  public init() {}

  /// The purposes for which a record type or, if `field` is not nil, one of its fields was used.
  func purposes(ofType type: String, field: String?) -> Set<Purpose> {
    purposes[Declaration(type: type, field: field)] ?? []
  }

  /// The types with which a field was used besides the one in `schema`, sorted by their names.
  func otherTypes(ofField field: String, of type: String) -> [FieldType] {
    var types = severalTypes[Declaration(type: type, field: field)] ?? []
    if let declared = schema[type]?.fields[field]?.type { types.remove(declared) }
    return types.sorted { "\($0)" < "\($1)" }
  }

  // MARK: Adding

  /// Adds fields of a saved record.
  ///
  /// - Parameter schema: the schema of the environment, which has the fields.
  mutating func add(fields: some Sequence<String>, ofType type: String, in schema: Schema) {
    add(type: type)
    for field in fields { add(.named(field), ofType: type, in: schema) }
  }

  /// Adds a query that the schema has checked.
  mutating func add(_ query: Query, in schema: Schema) {
    let type = query.recordType
    add(type: type)
    if query.filters.isEmpty {
      add(.system(.recordID), ofType: type, in: schema, .queryable, for: .noFilter)
    }
    add(query.filters, ofType: type, in: schema, for: .filter)
    for sort in query.sorts {
      add(sort.field, ofType: type, in: schema, .sortable, for: .sort)
    }
  }

  /// Adds a subscription as it is stored. Those to zones use nothing of a schema.
  mutating func add(_ subscription: Subscription, in schema: Schema) {
    guard let query = subscription.query else { return }
    add(type: query.recordType, for: .subscription)
    add(query.filters, ofType: query.recordType, in: schema, for: .subscriptionFilter)
  }

  /// Adds the record type of a reference's target.
  mutating func add(targetType type: String) { add(type: type, for: .referenceTarget) }

  /// Adds the grant by which the caller has a permission; see `RequestContext.role`.
  mutating func add(
    _ permission: Permission, ofType type: String, creator: Int64?, in context: RequestContext
  ) {
    guard let role = context.role(with: permission, type: type, creator: creator) else { return }
    add(type: type)
    if case .custom(let name) = role { schema.roles.insert(name) }
    schema[type]?.grants[role].insert(permission)
  }

  /// Adds what another usage has. If both have a field with different types, `schema` has the one
  /// whose name comes first, whatever the order of the usages; see `otherTypes`.
  mutating func merge(_ other: SchemaUsage) {
    schema.roles.formUnion(other.schema.roles)
    for (name, used) in other.schema.recordTypes {
      guard var type = schema[name] else {
        schema[name] = used
        continue
      }
      for (field, definition) in used.fields {
        guard let known = type.fields[field] else {
          type.fields[field] = definition
          continue
        }
        let types = [known.type, definition.type].sorted { "\($0)" < "\($1)" }
        type.fields[field] = FieldDefinition(
          types[0],
          known.indexes.union(definition.indexes).intersection(types[0].possibleIndexes))
        if types[0] != types[1] {
          severalTypes[Declaration(type: name, field: field), default: []].formUnion(types)
        }
      }
      for (field, indexes) in used.systemIndexes { type[field].formUnion(indexes) }
      for (role, permissions) in used.grants.permissions {
        type.grants[role].formUnion(permissions)
      }
      schema[name] = type
    }
    purposes.merge(other.purposes) { $0.union($1) }
    severalTypes.merge(other.severalTypes) { $0.union($1) }
  }

  private mutating func add(type: String, for purpose: Purpose? = nil) {
    if schema[type] == nil { schema[type] = RecordType(type) }
    if let purpose { add(purpose, type, nil) }
  }

  private mutating func add(
    _ filters: [Filter], ofType type: String, in schema: Schema, for purpose: Purpose
  ) {
    for filter in filters {
      guard let field = filter.field else { continue }
      add(field, ofType: type, in: schema, filter.comparator.neededIndex, for: purpose)
    }
  }

  private mutating func add(
    _ field: QueryField, ofType type: String, in schema: Schema, _ index: Indexes = [],
    for purpose: Purpose? = nil
  ) {
    switch field {
    case .system(let field):
      self.schema[type]?[field].formUnion(index)
      if let purpose { add(purpose, type, field.rawValue) }
    case .named(let name):
      guard let fieldType = schema[type]?.fields[name]?.type else { return }
      let known = self.schema[type]?.fields[name]?.indexes ?? []
      self.schema[type]?.fields[name] = FieldDefinition(fieldType, known.union(index))
      if let purpose { add(purpose, type, name) }
    }
  }

  private mutating func add(_ purpose: Purpose, _ type: String, _ field: String?) {
    purposes[Declaration(type: type, field: field), default: []].insert(purpose)
  }
}

extension RecordService {
  /// Returns a usage to which a request adds what it uses of the schema; nil if it is not recorded
  /// (`ServiceOptions.onSchemaUsage`), and for the production environment.
  func newSchemaUsage(at address: DatabaseAddress) -> SchemaUsage? {
    options.onSchemaUsage == nil || address.environment != .development ? nil : SchemaUsage()
  }
}
