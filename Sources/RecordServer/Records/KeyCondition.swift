import CloudRecords
import FoundationEssentials

/// A filter as what must be true of the keys of a field.
///
/// A condition that says "not" is the opposite of the one without: it holds for records that
/// have no value, too. (Apple does not say; ours.)
struct KeyCondition {
  let field: QueryField
  /// Of whole keys.
  let tests: [RecordSearch.Test]
  let isNegated: Bool
  /// Whether it is the elements of a list that are looked at.
  let isOfElements: Bool

  /// Values of one filter, at most. Ours.
  static let valueLimit = 1000

  /// - Parameter filter: one that was checked with the schema.
  init(_ filter: Filter) throws(ServiceError) {
    guard let field = filter.field, let value = filter.fieldValue.value else {
      throw ServiceError(.badRequest, reason: Reason.notServed(filter.comparator.rawValue))
    }
    let keys = value.elements.compactMap(IndexKey.init)
    guard keys.count <= Self.valueLimit else {
      throw ServiceError(.badRequest, reason: Reason.tooManyValues(limit: Self.valueLimit))
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
      throw ServiceError(.badRequest, reason: Reason.notServed(filter.comparator.rawValue))
    }
  }

  func holds(for values: RecordValues) -> Bool {
    let keys = values.keys(of: field)
    return tests.allSatisfy { test in keys.contains { test.passes($0) } } != isNegated
  }

  /// The condition of stored keys; nil where there is none that lets all records through that
  /// this one does.
  func stored(_ id: FieldID) -> RecordSearch.Condition? {
    guard !isNegated || isExact else { return nil }
    return RecordSearch.Condition(
      field: id, tests: tests.map(\.stored), isNegated: isNegated, isSingleValued: !isOfElements)
  }

  /// Whether stored keys tell all there is to know.
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
  func passes(_ key: IndexKey) -> Bool {
    switch self {
    case .keys(let keys): keys.contains(key)
    case .range(let range): range.contains(key)
    }
  }

  /// The test of stored keys that passes whatever may pass this one.
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
  /// The smallest key that is larger.
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
