import CloudRecords
import Foundation
import TestSupport
import Testing

@testable import RecordServer
@testable import RecordServiceSupport

/// Random queries of random records have the same results as a search without any index.
@Suite struct QueryPropertyTests {
  @Test(arguments: zip(StorageFactory.all, [1, 2] as [UInt64]))
  func queriesFindTheSameAsANaiveSearch(_ factory: StorageFactory, _ seed: UInt64) async throws {
    let fixture = try await ServiceFixture(factory)
    var input = RandomInput(seed: seed)
    var records: [String: Record] = [:]
    for start in [0, 80] {
      let operations = (start..<start + 80).map { index in
        Operation(.forceReplace, note("n\(index)", input.fields()))
      }
      for result in try await fixture.modify(operations) {
        let record = try #require(result.record)
        records[record.recordName] = record
      }
    }
    // Some of the records are changed, and some are deleted.
    for index in stride(from: 0, to: 160, by: 9) {
      let record = try await fixture.save("n\(index)", input.fields())
      records[record.recordName] = record
    }
    for index in stride(from: 5, to: 160, by: 23) {
      try await fixture.delete("n\(index)")
      records["n\(index)"] = nil
    }
    var found = 0
    for _ in 0..<250 {
      let query = input.query()
      let limit = input.one(of: [nil, nil, 3, 7, 20, 50])
      let names = try await fixture.names(query, limit: limit)
      let expected = NaiveQuery(query).names(of: Array(records.values))
      found += expected.count
      if query.sorts.isEmpty {
        #expect(names.sorted() == expected.sorted(), "seed \(seed): \(query)")
      } else {
        #expect(names == expected, "seed \(seed): \(query)")
      }
    }
    // Not all results are empty.
    #expect(found > 3000)
  }

  /// Each index that a query can use gives the same result, in pages of any size.
  @Test(arguments: zip(StorageFactory.all, [3, 4] as [UInt64]))
  func everyIndexGivesTheSameResult(_ factory: StorageFactory, _ seed: UInt64) async throws {
    let fixture = try await ServiceFixture(factory)
    var input = RandomInput(seed: seed)
    let operations = (0..<60).map { Operation(.create, note("n\($0)", input.fields())) }
    let records = try await fixture.modify(operations).compactMap(\.record)
    #expect(records.count == 60)
    var searches = 0
    for _ in 0..<400 {
      let query = input.query()
      guard !query.sorts.isEmpty else { continue }
      let limit = input.one(of: [1, 2, 5, 17])
      let expected = NaiveQuery(query).names(of: records)
      let sealer = fixture.service.signer.sealer
      let found = try await fixture.storage.read { transaction in
        let address = ServiceFixture.private
        let state = try #require(try transaction.state(of: address.container, address.environment))
        let owner = try #require(try transaction.owner(of: address, account: 1))
        let zone = try #require(try transaction.zone(ZoneID.defaultName, of: owner.id))
        let scope = Scope(zone, isPublic: false)
        let plan = try QueryPlan(
          try state.schema.check(query), ids: try #require(state.fieldIDs["Note"]))
        return try ([nil] + plan.candidates.map(\.index)).map { condition in
          var search = plan.search(condition: condition, limit: limit)
          var names: [String] = []
          while true {
            let page = try transaction.search(search, in: scope)
            try Self.checkFirstRows(of: search, in: scope, transaction, page)
            for position in page {
              let row = try #require(
                try transaction.records([position.name], in: scope, bytes: .max)[position.name])
              let values = RecordValues(row: row, fields: try sealer.fields(of: row, in: scope))
              if plan.shows(values, at: position, condition: nil) { names.append(row.name) }
            }
            guard page.count == limit else { return names }
            search.after = page.last
          }
        }
      }
      searches += found.count
      for names in found { #expect(names == expected, "seed \(seed): \(query)") }
    }
    #expect(searches > 400)
  }

  /// A search by a condition gives the same page when the first rows in the order of the query are
  /// tested instead: all of it from all rows, and a part of it from some rows.
  private static func checkFirstRows(
    of search: RecordSearch, in scope: Scope, _ transaction: SQLTransaction,
    _ page: [RecordSearch.Position]
  ) throws {
    guard case .condition(let index) = search.path, search.order.count == 1 else { return }
    let condition = search.conditions[index]
    let entries = try transaction.count(
      condition.tests, of: condition.field, in: scope, upTo: 1000)
    var first = search
    for rows in [1000, 10, 1] {
      first.path = .firstRows(count: rows, condition: index, entries: entries)
      let found = try transaction.search(first, in: scope)
      #expect(found.count == page.count || rows < 1000)
      #expect(found.count <= rows)
      #expect(found == Array(page.prefix(found.count)), "\(search)")
    }
  }
}

/// A query answered without any index and without keys.
private struct NaiveQuery {
  private let query: Query

  init(_ query: Query) {
    self.query = query
  }

  func names(of records: [Record]) -> [String] {
    let found = records.filter { record in query.filters.allSatisfy { passes(record, $0) } }
    return found.sorted(by: precedes).map(\.recordName)
  }

  /// The last criterion that can have an effect: a field counts only the first time.
  private var lastSort: Sort? {
    var seen: Set<QueryField> = []
    return query.sorts.filter { seen.insert($0.field).inserted }.last
  }

  private func name(_ field: QueryField?) -> String {
    guard case .named(let name) = field else { return "" }
    return name
  }

  private func precedes(_ a: Record, _ b: Record) -> Bool {
    for sort in query.sorts {
      let order = Self.order(a[name(sort.field)], b[name(sort.field)])
      if order != 0 { return (order < 0) == sort.ascending }
    }
    return (a.recordName < b.recordName) == (lastSort?.ascending ?? true)
  }

  private static func order(_ a: FieldValue?, _ b: FieldValue?) -> Int {
    func compare<Value: Comparable>(_ a: Value, _ b: Value) -> Int { a < b ? -1 : a == b ? 0 : 1 }
    func compare(_ a: [UInt8], _ b: [UInt8]) -> Int {
      a == b ? 0 : a.lexicographicallyPrecedes(b) ? -1 : 1
    }
    return switch (a, b) {
    case (nil, nil): 0
    case (nil, _): -1
    case (_, nil): 1
    case (.int64(let a), .int64(let b)): compare(a, b)
    case (.double(let a), .double(let b)): compare(a, b)
    case (.timestamp(let a), .timestamp(let b)): compare(a, b)
    case (.string(let a), .string(let b)): compare(Array(a.utf8), Array(b.utf8))
    case (.bytes(let a), .bytes(let b)): compare(Array(a), Array(b))
    case (.reference(let a), .reference(let b)):
      compare(Array(a.recordName.utf8), Array(b.recordName.utf8))
    default: incomparable()
    }
  }

  /// A field has values of one kind.
  private static func incomparable() -> Int {
    Issue.record("values of two kinds")
    return 0
  }

  private func passes(_ record: Record, _ filter: Filter) -> Bool {
    let value = record[name(filter.field)]
    let elements = value?.elements ?? []
    let wanted = filter.fieldValue.value?.elements ?? []
    func has(_ one: FieldValue) -> Bool { elements.contains { Self.order($0, one) == 0 } }
    func begins(_ prefix: FieldValue) -> Bool {
      guard case .string(let prefix) = prefix else { return false }
      return elements.contains { element in
        if case .string(let text) = element { text.utf8.starts(with: prefix.utf8) } else { false }
      }
    }
    func compares(_ test: (Int) -> Bool) -> Bool {
      value.map { test(Self.order($0, wanted[0])) } ?? false
    }
    return switch filter.comparator {
    case .equals, .listContains: has(wanted[0])
    case .notEquals, .notListContains: !has(wanted[0])
    case .lessThan: compares { $0 < 0 }
    case .lessThanOrEquals: compares { $0 <= 0 }
    case .greaterThan: compares { $0 > 0 }
    case .greaterThanOrEquals: compares { $0 >= 0 }
    case .isIn, .listContainsAny: wanted.contains(where: has)
    case .notIn, .notListContainsAny: !wanted.contains(where: has)
    case .listContainsAll: wanted.allSatisfy(has)
    case .notListContainsAll: !wanted.allSatisfy(has)
    case .beginsWith, .listMemberBeginsWith: begins(wanted[0])
    case .notBeginsWith, .notListMemberBeginsWith: !begins(wanted[0])
    case .near, .containsAllTokens, .containsAnyTokens: false
    }
  }
}

/// Records and queries, the same ones for the same seed.
private struct RandomInput {
  private var generator: SeededGenerator

  init(seed: UInt64) {
    generator = SeededGenerator(seed: seed)
  }

  mutating func one<Value>(of values: [Value]) -> Value {
    values[Int.random(in: 0..<values.count, using: &generator)]
  }

  private mutating func some<Value>(_ upTo: Int, of values: [Value]) -> [Value] {
    (0..<Int.random(in: 0...upTo, using: &generator)).map { _ in one(of: values) }
  }

  private static let integers: [Int64] = [
    .min, -5, 0, 1, 2, 1 << 53, (1 << 53) + 1, (1 << 53) + 2, .max,
  ]
  private static let doubles: [Double] = [-1e300, -1.5, -0.0, 0, 0.1, 1, 1e300]
  private static let texts = ["", "a", "ab", "abc", "b", "é", "ệ", "a\u{0}", "\u{10FFFF}"]
  /// Strings that are equal in the part that an index stores.
  private static let long = ["", "x", "y"].map { String(repeating: "l", count: 1000) + $0 }
  private static let names = ["", "a", "b", "~"]
  private static let bytes = [Data(), Data([0]), Data([0, 255]), Data([255])]

  private mutating func value(_ field: String) -> FieldValue {
    switch field {
    case "rank": .int64(one(of: Self.integers))
    case "weight": .double(one(of: Self.doubles))
    case "at": .timestamp(Timestamp(milliseconds: one(of: Self.integers)))
    case "data": .bytes(one(of: Self.bytes))
    case "text": .string(one(of: Self.texts))
    case "parentNote": .reference(Reference(one(of: Self.names)))
    default: .string(one(of: Self.texts + Self.long + Self.long))
    }
  }

  private mutating func list(_ field: String, _ upTo: Int = 4) -> FieldValue {
    switch field {
    case "tags": .strings(some(upTo, of: Self.texts + Self.long))
    case "scores": .int64s(some(upTo, of: Self.integers))
    default: .references(some(upTo, of: Self.names).map { Reference($0) })
    }
  }

  private static let scalars = [
    "rank", "weight", "at", "data", "text", "parentNote", "filterOnly",
  ]
  private static let lists = ["tags", "scores", "links"]

  mutating func fields() -> [String: FieldValue] {
    var fields: [String: FieldValue] = [:]
    for name in Self.scalars where one(of: [true, true, true, false]) { fields[name] = value(name) }
    for name in Self.lists where one(of: [true, true, true, false]) { fields[name] = list(name) }
    return fields
  }

  mutating func query() -> Query {
    var query = Query(
      "Note",
      filters: (0..<one(of: [0, 1, 1, 1, 2, 2, 3])).map { _ in filter() },
      sorts: (0..<one(of: [0, 0, 1, 1, 2])).map { _ in
        Sort(
          one(of: ["rank", "weight", "at", "data", "text"]), ascending: one(of: [true, false]))
      })
    // A range, sometimes in the order of the same field.
    if one(of: [true, false, false]) {
      let field = one(of: ["rank", "weight", "at", "data", "text"])
      query.filters += [
        Filter(field, one(of: [.greaterThan, .greaterThanOrEquals, .isIn]), list(of: field)),
        Filter(field, one(of: [.lessThan, .lessThanOrEquals, .notEquals]), value(field)),
      ].map { filter in
        var filter = filter
        if filter.comparator != .isIn, let one = filter.fieldValue.value?.elements.first {
          filter.fieldValue = Field(one)
        }
        return filter
      }
      if one(of: [true, false]) {
        query.sorts.insert(Sort(field, ascending: one(of: [true, false])), at: 0)
      }
    }
    return query
  }

  /// At least one value of a field.
  private mutating func list(of field: String) -> FieldValue {
    let values = (0..<one(of: [1, 2, 3])).map { _ in value(field) }
    return Self.joined(values, like: value(field))
  }

  private mutating func filter() -> Filter {
    if one(of: [true, false, false]) {
      let field = one(of: Self.lists)
      let comparator = one(
        of: [
          Filter.Comparator.listContains, .notListContains, .listContainsAny, .notListContainsAny,
          .listContainsAll, .notListContainsAll,
        ] + (field == "tags" ? [.listMemberBeginsWith, .notListMemberBeginsWith] : []))
      switch comparator {
      case .listContainsAny, .notListContainsAny, .listContainsAll, .notListContainsAll:
        return Filter(field, comparator, list(field, 3))
      default:
        var one = list(field).elements
        while one.isEmpty || list(field).type.isList == false { one = list(field).elements }
        return Filter(field, comparator, one[0])
      }
    }
    let field = one(of: Self.scalars)
    var comparators: [Filter.Comparator] = [.equals, .notEquals, .isIn, .notIn]
    if field != "filterOnly", field != "parentNote" {
      comparators += [.lessThan, .lessThanOrEquals, .greaterThan, .greaterThanOrEquals]
    }
    if field == "text" || field == "filterOnly" { comparators += [.beginsWith, .notBeginsWith] }
    let comparator = one(of: comparators)
    guard comparator == .isIn || comparator == .notIn else {
      return Filter(field, comparator, value(field))
    }
    let values = (0..<one(of: [0, 1, 2, 3])).map { _ in value(field) }
    return Filter(field, comparator, Self.joined(values, like: value(field)))
  }

  private static func joined(_ values: [FieldValue], like one: FieldValue) -> FieldValue {
    switch one {
    case .int64:
      .int64s(values.compactMap { if case .int64(let value) = $0 { value } else { nil } })
    case .double:
      .doubles(values.compactMap { if case .double(let value) = $0 { value } else { nil } })
    case .timestamp:
      .timestamps(values.compactMap { if case .timestamp(let value) = $0 { value } else { nil } })
    case .bytes:
      .bytesList(values.compactMap { if case .bytes(let value) = $0 { value } else { nil } })
    case .reference:
      .references(values.compactMap { if case .reference(let value) = $0 { value } else { nil } })
    default:
      .strings(values.compactMap { if case .string(let value) = $0 { value } else { nil } })
    }
  }
}
