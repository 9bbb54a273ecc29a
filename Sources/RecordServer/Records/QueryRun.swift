import CloudRecords
import FoundationEssentials

/// One page of a query, in one transaction.
struct QueryRun {
  let plan: QueryPlan
  let context: RequestContext
  /// By name.
  let scopes: [Scope]
  let transaction: any RecordReading
  let sealer: FieldSealer
  let limit: Int
  let desiredKeys: Set<String>?
  /// Searches of one page, at most: with many keys and zones most find nothing.
  static let searchLimit = 200
  private(set) var records: [Record] = []
  private var bytes = 0

  init(
    plan: QueryPlan, context: RequestContext, scopes: [Scope], transaction: any RecordReading,
    sealer: FieldSealer, limit: Int, desiredKeys: Set<String>?
  ) {
    self.plan = plan
    self.context = context
    self.scopes = scopes
    self.transaction = transaction
    self.sealer = sealer
    self.limit = limit
    self.desiredKeys = desiredKeys
  }

  /// Where a page ends and the next goes on.
  struct Place {
    var condition: Int?
    var key = 0
    var zone: String
    var position: RecordSearch.Position?
  }

  /// Fills the page.
  ///
  /// - Returns: nil where this was the last page.
  mutating func fill(from place: Place?) throws -> Place? {
    let place =
      try place
      ?? Place(
        condition: plan.choose(in: scopes, transaction), zone: scopes.first?.zoneName ?? "")
    return plan.order.isEmpty ? try fillUnordered(from: place) : try fillOrdered(from: place)
  }

  /// Zone by zone, each in the order of the index.
  private mutating func fillUnordered(from start: Place) throws -> Place? {
    var place = start
    let keys = plan.keys(of: place.condition).map { $0.map(Optional.some) } ?? [nil]
    // The number of records that may still be found: those that are not shown count too, so
    // that a page is a bounded amount of work.
    var left = limit
    var searches = 0
    for scope in scopes where scope.zoneName >= start.zone {
      if scope.zoneName != place.zone {
        place = Place(condition: place.condition, zone: scope.zoneName)
      }
      for index in keys.indices where index >= place.key {
        if index > place.key { place.position = nil }
        place.key = index
        guard searches < Self.searchLimit else { return place }
        searches += 1
        var search = plan.search(condition: place.condition, key: keys[index], limit: left + 1)
        search.after = place.position
        let found = try transaction.search(search, in: scope)
        let (last, isWhole) = try show(
          found.prefix(left).map { ($0, scope) }, condition: place.condition)
        if let last { place.position = last.0 }
        if !isWhole || found.count > left { return place }
        left -= found.count
      }
      place.key = 0
      place.position = nil
    }
    return nil
  }

  /// In the order of the query; equal ones by name, then by zone.
  private mutating func fillOrdered(from place: Place) throws -> Place? {
    var found: [(RecordSearch.Position, Scope)] = []
    for scope in scopes {
      var search = plan.search(condition: place.condition, limit: limit + 1)
      search.after = place.position
      search.includesPosition = scope.zoneName > place.zone
      found += try transaction.search(search, in: scope).map { ($0, scope) }
      // No more of them than can be in the page.
      if scopes.count > 1 {
        found.sort { a, b in
          plan.precedes(a.0, b.0) || !plan.precedes(b.0, a.0) && a.1.zoneName < b.1.zoneName
        }
        found = Array(found.prefix(limit + 1))
      }
    }
    let (last, isWhole) = try show(Array(found.prefix(limit)), condition: nil)
    guard !isWhole || found.count > limit else { return nil }
    return Place(
      condition: place.condition, zone: last?.1.zoneName ?? place.zone,
      position: last?.0 ?? place.position)
  }

  /// Adds records to the page until it is full.
  ///
  /// - Returns: the last one looked at, and whether that was all of them.
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
        values.record(in: context.zoneID(scope.zoneName)).selecting(desiredKeys))
    }
    return (last, true)
  }
}
