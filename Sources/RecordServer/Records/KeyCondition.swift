import CloudRecords
import FoundationEssentials

/// A filter as a condition on the index keys of a field.
///
/// A negated condition is the exact opposite of the one without NOT: it also holds for records
/// without a value. Apple does not document this case.
struct KeyCondition {
  let field: QueryField
  /// The tests that must all pass, on full keys. A test passes if one of the record's keys passes.
  let tests: [RecordSearch.Test]
  /// Whether the condition holds if some test does not pass.
  let isNegated: Bool
  /// Whether the condition applies to the elements of a list.
  let isOfElements: Bool

  /// The maximum number of values in one filter, and in all filters of a query together. This limit
  /// is ours, not Apple's.
  static let valueLimit = 1000

  /// Creates the condition of a filter that the schema has checked.
  ///
  /// - Throws: BAD_REQUEST for too many values, and for comparators that are not supported.
  init(_ filter: Filter) throws(ServiceError) {
    // Only a filter for words can be without a field.
    guard let field = filter.field, let value = filter.fieldValue.value else {
      throw ServiceError(
        .badRequest,
        cause: .invalidPredicate(.notServed(.tokenSearch, filter.comparator.rawValue)))
    }
    let keys = value.elements.compactMap(IndexKey.init)
    guard keys.count <= Self.valueLimit else {
      throw ServiceError(
        .badRequest, cause: .invalidPredicate(.tooManyValues(limit: Self.valueLimit)))
    }
    self.field = field
    isOfElements = filter.comparator.isOfElements
    isNegated = filter.comparator.isNegation
    switch filter.comparator {
    case .equals, .notEquals, .isIn, .notIn, .listContains, .notListContains, .listContainsAny,
      .notListContainsAny:
      tests = [.keys(Set(keys).sorted())]
    case .listContainsAll, .notListContainsAll:
      tests = Set(keys).sorted().map { .keys([$0]) }
    case .beginsWith, .notBeginsWith, .listMemberBeginsWith, .notListMemberBeginsWith:
      tests = keys.map { .range($0..<$0.afterPrefix) }
    case .lessThan: tests = keys.map { .range($0.firstOfKind..<$0) }
    case .lessThanOrEquals: tests = keys.map { .range($0.firstOfKind..<$0.next) }
    case .greaterThan: tests = keys.map { .range($0.next..<$0.afterKind) }
    case .greaterThanOrEquals: tests = keys.map { .range($0..<$0.afterKind) }
    case .near, .containsAllTokens, .containsAnyTokens:
      let feature: UnservedFeature = filter.comparator == .near ? .distance : .tokenSearch
      throw ServiceError(
        .badRequest, cause: .invalidPredicate(.notServed(feature, filter.comparator.rawValue)))
    }
  }

  /// Whether the condition holds for a record, tested on full keys.
  func holds(for values: RecordValues) -> Bool { holds(for: values.keys(of: field)) }

  /// Whether the condition holds for a record with these full keys of the field.
  func holds(for keys: [IndexKey]) -> Bool {
    tests.allSatisfy { test in keys.contains { test.passes($0) } } != isNegated
  }

  /// The condition on stored keys, which may be truncated. It holds for all records for which this
  /// condition holds, and can hold for others. Nil if this condition is negated and not exact.
  func stored(_ id: FieldID) -> RecordSearch.Condition? {
    guard !isNegated || isExact else { return nil }
    return RecordSearch.Condition(
      field: id, tests: tests.map(\.stored), isNegated: isNegated, isSingleValued: !isOfElements)
  }

  /// Whether stored keys are sufficient to test the condition, because none of its own keys is
  /// truncated.
  var isExact: Bool {
    tests.allSatisfy { test in
      switch test {
      case .keys(let keys): keys.allSatisfy { !$0.isCut }
      case .range(let range):
        range.lowerBound.bytes.count <= IndexKey.limit
          && range.upperBound.bytes.count <= IndexKey.limit
      }
    }
  }
}

extension RecordSearch.Test {
  /// Whether a key passes the test.
  func passes(_ key: IndexKey) -> Bool {
    switch self {
    case .keys(let keys): keys.contains(key)
    case .range(let range): range.contains(key)
    }
  }

  /// A test of stored keys, which may be truncated. A value passes it if its full key passes this
  /// test; other values may pass it, too.
  var stored: RecordSearch.Test {
    switch self {
    case .keys(let keys): .keys(Set(keys.map(\.stored)).sorted())
    case .range(let range):
      .range(
        range.lowerBound
          .stored..<(range.upperBound.bytes.count > IndexKey.limit
          ? range.upperBound.stored.next : range.upperBound))
    }
  }
}

extension IndexKey {
  /// The smallest key that is greater than this one.
  var next: IndexKey { IndexKey(bytes: bytes + [0]) }
}

extension Filter.Comparator {
  fileprivate var isOfElements: Bool {
    switch self {
    case .listContains, .notListContains, .listContainsAny, .notListContainsAny,
      .listContainsAll, .notListContainsAll, .listMemberBeginsWith, .notListMemberBeginsWith:
      true
    default: false
    }
  }

  fileprivate var isNegation: Bool {
    switch self {
    case .notEquals, .notIn, .notBeginsWith, .notListContains, .notListContainsAny,
      .notListContainsAll, .notListMemberBeginsWith:
      true
    default: false
    }
  }
}
