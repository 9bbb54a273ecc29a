import CloudRecords
import TestSupport
import Testing

@testable import RecordServer
@testable import RecordServiceSupport

/// Random batches of operations, compared with a model that is a dictionary and with replicas that
/// follow the feed from their last token.
@Suite struct ModelTests {
  @Test(arguments: StorageFactory.all, [11, 12] as [UInt64])
  func theServiceDoesWhatTheModelDoes(_ factory: StorageFactory, _ seed: UInt64) async throws {
    let fixture = try await ServiceFixture(factory, hasDefaultZoneFeed: true)
    try await fixture.makeZone()
    var script = Script(seed: seed)
    for zone in [ZoneID.default, ServiceFixture.zone] {
      var model = Model()
      var replicas: [Replica] = [Replica()]
      for _ in 0..<200 {
        let isAtomic = !zone.isDefault && script.bool()
        let operations = script.batch(model)
        let expected = model.carryOut(operations, isAtomic: isAtomic)
        let results = try await fixture.modify(
          operations, in: zone, atomic: zone.isDefault ? nil : isAtomic)
        try #require(
          results.map(Model.summary) == expected, "seed \(seed): \(operations)")
        model.learn(results)
        // The results do not name the records that a cascade deleted, so all are looked up.
        let looked = try await fixture.lookup(Script.names, in: zone)
        for (name, result) in zip(Script.names, looked) {
          try #require(
            result.record.map(Model.State.init) == model.states[name],
            "seed \(seed): \(name) after \(operations)")
        }
        if script.int(0...9) == 0 { replicas.append(replicas[script.int(0...replicas.count - 1)]) }
        if script.int(0...2) == 0 {
          let index = script.int(0...replicas.count - 1)
          try await replicas[index].follow(
            fixture, zone, limit: script.int(1...5), pages: script.int(1...4))
        }
      }
      // Fewer records are saved if half of the batches are atomic.
      #expect(model.tags.count > (zone.isDefault ? 250 : 150))
      #expect(replicas.count > 3)
      for index in replicas.indices {
        try await replicas[index].follow(fixture, zone, limit: 3, pages: .max)
        #expect(replicas[index].states == model.states, "seed \(seed), replica \(index)")
      }
      var listing = Replica()
      try await listing.follow(fixture, zone, limit: 200, pages: .max)
      #expect(listing.states == model.states)
      let names = try await fixture.names(Query("Note"), in: zone)
      #expect(names == model.states.keys.sorted())
    }
  }
}

/// The records of a client that follows a feed.
private struct Replica {
  private(set) var states: [String: Model.State] = [:]
  private var token: String?

  mutating func follow(
    _ fixture: ServiceFixture, _ zone: ZoneID, limit: Int, pages: Int
  ) async throws {
    for _ in 0..<pages {
      let page = try await fixture.page(zone, since: token, limit: limit)
      #expect(page.records.count <= limit)
      for result in page.records {
        switch result {
        case .record(let record): states[record.recordName] = Model.State(record)
        case .tombstone(let tombstone): states[tombstone.recordName] = nil
        case .failure(let error): Issue.record("\(error)")
        }
      }
      token = page.syncToken
      if !page.moreComing { return }
    }
  }
}

private struct Model {
  struct State: Equatable {
    var fields: [String: FieldValue]
    var tag: String?

    init(fields: [String: FieldValue], tag: String?) {
      self.fields = fields
      self.tag = tag
    }

    init(_ record: Record) {
      fields = record.fields.compactMapValues(\.value)
      tag = record.recordChangeTag
    }

    var owner: String? { fields["parentNote"]?.references.first?.recordName }
  }

  private(set) var states: [String: State] = [:]
  /// All tags that the service has assigned so far.
  private(set) var tags: Set<String> = []

  /// - Returns: the summaries of the results.
  mutating func carryOut(_ operations: [Operation], isAtomic: Bool) -> [String] {
    let before = states
    var gone: Set<String> = []
    var results: [String] = []
    for operation in operations {
      let name = operation.record.recordName ?? ""
      let existed = Set(states.keys)
      results.append(carryOut(operation, name, gone))
      gone.formUnion(existed.subtracting(states.keys))
      gone.subtract(states.keys)
    }
    // These records were saved, and then deleted by the cascade of another operation.
    for (index, operation) in operations.enumerated() {
      let name = operation.record.recordName ?? ""
      if results[index] == name, states[name] == nil { results[index] = "-\(name)" }
    }
    let failed = results.map { !$0.hasPrefix("r") && !$0.hasPrefix("-") }
    guard isAtomic, failed.contains(true) else { return results }
    states = before
    return zip(results, failed).map { $1 ? $0 : "ATOMIC_ERROR" }
  }

  private mutating func carryOut(
    _ operation: Operation, _ name: String, _ gone: Set<String>
  ) -> String {
    let draft = operation.record
    let fields = draft.fields.compactMapValues(\.value)
    func isStale(_ state: State) -> Bool {
      operation.operationType.needsChangeTag && draft.recordChangeTag != state.tag
    }
    switch (operation.operationType, states[name]) {
    case (.create, _?): return "EXISTS"
    case (.create, nil), (.forceUpdate, nil), (.forceReplace, nil):
      states[name] = State(fields: fields, tag: nil)
    case (.update, nil), (.replace, nil): return "NOT_FOUND"
    case (.delete, nil): return gone.contains(name) ? "-\(name)" : "NOT_FOUND"
    case (.forceDelete, nil): return "-\(name)"
    case (.update, let state?), (.forceUpdate, let state?):
      guard !isStale(state) else { return "CONFLICT" }
      var merged = state.fields
      for (field, content) in draft.fields { merged[field] = content.value }
      states[name] = State(fields: merged, tag: nil)
    case (.replace, let state?), (.forceReplace, let state?):
      guard !isStale(state) else { return "CONFLICT" }
      states[name] = State(fields: fields, tag: nil)
    case (.delete, let state?), (.forceDelete, let state?):
      guard !isStale(state) else { return "CONFLICT" }
      delete(name)
      return "-\(name)"
    }
    return name
  }

  private mutating func delete(_ name: String) {
    guard states.removeValue(forKey: name) != nil else { return }
    for (holder, state) in states where state.owner == name { delete(holder) }
  }

  /// Stores the tags that the service has assigned, and checks that each is new.
  mutating func learn(_ results: [RecordResult]) {
    for record in results.compactMap(\.record) {
      states[record.recordName]?.tag = record.recordChangeTag
      #expect(tags.insert(record.recordChangeTag ?? "").inserted)
    }
  }

  static func summary(_ result: RecordResult) -> String {
    guard let error = result.error else { return result.summary }
    return error.code.rawValue
  }
}

/// Random batches of operations, the same for the same seed.
private struct Script {
  private var generator: SeededGenerator

  init(seed: UInt64) {
    generator = SeededGenerator(seed: seed)
  }

  static let names = (0..<12).map { "r\($0)" }

  mutating func int(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &generator) }
  mutating func bool() -> Bool { .random(using: &generator) }
  private mutating func one<Value>(of values: [Value]) -> Value {
    values[int(0...values.count - 1)]
  }

  mutating func batch(_ model: Model) -> [Operation] {
    Self.names.shuffled(using: &generator).prefix(int(1...5)).map { name in
      var draft = RecordInput(name, type: "Note")
      if bool() { draft["rank"] = .int64(Int64(int(0...9))) }
      if int(0...2) == 0 { draft["text"] = .string("t\(int(0...9))") }
      if int(0...5) == 0 { draft["rank"] = nil }
      if int(0...3) == 0 {
        draft["parentNote"] = .reference(Reference(one(of: Self.names), action: .deleteSelf))
      }
      // Usually the right tag, sometimes an old or a wrong one.
      draft.recordChangeTag =
        int(0...4) == 0
        ? one(of: ["zz", model.tags.sorted().first ?? "0"]) : model.states[name]?.tag ?? "0"
      let type = one(of: [
        RecordsModify.OperationType.create, .create, .update, .update, .forceUpdate, .replace,
        .forceReplace, .delete, .forceDelete,
      ])
      return Operation(type, draft)
    }
  }
}
