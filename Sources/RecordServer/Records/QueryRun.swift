import CloudRecords
import FoundationEssentials

/// Finds the records of one page of a query, in one transaction.
struct QueryRun {
  let plan: QueryPlan
  let context: RequestContext
  /// The zones that are searched, in the order of their names.
  let scopes: [Scope]
  let transaction: SQLTransaction
  let sealer: FieldSealer
  /// The maximum number of records in the page.
  let limit: Int
  let desiredKeys: Set<String>?
  let links: AssetLinks
  /// The maximum number of searches for one page. With many keys and zones, most searches find
  /// nothing.
  static let searchLimit = 200
  /// The number of rows after which a page ends, so that a query of many records with many filters
  /// takes little time for each request. This limit is ours, not Apple's.
  static let rowLimit = 100_000
  /// The number of rows that may still be looked at for the page.
  private(set) var rowsLeft = QueryRun.rowLimit
  /// The records of the page so far.
  private(set) var records: [Record] = []
  /// The total size in bytes of the records that were read, including those that are not part of
  /// the result.
  private(set) var bytes = 0

  /// The position where a page ends and the next page resumes.
  struct PageEnd: Hashable {
    /// The condition whose index the search reads, as returned by `QueryPlan.choose`. It is nil if
    /// the search reads all records of the type, all records of a creator, or the index of the
    /// first sort descriptor instead.
    var condition: Int?
    /// The position in `QueryPlan.keys(of:)` of the key that is searched for.
    var key = 0
    /// The name of the zone.
    var zone: String
    /// The last position whose record was examined; nil at the beginning of the zone or key.
    var position: RecordSearch.Position?
  }

  /// Fills the page.
  ///
  /// - Parameter start: the position where the previous page ended; nil for the first page.
  /// - Returns: the position where this page ended; nil if it is the last page.
  mutating func fill(from start: PageEnd?) throws -> PageEnd? {
    var counted = 0
    let choice =
      try start.map { QueryPlan.IndexChoice(condition: $0.condition) }
      ?? plan.choose(in: scopes, transaction) { counted += $0 }
    let start =
      start ?? PageEnd(condition: choice.condition, zone: scopes.first?.zoneName ?? "")
    // Choosing must not prevent the page from making progress.
    rowsLeft = max(Self.rowLimit / 2, rowsLeft - counted)
    return plan.order.isEmpty
      ? try fillUnordered(from: start)
      : try fillOrdered(from: start, entries: scopes.count == 1 ? choice.entries : nil)
  }

  /// Fills the page zone by zone, each in the order of the index.
  private mutating func fillUnordered(from start: PageEnd) throws -> PageEnd? {
    var end = start
    let keys = plan.keys(of: end.condition).map { $0.map(Optional.some) } ?? [nil]
    // The number of records that may still be found. Records that are found but not returned count
    // too, so that the work for a page is bounded.
    var left = limit
    var searches = 0
    for scope in scopes where scope.zoneName >= start.zone {
      if scope.zoneName != end.zone {
        end = PageEnd(condition: end.condition, zone: scope.zoneName)
      }
      for index in keys.indices where index >= end.key {
        if index > end.key { end.position = nil }
        end.key = index
        guard searches < Self.searchLimit, rowsLeft > 0 else { return end }
        searches += 1
        var search = plan.search(condition: end.condition, key: keys[index], limit: left + 1)
        search.after = end.position
        let found = try find(search, in: scope, rows: rowsLeft)
        let (last, isWhole) = try show(
          found.positions.prefix(left).map { ($0, scope) }, condition: end.condition)
        if let last { end.position = last.0 }
        if !isWhole || found.positions.count > left { return end }
        if let stop = found.end {
          end.position = stop
          return end
        }
        left -= found.positions.count
      }
      end.key = 0
      end.position = nil
    }
    return nil
  }

  /// Fills the page in the order of the query. Records with equal keys are ordered by name and then
  /// by zone.
  ///
  /// - Parameter entries: the number of index entries that pass the condition whose index is
  ///   scanned; nil if they were not counted.
  private mutating func fillOrdered(from start: PageEnd, entries: Int?) throws -> PageEnd? {
    var found: [Place] = []
    // The first place in the order of the query where the search of a zone was stopped.
    var stop: Place?
    for (index, scope) in scopes.enumerated() {
      var search = plan.search(condition: start.condition, limit: limit + 1)
      search.after = start.position
      search.includesPosition = scope.zoneName > start.zone
      let part = try find(
        search, in: scope, rows: rowsLeft / (scopes.count - index), entries: entries)
      found += part.positions.map { ($0, scope) }
      if let end = part.end, stop.map({ precedes((end, scope), $0) }) ?? true {
        stop = (end, scope)
      }
      // Keep no more positions than the page can hold.
      if scopes.count > 1 {
        found.sort { precedes($0, $1) }
        found = Array(found.prefix(limit + 1))
      }
    }
    // Behind that place, records of that zone may be missing.
    if let stop { found.removeAll { precedes(stop, $0) } }
    let (last, isWhole) = try show(Array(found.prefix(limit)), condition: nil)
    if isWhole, found.count <= limit {
      return stop.map { position, scope in
        PageEnd(condition: start.condition, zone: scope.zoneName, position: position)
      }
    }
    return PageEnd(
      condition: start.condition, zone: last?.1.zoneName ?? start.zone,
      position: last?.0 ?? start.position)
  }

  /// A position in a zone.
  private typealias Place = (RecordSearch.Position, Scope)

  /// Whether one place comes before another in the order of the query. The zones decide between
  /// equal positions.
  private func precedes(_ a: Place, _ b: Place) -> Bool {
    plan.precedes(a.0, b.0) || !plan.precedes(b.0, a.0) && a.1.zoneName < b.1.zoneName
  }

  /// Carries out a search of one zone.
  ///
  /// If each scanned row requires more rows to be looked at, the search is carried out in parts:
  /// the first scans as many rows as there can be results, and each further one scans four times as
  /// many as the one before.
  ///
  /// - Parameters:
  ///   - rows: the number of rows that may be looked at. A search that can stop anywhere stops
  ///     there, but scans at least one row.
  ///   - entries: the number of index entries that pass the condition whose index is scanned; nil
  ///     if they were not counted.
  /// - Returns: the positions, and the last scanned position if the search was stopped; nil if it
  ///   is complete or has found as many positions as its limit.
  private mutating func find(
    _ search: RecordSearch, in scope: Scope, rows: Int, entries: Int? = nil
  ) throws -> (positions: [RecordSearch.Position], end: RecordSearch.Position?) {
    if let found = try findAmongFirstRows(search, in: scope, entries: entries) {
      return (found, nil)
    }
    let cost = search.rowsPerScannedRow
    guard search.canStopAnywhere, cost > 1 else {
      let found = try transaction.search(search, in: scope)
      rowsLeft -= 1 + found.count * cost
      return (found, nil)
    }
    var found: [RecordSearch.Position] = []
    var part = search
    var left = max(1, rows / cost)
    var count = min(search.limit, left)
    while true {
      part.through = try transaction.position(ofRow: count, scannedBy: part, in: scope)
      part.limit = search.limit - found.count
      found += try transaction.search(part, in: scope)
      left -= count
      rowsLeft -= 1 + count * cost
      guard let end = part.through, found.count < search.limit else { return (found, nil) }
      guard left > 0 else { return (found, end) }
      part.after = end
      part.includesPosition = false
      part.through = nil
      count = min(4 * count, left)
    }
  }

  /// Tries to find all positions of a search among the first rows in the order of the query.
  ///
  /// - Parameter entries: the number of index entries that pass the condition whose index is
  ///   scanned; nil if they were not counted.
  /// - Returns: nil if these rows are not tested, or if there are fewer positions among them than
  ///   the limit of the search.
  private mutating func findAmongFirstRows(
    _ search: RecordSearch, in scope: Scope, entries: Int?
  ) throws -> [RecordSearch.Position]? {
    guard transaction.hasSlowLookups, let index = search.sortedCondition else { return nil }
    let condition = search.conditions[index]
    let entries =
      try entries
      ?? transaction.count(
        condition.tests, of: condition.field, in: scope, upTo: QueryPlan.sortThreshold + 1)
    guard let path = QueryPlan.firstRows(of: search, entries: entries) else { return nil }
    var first = search
    first.path = path
    let found = try transaction.search(first, in: scope)
    rowsLeft -= entries + found.count * first.rowsPerScannedRow
    return found.count == search.limit ? found : nil
  }

  /// Adds records to the page until it is full.
  ///
  /// - Returns: the last position whose record was examined, and whether this was done for all
  ///   positions.
  private mutating func show(
    _ found: [(RecordSearch.Position, Scope)], condition: Int?
  ) throws -> (last: (RecordSearch.Position, Scope)?, isWhole: Bool) {
    var last: (RecordSearch.Position, Scope)?
    let needsFields = plan.needsFields(condition: condition)
    var rest = found[...]
    while let scope = rest.first?.1 {
      // The records of one zone are read together.
      let part = rest.prefix { $0.1 == scope }
      rest = rest.dropFirst(part.count)
      let rows = try transaction.records(
        part.map(\.0.name), in: scope, bytes: Limits.pageBytes - bytes)
      let zoneID = context.recordZoneID(scope.zoneName)
      for (position, _) in part {
        guard bytes < Limits.pageBytes else { return (last, false) }
        last = (position, scope)
        guard let row = rows[position.name] else { continue }
        bytes += row.storedBytes
        if needsFields {
          let values = RecordValues(row: row, fields: try sealer.fields(of: row, in: scope))
          guard plan.shows(values, at: position, condition: condition) else { continue }
        }
        records.append(
          try row.record(
            in: zoneID, selecting: desiredKeys, links, fields: sealer.fields(of: row, in: scope)))
      }
    }
    return (last, true)
  }
}
