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
  /// So many records are sorted rather than all gone through in the order of the query.
  private static let few = 400

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
    self.stored = stored
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

  var needsRecheck: Bool { conditions.contains { !$0.isExact } }

  // MARK: Searching

  /// The condition whose index is gone through: the one that the fewest records pass; nil where
  /// there is none, or where the query has an order and none is passed by few.
  func choose(in scopes: [Scope], _ transaction: any RecordReading) throws -> Int? {
    var best: (index: Int, count: Int)?
    for (index, condition) in conditions.enumerated() {
      guard let test = condition.tests.first, condition.tests.count == 1, !condition.isNegated,
        let stored = stored[index], order.isEmpty || test.isSingle || !condition.mayRepeat
      else { continue }
      var count = 0
      for scope in scopes where count <= Self.few {
        count += try transaction.count(
          stored.tests[0], of: stored.field, in: scope, upTo: Self.few + 1)
      }
      // A condition that nothing can pass has no index to go through, but one to stop at.
      if count < best?.count ?? .max { best = (index, count) }
    }
    guard let best, order.isEmpty || best.count <= Self.few else { return nil }
    return best.index
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
    if condition == nil, !order.isEmpty { search.path = .order }
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

  /// Whether records have to be looked at to be shown.
  func looks(condition: Int?) -> Bool {
    needsRecheck || order.isEmpty && (condition.map { conditions[$0].mayRepeat } ?? false)
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
  fileprivate var count: Int { if case .keys(let keys) = self { keys.count } else { 1 } }
  fileprivate var isSingle: Bool {
    if case .keys(let keys) = self { keys.count == 1 } else { false }
  }
}
