import CloudRecords
import Foundation
import NIOConcurrencyHelpers
import Testing

@testable import RecordServer
@testable import RecordServiceSupport

/// Deleting an account's data deletes all of it and nothing of others, even with interruptions.
/// Zones and the development environment are deleted by jobs of the same kind.
@Suite struct DeletionTests {
  private func fill(_ fixture: ServiceFixture) async throws {
    for caller in [ServiceFixture.an, ServiceFixture.binh] {
      for address in [ServiceFixture.private, ServiceFixture.development] {
        try await fixture.makeZone(at: address, by: caller)
        for index in 0..<7 {
          try await fixture.save("n\(index)", ["text": .string("x")], at: address, by: caller)
          try await fixture.save(
            "n\(index)", ["parentNote": .reference(Reference("n0", action: .deleteSelf))],
            in: ServiceFixture.zone, at: address, by: caller)
        }
        try await fixture.delete("n6", at: address, by: caller)
      }
      for index in 0..<3 {
        try await fixture.save(
          "\(caller.account)-\(index)", ["text": .string("x")], type: "Post",
          at: ServiceFixture.public, by: caller)
      }
      for address in [ServiceFixture.private, ServiceFixture.public] {
        _ = try await fixture.service.subscriptionsModify(
          .init(operations: [
            .init(.create, Subscription("s", .query, query: Query("Post"), firesOn: [.create]))
          ]), at: address, by: caller)
      }
    }
  }

  /// 6 and 7 records in each of two environments, and 3 public ones.
  private static let count = 2 * (6 + 7) + 3

  private func rows(_ fixture: ServiceFixture) async throws -> [String: Int] {
    try await fixture.rowCounts()
  }

  @Test(arguments: StorageFactory.all)
  func deletingAnAccountLeavesNoRows(_ factory: StorageFactory) async throws {
    let fixture = try await ServiceFixture(factory)
    let empty = try await rows(fixture)
    try await fill(fixture)
    let both = try await rows(fixture)
    #expect(try await fixture.service.deleteOwner(account: 1) == Self.count)
    #expect(try await fixture.lookup(["n1"]).first?.error?.code == .notFound)
    #expect(
      try await fixture.names(Query("Post"), at: ServiceFixture.public) == ["2-0", "2-1", "2-2"])
    #expect(
      try await fixture.lookup(["n1", "n2"], in: ServiceFixture.zone, by: ServiceFixture.binh)
        .summary == ["n1", "n2"])
    let one = try await rows(fixture)
    for (table, count) in both where !Self.tablesWithoutAccounts.contains(table) && count > 0 {
      #expect(one[table] ?? 0 < count, "\(table)")
    }
    #expect(try await fixture.service.deleteOwner(account: 2) == Self.count)
    let none = try await rows(fixture)
    // The public database is left, and An's database, which the lookup above has created again.
    for (table, count) in none
    where !Self.tablesWithoutAccounts.contains(table)
      && !["owner", "zone", "history"].contains(table)
    {
      #expect(count == empty[table], "\(table)")
    }
    #expect(try await fixture.faults() == [])
    #expect(try await fixture.service.deleteOwner(account: 3) == 0)
  }

  /// Tables that contain nothing of accounts.
  private static let tablesWithoutAccounts: Set<String> = [
    "container", "environment", "field", "secret", "sequence", "service",
  ]

  /// If a deletion stops after any write, a second call finishes it and returns the whole count.
  @Test func anInterruptedDeletionIsContinued() async throws {
    var interruptions = 0
    for stop in 1...12 {
      let fixture = try await ServiceFixture(.standard)
      try await fill(fixture)
      let service = RecordService(on: InterruptedStorage.stopping(fixture.storage, after: stop))
      let error = await serviceError { try await service.deleteOwner(account: 1) }
      guard error != nil else { break }
      interruptions += 1
      let jobs = try await fixture.storage.read { try $0.jobs() }
      #expect(jobs.count == 1)
      #expect(try await fixture.faults() == [], "after \(stop)")
      #expect(try await fixture.service.deleteOwner(account: 1) == Self.count, "after \(stop)")
      #expect(try await fixture.storage.read { try $0.jobs() } == [])
      #expect(
        try await fixture.names(Query("Post"), at: ServiceFixture.public).count == 3)
    }
    // The job, two databases and the public one have two writes each or more; then the job is
    // removed. With twelve, a later write might not have been tried.
    #expect((7..<12).contains(interruptions), "\(interruptions)")
  }

  @Test func resumeFinishesInterruptedJobs() async throws {
    let fixture = try await ServiceFixture()
    try await fill(fixture)
    let service = RecordService(on: InterruptedStorage.stopping(fixture.storage, after: 3))
    #expect(await serviceError { try await service.deleteOwner(account: 1) } != nil)
    try await fixture.service.resume()
    #expect(try await fixture.storage.read { try $0.jobs() } == [])
    #expect(try await fixture.storage.read { try $0.owners(of: 1) } == [])
  }

  /// The hourly housekeeping begins while the job is running.
  @Test func aJobRunsOnlyOnceAtATime() async throws {
    let fixture = try await ServiceFixture()
    try await fill(fixture)
    let housekeeping = DeferredAction()
    // The job is added by the first write, and deletes records with the second.
    let storage = InterruptedStorage(fixture.storage) { write in
      if write == 2 { try await housekeeping.run() }
    }
    let service = RecordService(on: storage)
    housekeeping.set { try await service.resume() }
    #expect(try await service.deleteOwner(account: 1) == Self.count)
    #expect(storage.writes >= 2)
    #expect(try await fixture.storage.read { try $0.jobs() } == [])
  }

  /// Concurrent calls for the same account wait for the first one and get the same count.
  @Test func aSecondDeletionJoinsTheFirst() async throws {
    let fixture = try await ServiceFixture()
    try await fill(fixture)
    let service = fixture.service
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<4 { group.addTask { try await service.deleteOwner(account: 1) } }
      let counts = try await group.reduce(into: []) { $0.append($1) }
      // A task that comes after the end finds nothing left.
      #expect(counts.contains(Self.count) && counts.allSatisfy { [0, Self.count].contains($0) })
    }
    #expect(try await fixture.storage.read { try $0.jobs() } == [])
  }

  /// A record that is saved while its account is being deleted is either deleted or complete.
  @Test func savesDuringADeletionLeaveNoFaults() async throws {
    var writes = 1
    while true {
      let fixture = try await ServiceFixture()
      try await fill(fixture)
      let address = ServiceFixture.private
      let interrupted = InterruptedStorage(fixture.storage) {
        [service = fixture.service, writes] write in
        guard write == writes else { return }
        for (address, type) in [(address, "Note"), (ServiceFixture.public, "Post")] {
          _ = try await service.modify(
            .init(operations: [
              Operation(.forceReplace, note("late", ["text": .string("x")], type: type))
            ]),
            at: address, by: ServiceFixture.an)
        }
      }
      try await RecordService(on: interrupted).deleteOwner(account: 1)
      #expect(try await fixture.faults() == [], "before write \(writes)")
      guard interrupted.writes >= writes else { break }
      writes += 1
    }
    #expect(writes > 5)
  }

  /// A job of the account was interrupted before the account is deleted.
  @Test func deletionRemovesUnfinishedJobsOfTheAccount() async throws {
    let fixture = try await ServiceFixture()
    try await fill(fixture)
    let service = RecordService(on: InterruptedStorage.stopping(fixture.storage, after: 1))
    _ = try await service.zonesModify(
      .init(operations: [.init(.delete, ServiceFixture.zone)]), at: ServiceFixture.private,
      by: ServiceFixture.an)
    #expect(try await fixture.storage.read { try $0.jobs() }.count == 1)
    try await fixture.service.deleteOwner(account: 1)
    #expect(try await fixture.storage.read { try $0.jobs() } == [])
  }

  /// The client disconnects after its zone was deleted, and before the rows of the zone were.
  @Test func aJobRunsToItsEndIfTheClientDisconnects() async throws {
    let fixture = try await ServiceFixture()
    try await fill(fixture)
    let client = DeferredAction()
    // The zone is deleted by the first write, its rows by the second.
    let service = RecordService(
      on: InterruptedStorage(fixture.storage) { if $0 == 2 { try await client.run() } })
    let (start, signal) = AsyncStream<Void>.makeStream()
    let task = Task {
      for await _ in start { break }
      return try await service.zonesModify(
        .init(operations: [.init(.delete, ServiceFixture.zone)]), at: ServiceFixture.private,
        by: ServiceFixture.an)
    }
    client.set { task.cancel() }
    signal.yield()
    _ = try await task.value
    #expect(task.isCancelled)
    #expect(try await fixture.storage.read { try $0.jobs() } == [])
    #expect(try await fixture.service.usage(of: 1).records == Self.count - 7)
  }

  /// An action that a test sets after it has created the storage that runs it.
  private final class DeferredAction: Sendable {
    private let action = NIOLockedValueBox<(@Sendable () async throws -> Void)?>(nil)
    func set(_ action: @escaping @Sendable () async throws -> Void) {
      self.action.withLockedValue { $0 = action }
    }
    func run() async throws { try await action.withLockedValue { $0 }?() }
  }

  @Test func aFailingJobDoesNotPreventOthers() async throws {
    let fixture = try await ServiceFixture()
    try await fixture.save("a")
    try await fixture.database.write { connection in
      _ = try connection.run("UPDATE record SET content = ?", [Data([0])])
    }
    try await fixture.storage.write { transaction in
      try transaction.add(
        .reindex(ServiceFixture.container, .production, types: ["Note"], after: 0))
      try transaction.add(.purgeZone(owner: 0, incarnation: 1))
    }
    #expect(await serviceError { try await fixture.service.resume() }?.code == .internalError)
    let left = try await fixture.storage.read { try $0.jobs() }
    #expect(left.count == 1)
    guard case .reindex? = left.first?.job else {
      Issue.record("\(left)")
      return
    }
  }

  /// A reset that is continued later deletes nothing that was saved after it began.
  @Test func anInterruptedResetKeepsLaterRecords() async throws {
    let fixture = try await ServiceFixture()
    try await fixture.save("a", at: ServiceFixture.development)
    let service = RecordService(on: InterruptedStorage.stopping(fixture.storage, after: 1))
    #expect(
      await serviceError { try await service.resetDevelopment(ServiceFixture.container) } != nil)
    try await fixture.save("b", at: ServiceFixture.development, by: ServiceFixture.binh)
    try await fixture.service.resume()
    #expect(
      try await fixture.lookup(["b"], at: ServiceFixture.development, by: ServiceFixture.binh)
        .summary == ["b"])
    #expect(
      try await fixture.lookup(["a"], at: ServiceFixture.development).first?.error?.code
        == .notFound)
  }

  /// The server was stopped after the deletion of the zone and before that of its rows.
  @Test func rowsOfADeletedZoneAreDeleted() async throws {
    let fixture = try await ServiceFixture()
    try await fixture.makeZone()
    try await fixture.save("a", ["text": .string("x")], in: ServiceFixture.zone)
    let service = RecordService(on: InterruptedStorage.stopping(fixture.storage, after: 1))
    let answer = try await service.zonesModify(
      .init(operations: [.init(.delete, ServiceFixture.zone)]), at: ServiceFixture.private,
      by: ServiceFixture.an)
    #expect(answer.zones.first?.value?.deleted == true)
    #expect(try await rows(fixture)["record"] == 1)
    try await fixture.makeZone()
    try await fixture.save("b", in: ServiceFixture.zone)
    try await fixture.service.resume()
    #expect(try await rows(fixture)["record"] == 1)
    #expect(try await fixture.lookup(["b"], in: ServiceFixture.zone).summary == ["b"])
  }
}

/// Storage that runs an action before each of its writes, which fails if the action does.
struct InterruptedStorage: RecordStorage {
  private let storage: any RecordStorage
  private let interruption: @Sendable (_ write: Int) async throws -> Void
  private let count = NIOLockedValueBox(0)

  /// - Parameter interruption: Called with the number of the write, from 1.
  init(
    _ storage: any RecordStorage,
    _ interruption: @escaping @Sendable (_ write: Int) async throws -> Void
  ) {
    self.storage = storage
    self.interruption = interruption
  }

  /// Storage that fails after a number of writes.
  static func stopping(_ storage: any RecordStorage, after writes: Int) -> Self {
    Self(storage) { write in
      if write > writes { throw StorageFailure.failed(.unexpected(type: "stopped")) }
    }
  }

  /// How many writes were begun.
  var writes: Int { count.withLockedValue { $0 } }

  func read<Value: Sendable>(
    within budget: RowBudget?, _ body: @escaping @Sendable (SQLTransaction) throws -> Value
  ) async throws -> Value {
    try await storage.read(within: budget, body)
  }

  func write<Value: Sendable>(
    for account: Int64?, _ body: @escaping @Sendable (SQLWriteTransaction) throws -> Value
  ) async throws -> Value {
    let write = count.withLockedValue { count in
      count += 1
      return count
    }
    try await interruption(write)
    return try await storage.write(for: account, body)
  }
}
