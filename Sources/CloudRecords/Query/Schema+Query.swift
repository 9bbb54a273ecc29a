extension Schema {
  /// Checks that the schema allows a query: that the type and the fields exist and have the indexes
  /// that the query needs, and that comparators and values suit the types of the fields.
  ///
  /// A filter needs the index of its comparator, a sort needs SORTABLE, and a sort by distance
  /// needs QUERYABLE. If a field needs SORTABLE and is not even QUERYABLE, the error says that it
  /// is not marked queryable. A query without filters needs QUERYABLE on the record name. A filter
  /// without a field, which searches all fields, needs a SEARCHABLE field.
  ///
  /// - Returns: The query with a typed value in every filter: a value without a type is interpreted
  ///   as the type of its field.
  /// - Throws: A NOT_FOUND error if the record type does not exist, otherwise a BAD_REQUEST error.
  ///   These are the errors that CloudKit sends.
  @discardableResult
  public func check(_ query: Query) throws(ServiceError) -> Query {
    if let problem = query.sharingProblem { throw problem }
    guard let type = recordTypes[query.recordType] else {
      throw ServiceError(.notFound, cause: .unknownType(query.recordType))
    }
    let terms = query.filters.count + query.sorts.count
    guard terms <= Limits.queryTerms else {
      throw ServiceError(
        .badRequest,
        cause: .invalidPredicate(.tooManyTerms(terms, limit: Limits.queryTerms)))
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

extension Query {
  /// The error of a query for shares, which are not served; nil for any other query.
  public var sharingProblem: ServiceError? {
    recordType == SharingRequest.recordType
      ? ServiceError(.badRequest, cause: .notServed(.sharing, recordType)) : nil
  }
}

extension RecordType {
  /// Returns the type and the indexes of a field.
  ///
  /// - Throws: A BAD_REQUEST error if the field does not exist.
  fileprivate func definition(
    of field: QueryField
  ) throws(ServiceError) -> FieldDefinition {
    switch field {
    case .system(let field):
      return FieldDefinition(field.type, systemIndexes[field] ?? [])
    case .named(let name):
      guard let definition = fields[name] else {
        throw ServiceError(.badRequest, cause: .unknownField(name, type: self.name))
      }
      return definition
    }
  }

  /// Returns the type and the indexes of a field that must have an index.
  ///
  /// - Throws: A BAD_REQUEST error if the field does not exist or does not have the index.
  @discardableResult
  fileprivate func require(
    _ index: Indexes, of field: QueryField
  ) throws(ServiceError) -> FieldDefinition {
    let definition = try definition(of: field)
    guard !definition.indexes.isSuperset(of: index) else { return definition }
    let cause: ErrorCause =
      switch index {
      case .sortable where definition.indexes.contains(.queryable):
        .notSortable(field.reasonName)
      case .searchable: .notSearchable(field.reasonName)
      default: .notQueryable(field.reasonName)
      }
    throw ServiceError(.badRequest, cause: cause)
  }

  fileprivate func check(_ filter: Filter) throws(ServiceError) -> Filter {
    let comparator = filter.comparator
    guard let field = filter.field else {
      guard fields.values.contains(where: { $0.indexes.contains(.searchable) }) else {
        throw ServiceError(.badRequest, cause: .notIndexable)
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
        cause: .invalidPredicate(
          .comparator(comparator, field: field.reasonName, type: type.wireName)))
    }
    guard comparator.comparesElements || !type.isList else {
      // A filter cannot compare a whole list with a value.
      throw ServiceError(
        .badRequest,
        cause: .wrongFilterType(
          filter.fieldValue.typeName, field: field.reasonName, declared: type.wireName))
    }
    guard comparator != .near || filter.distance.map({ $0 >= 0 }) != false else {
      throw ServiceError(.badRequest, cause: .invalidPredicate(.negativeDistance))
    }
    var wanted = type
    wanted.isList = comparator.takesList
    return try filter.typed(as: wanted, named: field.reasonName)
  }

  fileprivate func check(_ sort: Sort) throws(ServiceError) {
    // Locations have no order of their own. They can only be sorted by distance.
    let isDistance = sort.relativeLocation != nil
    let definition = try require(isDistance ? .queryable : .sortable, of: sort.field)
    let isFit =
      isDistance
      ? definition.type == .location
      : !definition.type.isList && definition.type.kinds.allSatisfy(\.isOrdered)
    guard isFit else {
      throw ServiceError(
        .badRequest,
        cause: .invalidPredicate(
          .unsortable(field: sort.field.reasonName, type: definition.type.wireName)))
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
        cause: .wrongFilterType(error.found, field: name, declared: error.declared))
    }
    guard let value else {
      throw ServiceError(
        .badRequest, cause: .invalidPredicate(.missingValue(field: name)))
    }
    var filter = self
    filter.fieldValue = Field(value)
    return filter
  }
}
