import CloudRecords
import FoundationEssentials

/// How a query is carried out: the index that is scanned, and the conditions that are tested on
/// each record.
struct QueryPlan {
  let query: Query
  /// The filters of the query.
  let conditions: [KeyCondition]
  /// The conditions that storage can test with an index, by their offsets in `conditions`.
  private let stored: [Int: RecordSearch.Condition]
  /// The sorts of the query, without repeated fields.
  let order: [RecordSearch.Order]
  /// If set, only records that this account created are returned.
  var creator: Int64?

  /// The maximum number of sorts of a query. This limit is ours, not Apple's.
  static let sortLimit = 16
  /// If at most this number of entries pass a condition, its index is scanned.
  private static let scanThreshold = 400
  /// If more entries than this pass the condition, they are not sorted: the records are read in the
  /// order of the query instead.
  static let sortThreshold = 2000
  /// How many rows `firstRows` tests for each entry that passes the condition.
  private static let rowsPerEntry = 3

  /// Makes the plan of a query.
  ///
  /// - Parameters:
  ///   - query: a query that the schema has checked.
  ///   - ids: the IDs of the type's indexed fields, by name.
  /// - Throws: BAD_REQUEST if the query has too many sorts or values, or an unsupported predicate.
  init(_ query: Query, ids: [String: FieldID]) throws {
    self.query = query
    conditions = try query.filters.map { filter throws(ServiceError) in
      try KeyCondition(filter)
    }
    guard query.sorts.count <= Self.sortLimit else {
      throw ServiceError(
        .badRequest, cause: .invalidPredicate(.tooManySorts(limit: Self.sortLimit)))
    }
    let values = conditions.reduce(0) { $0 + $1.tests.reduce(0) { $0 + $1.count } }
    guard values <= KeyCondition.valueLimit else {
      throw ServiceError(
        .badRequest, cause: .invalidPredicate(.tooManyValues(limit: KeyCondition.valueLimit)))
    }
    var stored: [Int: RecordSearch.Condition] = [:]
    for (index, condition) in conditions.enumerated() {
      stored[index] = condition.stored(try Self.id(of: condition.field, in: ids))
    }
    self.stored = Self.merged(stored)
    var order: [RecordSearch.Order] = []
    for sort in query.sorts {
      guard sort.relativeLocation == nil else {
        throw ServiceError(
          .badRequest, cause: .invalidPredicate(.notServed(.distance, "relativeLocation")))
      }
      let field = try Self.id(of: sort.field, in: ids)
      // A second sort by the same field changes nothing.
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
    guard let id = ids[name] else { throw StorageFailure.failed(.missing(.fieldID)) }
    return id
  }

  /// Combines conditions on the same single-valued field, such as a lower and an upper bound, so
  /// that one range of its index is scanned.
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

  /// Whether some conditions have to be tested on the records themselves, because stored keys are
  /// truncated.
  var needsRecheck: Bool { conditions.contains { !$0.isExact } }

  // MARK: Searching

  /// The conditions whose indexes can be scanned, with their offsets in `conditions`.
  var candidates: [(index: Int, stored: RecordSearch.Condition)] {
    conditions.enumerated().compactMap { index, condition in
      stored[index].flatMap { stored in
        stored.tests.count == 1 && !stored.isNegated
          && (order.isEmpty || stored.tests[0].isSingle || !condition.mayRepeat)
          ? (index, stored) : nil
      }
    }
  }

  /// The index that a search scans, as `choose` returns it.
  struct IndexChoice {
    /// The offset in `conditions` of the condition whose index is scanned. Nil if no condition has
    /// a usable index, if the search is restricted to a creator and no condition is selective, or
    /// if the search reads the records in the order of the query.
    var condition: Int?
    /// The number of index entries that pass the condition; nil if they were not counted.
    var entries: Int?
  }

  /// Chooses the condition whose index is scanned: the one that the fewest entries pass.
  ///
  /// - Parameter onRows: called with the number of rows that were looked at.
  func choose(
    in scopes: [Scope], _ transaction: SQLTransaction, onRows: (Int) -> Void = { _ in }
  ) throws -> IndexChoice {
    func count(
      _ tests: [RecordSearch.Test], of field: FieldID, upTo limit: Int
    ) throws -> Int {
      var count = 0
      for scope in scopes where count <= limit {
        let found = try transaction.count(tests, of: field, in: scope, upTo: limit + 1 - count)
        onRows(found + 1)
        count += found
      }
      return count
    }
    // Each candidate is counted in each zone. With many zones, only the first candidates are
    // compared.
    let candidates = candidates.prefix(max(2, Self.sortThreshold / max(1, scopes.count)))
    if order.isEmpty, creator == nil, candidates.count < 2 {
      return IndexChoice(condition: candidates.first?.index)
    }
    let limit = order.isEmpty || creator != nil ? Self.scanThreshold : Self.sortThreshold
    var best = IndexChoice()
    for (index, condition) in candidates {
      let count = try count(
        condition.tests, of: condition.field, upTo: min(limit, best.entries ?? limit))
      // A condition that no record can pass, such as IN with an empty list, counts 0 entries.
      // Choosing it ends the search immediately.
      if count < best.entries ?? .max { best = IndexChoice(condition: index, entries: count) }
    }
    if order.isEmpty, creator == nil { return best }
    guard let entries = best.entries, entries <= limit else { return IndexChoice() }
    guard entries > Self.scanThreshold, let first = order.first else { return best }
    let scan = search(condition: best.condition, limit: Limits.pageRecords)
    if transaction.hasSlowLookups, Self.firstRows(of: scan, entries: entries) != nil { return best }
    // A scan in the order of the query reads about `all / entries` entries for each record that it
    // finds, where `all` is the number of entries of the first sort. A scan of this index reads and
    // sorts all `entries`. At most three times `entries` are counted: counting more would take
    // longer than the better scan saves.
    let enough = entries * min(entries, 3 * Limits.pageRecords) / Limits.pageRecords
    return try count([], of: first.field, upTo: enough) > enough ? best : IndexChoice()
  }

  /// The path of a search that tests the first rows in the order of the query. It replaces a search
  /// that sorts all entries that pass a condition.
  ///
  /// - Parameters:
  ///   - search: a search of the entries that pass the condition.
  ///   - entries: the number of these entries.
  /// - Returns: the path; nil if there are too few or too many entries. Also nil if it takes many
  ///   rows to test the other conditions on each entry: if the first rows do not fill the page, the
  ///   entries are sorted after all, and the conditions are tested a second time.
  static func firstRows(of search: RecordSearch, entries: Int) -> RecordSearch.Path? {
    guard let index = search.sortedCondition, entries > scanThreshold, entries <= sortThreshold,
      entries * search.rowsPerScannedRow <= QueryRun.rowLimit
    else { return nil }
    return .firstRows(
      count: rowsPerEntry * entries, condition: index, entries: entries)
  }

  /// The keys that are searched for one after another if the query has no sorts; nil if one search
  /// finds all records.
  func keys(of condition: Int?) -> [IndexKey]? {
    guard order.isEmpty, let condition, case .keys(let keys) = stored[condition]?.tests.first else {
      return nil
    }
    return keys
  }

  /// The search that storage carries out.
  ///
  /// - Parameters:
  ///   - condition: the result of `choose`.
  ///   - key: the key from `keys(of:)` that is searched for; nil if that method returned nil.
  ///   - limit: the maximum number of positions.
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

  // MARK: Testing records

  /// Whether `shows` reads the fields of a record. If this is false, `shows` returns true for all
  /// records.
  func needsFields(condition: Int?) -> Bool {
    needsRecheck || order.isEmpty && condition.map { conditions[$0].mayRepeat } ?? false
  }

  /// Whether a record that a search found belongs to the result at this position.
  ///
  /// - Parameter condition: the condition whose index was scanned in index order; nil if the search
  ///   had another order.
  func shows(
    _ values: RecordValues, at position: RecordSearch.Position, condition: Int?
  ) -> Bool {
    if needsRecheck, !conditions.allSatisfy({ $0.holds(for: values) }) { return false }
    guard order.isEmpty, let condition, conditions[condition].mayRepeat,
      let test = stored[condition]?.tests.first
    else { return true }
    // A scan finds a record with a list once for each value that passes. It is returned only at the
    // first one.
    let keys = values.keys(of: conditions[condition].field).map(\.stored)
    return keys.filter(test.passes).min() == position.keys.first
  }

  /// Whether one position comes before another in the order of the query.
  func precedes(_ a: RecordSearch.Position, _ b: RecordSearch.Position) -> Bool {
    for (order, keys) in zip(order, zip(a.keys, b.keys)) where keys.0 != keys.1 {
      return (keys.0 < keys.1) == order.ascending
    }
    return order.last?.ascending == false ? b.name < a.name : a.name < b.name
  }
}

extension KeyCondition {
  /// Whether a scan of the index can find the same record several times.
  fileprivate var mayRepeat: Bool {
    switch tests.first {
    case .keys(let keys): isOfElements && keys.count > 1
    case .range: isOfElements
    case nil: false
    }
  }
}

extension RecordSearch.Test {
  /// The test that a key passes if it passes both tests.
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

  /// The number of keys; 1 for a range.
  fileprivate var count: Int { if case .keys(let keys) = self { keys.count } else { 1 } }
  /// Whether exactly one key passes.
  fileprivate var isSingle: Bool {
    if case .keys(let keys) = self { keys.count == 1 } else { false }
  }
}
