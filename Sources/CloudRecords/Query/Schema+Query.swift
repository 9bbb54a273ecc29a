extension Schema {
  /// Checks that a query is one the schema's indexes can answer.
  ///
  /// A field without any index is "not marked queryable", also where it is sorted by; with
  /// QUERYABLE alone a sort or a range says "not marked sortable". SORTABLE suffices for
  /// both. A query without filters is one of all record names.
  ///
  /// - Returns: the query with the type of every filter's value known: where a client left
  ///   it out, it is the field's.
  /// - Throws: a `ServiceError` with CloudKit's words: NOT_FOUND for an unknown record type,
  ///   else BAD_REQUEST.
  @discardableResult
  public func check(_ query: Query) throws(ServiceError) -> Query {
    guard let type = recordTypes[query.recordType] else {
      throw ServiceError(.notFound, reason: Reason.unknownType(query.recordType))
    }
    let terms = query.filters.count + query.sorts.count
    guard terms <= Limits.queryTerms else {
      throw ServiceError(
        .badRequest,
        reason: Reason.invalidPredicate("\(terms) filters and sorts, at most \(Limits.queryTerms)"))
    }
    if query.filters.isEmpty {
      try type.require(.queryable, of: .system(.recordID))
    }
    var checked = query
    checked.filters = []
    for filter in query.filters { checked.filters.append(try type.check(filter)) }
    for sort in query.sorts { try type.check(sort) }
    return checked
  }
}

extension RecordType {
  /// The type of a field and its indexes.
  fileprivate func definition(
    of field: QueryField
  ) throws(ServiceError) -> FieldDefinition {
    switch field {
    case .system(let field):
      return FieldDefinition(field.type, systemIndexes[field] ?? [])
    case .named(let name):
      guard let definition = fields[name] else {
        throw ServiceError(.badRequest, reason: Reason.unknownField(name, type: self.name))
      }
      return definition
    }
  }

  @discardableResult
  fileprivate func require(
    _ index: Indexes, of field: QueryField
  ) throws(ServiceError) -> FieldDefinition {
    let definition = try definition(of: field)
    guard !definition.indexes.isSuperset(of: index) else { return definition }
    let reason =
      switch index {
      case .sortable where definition.indexes.contains(.queryable):
        Reason.notSortable(field.reasonName)
      case .searchable: Reason.notSearchable(field.reasonName)
      default: Reason.notQueryable(field.reasonName)
      }
    throw ServiceError(.badRequest, reason: reason)
  }

  fileprivate func check(_ filter: Filter) throws(ServiceError) -> Filter {
    let comparator = filter.comparator
    guard let field = filter.field else {
      guard fields.values.contains(where: { $0.indexes.contains(.searchable) }) else {
        throw ServiceError(.badRequest, reason: Reason.notIndexable)
      }
      return try filter.typed(as: .string, named: "")
    }
    let definition = try require(comparator.neededIndex, of: field)
    let type = definition.type
    guard type.kinds.allSatisfy(comparator.applies(to:)),
      type.isList || !comparator.comparesElements
    else {
      throw ServiceError(
        .badRequest,
        reason: Reason.invalidPredicate(
          "\(comparator.rawValue) does not apply to field '\(field.reasonName)' of type "
            + type.wireName))
    }
    guard comparator.comparesElements || !type.isList else {
      // A list compared as a whole: the value's type cannot be the field's.
      throw ServiceError(
        .badRequest,
        reason: Reason.wrongFilterType(
          filter.fieldValue.typeName, field: field.reasonName, defined: type.wireName))
    }
    guard comparator != .near || filter.distance.map({ $0 >= 0 }) != false else {
      throw ServiceError(.badRequest, reason: Reason.invalidPredicate("a distance below 0"))
    }
    var wanted = type
    wanted.isList = comparator.takesList
    return try filter.typed(as: wanted, named: field.reasonName)
  }

  fileprivate func check(_ sort: Sort) throws(ServiceError) {
    // There is no order of places as such; only the distance from one is sorted by.
    let isDistance = sort.relativeLocation != nil
    let definition = try require(isDistance ? .queryable : .sortable, of: sort.field)
    let isFit =
      isDistance
      ? definition.type == .location
      : !definition.type.isList && definition.type.kinds.allSatisfy(\.isOrdered)
    guard isFit else {
      throw ServiceError(
        .badRequest,
        reason: Reason.invalidPredicate(
          "cannot sort by field '\(sort.field.reasonName)' of type \(definition.type.wireName)"))
    }
  }
}

extension Filter {
  fileprivate func typed(
    as type: FieldType, named name: String
  ) throws(ServiceError) -> Filter {
    let value: FieldValue?
    do {
      value = try fieldValue.value(as: type)
    } catch {
      throw ServiceError(
        .badRequest,
        reason: Reason.wrongFilterType(error.found, field: name, defined: error.defined))
    }
    guard let value else {
      throw ServiceError(
        .badRequest, reason: Reason.invalidPredicate("no value for field '\(name)'"))
    }
    var filter = self
    filter.fieldValue = Field(value)
    return filter
  }
}
