import CloudRecords
import FoundationEssentials

/// How a query is answered: which index is gone through, and what has to be looked at besides.
struct QueryPlan {
  let query: Query
  let conditions: [KeyCondition]
  /// Those that the index can tell, by their places among the conditions.
  private let stored: [Int: RecordSearch.Condition]
  let order: [RecordSearch.Order]
  /// Only records of this account are shown; nil for everybody's.
  var creator: Int64?

  /// Criteria to sort by, at most. Ours.
  static let sortLimit = 16
  /// So many records are always sorted rather than all gone through in the order of the query.
  private static let few = 400
  /// More are never sorted.
  private static let many = 2000

  /// - Parameter query: one that the schema checked.
  init(_ query: Query, ids: [String: FieldID]) throws {
    self.query = query
    conditions = try query.filters.map { filter throws(ServiceError) in
      try KeyCondition(filter)
    }
    guard query.sorts.count <= Self.sortLimit else {
      throw ServiceError(.badRequest, reason: Reason.tooManySorts(limit: Self.sortLimit))
    }
    let values = conditions.reduce(0) { $0 + $1.tests.reduce(0) { $0 + $1.count } }
    guard values <= KeyCondition.valueLimit else {
      throw ServiceError(
        .badRequest, reason: Reason.tooManyValues(limit: KeyCondition.valueLimit))
    }
    var stored: [Int: RecordSearch.Condition] = [:]
    for (index, condition) in conditions.enumerated() {
      stored[index] = condition.stored(try Self.id(of: condition.field, in: ids))
    }
    self.stored = Self.merged(stored)
    var order: [RecordSearch.Order] = []
    for sort in query.sorts {
      guard sort.relativeLocation == nil else {
        throw ServiceError(.badRequest, reason: Reason.notServed("relativeLocation"))
      }
      let field = try Self.id(of: sort.field, in: ids)
      // What was sorted by already makes no difference.
      guard !order.contains(where: { $0.field == field }) else { continue }
      order.append(RecordSearch.Order(field: field, ascending: sort.ascending))
    }
    self.order = order
  }

  private static func id(of field: QueryField, in ids: [String: FieldID]) throws -> FieldID {
    let name =
      switch field {
      case .named(let name): name
      case .system(let field): field.rawValue
      }
    guard let id = ids[name] else { throw StorageFailure.failed("a field without a number") }
    return id
  }

  /// What several conditions ask of the one value of a field becomes one of them: from here to
  /// there is one piece of an index.
  private static func merged(
    _ conditions: [Int: RecordSearch.Condition]
  ) -> [Int: RecordSearch.Condition] {
    var merged = conditions
    var first: [FieldID: Int] = [:]
    for (index, condition) in conditions.sorted(by: { $0.key < $1.key })
    where condition.isSingleValued && !condition.isNegated && condition.tests.count == 1 {
      if let known = first[condition.field], let test = merged[known]?.tests.first {
        merged[known]?.tests = [test.and(condition.tests[0])]
        merged[index] = nil
      } else {
        first[condition.field] = index
      }
    }
    return merged
  }

  var needsRecheck: Bool { conditions.contains { !$0.isExact } }

  // MARK: Searching

  /// The conditions whose indexes can be gone through, by their places.
  var candidates: [(index: Int, stored: RecordSearch.Condition)] {
    conditions.enumerated().compactMap { index, condition in
      stored[index].flatMap { stored in
        stored.tests.count == 1 && !stored.isNegated
          && (order.isEmpty || stored.tests[0].isSingle || !condition.mayRepeat)
          ? (index, stored) : nil
      }
    }
  }

  /// The condition whose index is gone through: the one that the fewest records pass. Nil where
  /// there is none; where only what somebody created is looked for, and none is passed by few;
  /// and where going through the records in the order of the query finds a page sooner.
  func choose(in scopes: [Scope], _ transaction: any RecordReading) throws -> Int? {
    func count(
      _ tests: [RecordSearch.Test], of field: FieldID, upTo limit: Int
    ) throws -> Int {
      var count = 0
      for scope in scopes where count <= limit {
        count += try transaction.count(tests, of: field, in: scope, upTo: limit + 1 - count)
      }
      return count
    }
    // Where there are many zones, the first of many conditions are good enough.
    let candidates = candidates.prefix(max(2, Self.many / max(1, scopes.count)))
    if order.isEmpty, creator == nil, candidates.count < 2 { return candidates.first?.index }
    let limit = order.isEmpty || creator != nil ? Self.few : Self.many
    var best: (index: Int, count: Int)?
    for (index, condition) in candidates {
      let count = try count(
        condition.tests, of: condition.field, upTo: min(limit, best?.count ?? limit))
      // A condition that nothing can pass has no index to go through, but one to stop at.
      if count < best?.count ?? .max { best = (index, count) }
    }
    guard let best else { return nil }
    if best.count <= Self.few { return best.index }
    if creator != nil { return nil }
    guard let first = order.first else { return best.index }
    guard best.count <= Self.many else { return nil }
    // In the order of the query, one in `all / count` is found; else all `count` are sorted.
    let enough = best.count * best.count / Limits.pageRecords
    return try count([], of: first.field, upTo: enough) > enough ? best.index : nil
  }

  /// The keys that are looked for one after the other, where there is no order; nil where it is
  /// one search.
  func keys(of condition: Int?) -> [IndexKey]? {
    guard order.isEmpty, let condition, case .keys(let keys) = stored[condition]?.tests.first else {
      return nil
    }
    return keys
  }

  /// - Parameter condition: what `choose` told.
  /// - Parameter key: the one of `keys` that is looked for.
  func search(condition: Int?, key: IndexKey? = nil, limit: Int) -> RecordSearch {
    var search = RecordSearch(type: query.recordType, limit: limit)
    search.order = order
    search.creator = creator
    for (index, stored) in stored.sorted(by: { $0.key < $1.key }) {
      var stored = stored
      if index == condition {
        search.path = .condition(search.conditions.count)
        if let key { stored.tests = [.keys([key])] }
      }
      search.conditions.append(stored)
    }
    if condition == nil {
      search.path = creator != nil ? .creator : order.isEmpty ? .type : .order
    }
    return search
  }

  // MARK: Looking at records

  /// Whether a record that a search found is to be shown where it was found.
  ///
  /// - Parameter condition: whose index was gone through without an order of its own.
  func shows(
    _ values: RecordValues, at position: RecordSearch.Position, condition: Int?
  ) -> Bool {
    if needsRecheck, !conditions.allSatisfy({ $0.holds(for: values) }) { return false }
    guard order.isEmpty, let condition, conditions[condition].mayRepeat,
      let test = stored[condition]?.tests.first
    else { return true }
    // A list is found at each of its values; it is shown at the first.
    let keys = values.keys(of: conditions[condition].field).map(\.stored)
    return keys.filter(test.passes).min() == position.keys.first
  }

  /// Whether one place comes before another.
  func precedes(_ a: RecordSearch.Position, _ b: RecordSearch.Position) -> Bool {
    for (order, keys) in zip(order, zip(a.keys, b.keys)) where keys.0 != keys.1 {
      return (keys.0 < keys.1) == order.ascending
    }
    return order.last?.ascending == false ? b.name < a.name : a.name < b.name
  }
}

extension KeyCondition {
  /// Whether the index may lead to one record in several places.
  fileprivate var mayRepeat: Bool {
    switch tests.first {
    case .keys(let keys): isOfElements && keys.count > 1
    case .range: isOfElements
    case nil: false
    }
  }
}

extension RecordSearch.Test {
  /// What passes both.
  fileprivate func and(_ other: Self) -> Self {
    switch (self, other) {
    case (.keys(let keys), _): return .keys(keys.filter(other.passes))
    case (_, .keys(let keys)): return .keys(keys.filter(passes))
    case (.range(let a), .range(let b)):
      let lower = max(a.lowerBound, b.lowerBound)
      let upper = min(a.upperBound, b.upperBound)
      return lower < upper ? .range(lower..<upper) : .keys([])
    }
  }

  fileprivate var count: Int { if case .keys(let keys) = self { keys.count } else { 1 } }
  fileprivate var isSingle: Bool {
    if case .keys(let keys) = self { keys.count == 1 } else { false }
  }
}
