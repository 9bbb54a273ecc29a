import CloudRecords
import Notes
import RecordServer
import RecordServiceTesting
import Synchronization
import Testing

@Suite(.container(schema: "notes.ckdb", production: "production.ckdb")) struct NoteStoreTests {
  private func store(
    _ environment: String = "development",
    wait: @escaping @Sendable (Double) async throws -> Void = { _ in }
  ) throws -> NoteStore {
    let cloud = try TestContainer.current
    return try NoteStore(
      service: cloud.url, container: cloud.container.name, environment: environment,
      apiToken: cloud.apiToken, webAuthToken: cloud.users[0].webAuthToken, wait: wait)
  }

  private let milk = NoteStore.Note("milk", "buy milk", createdAt: 1000)
  private let tea = NoteStore.Note("tea", "drink tea", createdAt: 2000)

  @Test(arguments: ["development", "production"])
  func theNewestNoteIsFirst(_ environment: String) async throws {
    let store = try store(environment)
    for note in [tea, milk] { try await store.save(note) }
    #expect(try await store.notes() == [tea, milk])
  }

  @Test func aBusyServiceIsAskedAgainWhenItSays() async throws {
    let waits = Mutex<[Double]>([])
    let store = try store { seconds in waits.withLock { $0.append(seconds) } }
    try TestContainer.current.faults.add(
      Fault(.error(.throttled, retryAfter: 30), requests: 2, endpoint: .recordsModify))
    try await store.save(milk)
    #expect(waits.withLock { $0 } == [30, 30])
    #expect(try await store.notes() == [milk])
  }

  @Test func aNoteThatIsRefusedIsAFailure() async throws {
    try TestContainer.current.faults.add(
      Fault(.itemErrors(.quotaExceeded), endpoint: .recordsModify))
    let failure = await #expect(throws: NoteStore.Failure.self) { try await store().save(milk) }
    #expect(failure?.code == "QUOTA_EXCEEDED")
  }

  @Test func aSnapshotHasTheNotesOfItsTime() async throws {
    let cloud = try TestContainer.current
    try await store().save(milk)
    let before = try cloud.service.snapshot()
    try await store().save(tea)
    try await cloud.service.restore(before)
    #expect(try await store().notes() == [milk])
  }
}
