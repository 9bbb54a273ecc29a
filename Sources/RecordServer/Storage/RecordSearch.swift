/// A query in the form that storage carries out: fields are IDs, and values are keys.
public struct RecordSearch: Hashable, Sendable {
  /// The record type.
  var type: String
  /// The conditions, all of which must hold.
  var conditions: [Condition] = []
  /// The sorts. Equal records are ordered by name, in the direction of the last sort.
  var order: [Order] = []
  /// The rows that are scanned.
  var path = Path.type
  /// The position where the previous page ended.
  var after: Position?
  /// The last position that is looked at; nil for no limit. Only a search that `canStopAnywhere`
  /// can have one.
  var through: Position?
  /// If set, only records that this account created are found.
  var creator: Int64?
  /// Whether the record at the position `after` is found again.
  var includesPosition = false
  /// The maximum number of records.
  var limit: Int

  /// A sort by the values of a field.
  struct Order: Hashable, Sendable {
    var field: FieldID
    var ascending = true
  }

  /// The rows that a search scans.
  enum Path: Hashable, Sendable {
    /// All records of the type, by name. The search has no sorts.
    case type
    /// The index entries that pass a condition, which has exactly one test and is not negated. If
    /// the search has no sorts, its order is that of the entries.
    case condition(Int)
    /// All records of the type, in the order of the first sort.
    case order
    /// The first `count` of the rows that `order` scans after the position `after`. The search has
    /// one sort. To test the rows, the names of all records that pass one condition are collected
    /// first. `condition` is the offset of this condition, which has one test, and `entries` is the
    /// number of index entries that pass it.
    case firstRows(count: Int, condition: Int, entries: Int)
    /// The records of the type that `creator` created, by name if the search has no sorts.
    case creator
  }

  /// A condition on the values of a field. It holds if, for each test, one of the values passes; a
  /// negated condition holds if this is not the case.
  struct Condition: Hashable, Sendable {
    var field: FieldID
    /// The tests. If there are several, each has a single key.
    var tests: [Test]
    var isNegated = false
    /// Whether each record has exactly one key of the field, because the field is not a list.
    var isSingleValued = false
  }

  /// A test of one key.
  public enum Test: Hashable, Sendable {
    /// The key is one of these keys, which are sorted and different.
    case keys([IndexKey])
    /// The key is in this range. The bounds are not truncated.
    case range(Range<IndexKey>)
  }

  /// The position of a record in the order of a search.
  public struct Position: Hashable, Sendable {
    /// The keys of the record, one for each sort. If there are no sorts, the key of the scanned
    /// index entry, if any.
    var keys: [IndexKey]
    var name: String
  }

  /// Whether records are ordered by descending names.
  var isNameDescending: Bool { order.last?.ascending == false }

  // MARK: Scanning

  /// The field whose entries are scanned; nil if records are scanned.
  var scannedField: FieldID? {
    switch path {
    case .type, .creator: nil
    case .condition(let index): conditions[index].field
    case .order, .firstRows: order.first?.field
    }
  }

  /// The offset of the condition that selects the scanned entries; nil if there is none.
  var scannedCondition: Int? {
    switch path {
    case .type, .creator: nil
    case .condition(let index): index
    case .firstRows: nil
    case .order:
      conditions.firstIndex {
        $0.field == scannedField && $0.isSingleValued && !$0.isNegated && $0.tests.count == 1
      }
    }
  }

  /// Whether the rows are scanned in the order of the search, so that it can stop at any row and
  /// resume after it. A search with several sorts, or with a sort by another field than the scanned
  /// one, has to find all records before it can sort them.
  var canStopAnywhere: Bool {
    order.isEmpty || order.count == 1 && order[0].field == scannedField
  }

  /// The offset of the condition whose entries are scanned and then sorted by one other field; nil
  /// if the search is of another kind.
  var sortedCondition: Int? {
    guard case .condition(let index) = path, order.count == 1, !canStopAnywhere else { return nil }
    return index
  }

  /// The number of rows that are looked at for each scanned row, including it: to test the
  /// conditions that did not select it, and to read the keys of the sorts.
  var rowsPerScannedRow: Int {
    var rows = 1 + order.count { $0.field != scannedField }
    if creator != nil, path != .creator { rows += 1 }
    for (index, condition) in conditions.enumerated() where index != scannedCondition {
      rows += condition.rowsPerRecord
    }
    return rows
  }
}

extension RecordSearch.Condition {
  /// The number of index entries that are looked at to test the condition on a record. In a list,
  /// each key is looked up.
  fileprivate var rowsPerRecord: Int {
    guard !isSingleValued else { return 1 }
    let keys = tests.reduce(0) { count, test in
      if case .keys(let keys) = test { count + keys.count } else { count + 1 }
    }
    return max(1, keys)
  }
}
