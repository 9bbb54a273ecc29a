import CloudRecords
import FoundationEssentials

/// Finds the records of one page of a query, in one transaction.
struct QueryRun {
  let plan: QueryPlan
  let context: RequestContext
  /// The zones that are searched, in the order of their names.
  let scopes: [Scope]
  let transaction: any RecordReading
  let sealer: FieldSealer
  /// The maximum number of records in the page.
  let limit: Int
  let desiredKeys: Set<String>?
  let links: AssetLinks
  /// The maximum number of searches for one page. With many keys and zones, most searches find
  /// nothing.
  static let searchLimit = 200
  /// The records of the page so far.
  private(set) var records: [Record] = []
  /// The total size of `records` in bytes.
  private var bytes = 0

  init(
    plan: QueryPlan, context: RequestContext, scopes: [Scope], transaction: any RecordReading,
    sealer: FieldSealer, limit: Int, desiredKeys: Set<String>?, links: AssetLinks
  ) {
    self.plan = plan
    self.context = context
    self.scopes = scopes
    self.transaction = transaction
    self.sealer = sealer
    self.limit = limit
    self.desiredKeys = desiredKeys
    self.links = links
  }

  /// The position where a page ends and the next page resumes.
  struct PageEnd {
    /// The condition whose index is scanned, as `QueryPlan.choose` returned it.
    var condition: Int?
    /// The index of the key that is searched for, in `QueryPlan.keys`.
    var key = 0
    var zone: String
    /// The last position whose record was examined; nil at the beginning of the zone or key.
    var position: RecordSearch.Position?
  }

  /// Fills the page.
  ///
  /// - Parameter start: the position where the previous page ended; nil for the first page.
  /// - Returns: the position where this page ended; nil if it is the last page.
  mutating func fill(from start: PageEnd?) throws -> PageEnd? {
    let start =
      try start
      ?? PageEnd(
        condition: plan.choose(in: scopes, transaction), zone: scopes.first?.zoneName ?? "")
    return plan.order.isEmpty ? try fillUnordered(from: start) : try fillOrdered(from: start)
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
        guard searches < Self.searchLimit else { return end }
        searches += 1
        var search = plan.search(condition: end.condition, key: keys[index], limit: left + 1)
        search.after = end.position
        let found = try transaction.search(search, in: scope)
        let (last, isWhole) = try show(
          found.prefix(left).map { ($0, scope) }, condition: end.condition)
        if let last { end.position = last.0 }
        if !isWhole || found.count > left { return end }
        left -= found.count
      }
      end.key = 0
      end.position = nil
    }
    return nil
  }

  /// Fills the page in the order of the query. Records with equal keys are ordered by name and then
  /// by zone.
  private mutating func fillOrdered(from start: PageEnd) throws -> PageEnd? {
    var found: [(RecordSearch.Position, Scope)] = []
    for scope in scopes {
      var search = plan.search(condition: start.condition, limit: limit + 1)
      search.after = start.position
      search.includesPosition = scope.zoneName > start.zone
      found += try transaction.search(search, in: scope).map { ($0, scope) }
      // Keep no more positions than the page can hold.
      if scopes.count > 1 {
        found.sort { a, b in
          plan.precedes(a.0, b.0) || !plan.precedes(b.0, a.0) && a.1.zoneName < b.1.zoneName
        }
        found = Array(found.prefix(limit + 1))
      }
    }
    let (last, isWhole) = try show(Array(found.prefix(limit)), condition: nil)
    guard !isWhole || found.count > limit else { return nil }
    return PageEnd(
      condition: start.condition, zone: last?.1.zoneName ?? start.zone,
      position: last?.0 ?? start.position)
  }

  /// Adds records to the page until it is full.
  ///
  /// - Returns: the last position whose record was examined, and whether this was done for all
  ///   positions.
  private mutating func show(
    _ found: [(RecordSearch.Position, Scope)], condition: Int?
  ) throws -> (last: (RecordSearch.Position, Scope)?, isWhole: Bool) {
    var last: (RecordSearch.Position, Scope)?
    for (position, scope) in found {
      guard bytes < Limits.pageBytes else { return (last, false) }
      last = (position, scope)
      guard
        let row = try transaction.records([position.name], in: scope, bytes: .max)[position.name]
      else { continue }
      let values = RecordValues(row: row, fields: try sealer.fields(of: row, in: scope))
      guard plan.shows(values, at: position, condition: condition) else { continue }
      bytes += row.bytes
      records.append(
        try links.added(
          to: values.record(in: context.zoneID(scope.zoneName)).selecting(desiredKeys)))
    }
    return (last, true)
  }
}
