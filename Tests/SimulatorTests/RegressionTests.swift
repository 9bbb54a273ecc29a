import CloudRecords
import Library
import RecordClient
import Testing

@testable import Sync

/// Scripts that once failed, or that seeds produce too rarely.
@Suite struct RegressionTests {
  private func run(
    _ feed: ModelService.Feed, _ clocks: [Int64] = [0, 0], _ actions: Step.Action...
  ) async throws {
    let script = Script(
      seed: 1, feed: feed, pageSize: 200, clocks: clocks, signedIn: clocks.map { _ in true },
      steps: actions.enumerated().map { Step(id: $0.offset, action: $0.element) })
    do {
      _ = try await Simulation(script).run()
    } catch let failure as SimulationFailure {
      Issue.record("\(failure)\nafter\n\(script)")
    }
  }

  /// An existing record with the note's name does not prove that this device created it.
  @Test(arguments: [ModelService.Feed.on, .off])
  func anEditOfANoteThatBothImportedIsKept(_ feed: ModelService.Feed) async throws {
    try await run(
      feed, [0, 0],
      .lag(writes: 5),
      .importNote(device: 0, number: 0, hasOwnID: false),
      .importNote(device: 1, number: 0, hasOwnID: false),
      .sync(device: 0, .init()),
      .edit(device: 1, note: 0, [.replace(0), .replace(1)]),
      .sync(device: 1, .init(faults: [feed == .on ? 5 : 6: .lost])),
      .sync(device: 1, .init()))
  }

  /// A lagging query returns a note that this device has deleted.
  @Test func aLaggingListingDoesNotRestoreADeletedNote() async throws {
    try await run(
      .off, [0, 0],
      .addNote(device: 0, ayah: 0, lines: 2),
      .sync(device: 0, .init()),
      .sync(device: 0, .init()),
      .lag(writes: 1),
      .delete(device: 0, note: 0),
      .sync(device: 0, .init()),
      .sync(device: 0, .init()),
      .edit(device: 0, note: 0, [.insert(0)]))
  }

  /// The note arrived although the response was lost, and no listing returns it yet.
  @Test func aDeletionBeforeTheSaveIsConfirmedIsKept() async throws {
    try await run(
      .off, [0, 0],
      .lag(writes: 3),
      .addNote(device: 0, ayah: 0, lines: 2),
      .favorite(device: 0, ayah: 0, true),
      .sync(device: 0, .init(faults: [6: .unanswered])),
      .delete(device: 0, note: 0),
      .favorite(device: 0, ayah: 0, false),
      .wait(milliseconds: 400_000),
      .sync(device: 0, .init()))
  }

  /// The version that the edit replaced is this device's own, and not another device's.
  @Test(arguments: [
    Step.Action.edit(device: 0, note: 0, [.replace(1)]), .delete(device: 0, note: 0),
  ])
  func aChangeBeforeTheSaveIsConfirmedIsNoConflict(_ change: Step.Action) async throws {
    try await run(
      .off, [0, 0],
      .lag(writes: 3),
      .addNote(device: 0, ayah: 0, lines: 3),
      .sync(device: 0, .init(faults: [6: .unanswered])),
      change,
      .sync(device: 0, .init()))
    try await run(
      .off, [0, 0],
      .addNote(device: 0, ayah: 0, lines: 3),
      .sync(device: 0, .init()),
      .sync(device: 0, .init()),
      .lag(writes: 3),
      .edit(device: 0, note: 0, [.replace(1)]),
      .sync(device: 0, .init(faults: [5: .unanswered])),
      change,
      .sync(device: 0, .init()))
  }

  /// The progress stays reset although the response to the save before the reset was lost.
  @Test func aResetBeforeTheSaveIsConfirmedIsKept() async throws {
    try await run(
      .off, [0, 0],
      .lag(writes: 3),
      .setProgress(device: 0, surah: 1, to: 5),
      .sync(device: 0, .init(faults: [6: .unanswered])),
      .setProgress(device: 0, surah: 1, to: 0),
      .sync(device: 0, .init()))
  }

  /// A change does not wait for years after a clock that was ahead is corrected.
  @Test func correctingTheClockDelaysNothing() async throws {
    try await run(
      .on, [94_608_000_000, 0],
      .addNote(device: 0, ayah: 0, lines: 2),
      .sync(device: 0, .init(faults: [2: .refused(.throttled, retryAfter: 30)])),
      .setClock(device: 0, ahead: 0))
  }

  /// A library is restored, and the user keeps the state of the service, which has lost an edit
  /// that it acknowledged.
  @Test(arguments: [ModelService.Feed.on, .off])
  func keepingARolledBackServiceTrashesTheLostText(
    _ feed: ModelService.Feed
  ) async throws {
    try await run(
      feed, [0, 0],
      .addNote(device: 0, ayah: 0, lines: 3),
      .sync(device: 0, .init()),
      .backUp,
      .edit(device: 0, note: 0, [.replace(1)]),
      .sync(device: 0, .init()),
      .backUpLibrary(device: 0),
      .putBack,
      .restoreLibrary(device: 0, keepsService: true))
  }

  /// Lines that were never sent are lost with the library that is replaced, even if a device of
  /// another account has the same lines.
  @Test func linesOfAnotherAccountAreNotExpectedInARestoredLibrary() async throws {
    try await run(
      .on, [0, 0],
      .backUpLibrary(device: 1),
      .importNote(device: 0, number: 1, hasOwnID: false),
      .importNote(device: 1, number: 1, hasOwnID: true),
      .join(device: 1, account: 1),
      .restoreLibrary(device: 1, keepsService: true))
  }

  /// Device 0 crashes after it found that the service lost a note. Device 1, which has an earlier
  /// version, creates the note again first. The version of device 0 is not the base of that record.
  @Test(arguments: 1...6)
  func aLostNoteThatAnotherDeviceCreatedAgainHasNoBase(_ call: Int) async throws {
    try await run(
      .on, [0, 0],
      .sync(device: 0, .init()),
      .sync(device: 1, .init()),
      .backUp,
      .addNote(device: 0, ayah: 0, lines: 2),
      .sync(device: 0, .init()),
      .sync(device: 1, .init()),
      .edit(device: 0, note: 0, [.insert(2)]),
      .sync(device: 0, .init()),
      .putBack,
      .sync(device: 0, .init(faults: [call: .crashBefore])),
      .sync(device: 1, .init()),
      .sync(device: 0, .init()))
  }

  /// The restore happens just before or after the fetch or the save. If it happens between the two,
  /// the device does not know of it when it sends.
  @Test(arguments: [0, 1], [false, true])
  func notesEditedDuringARestoreComeBack(
    _ call: Int, _ isAfter: Bool
  ) async throws {
    let restore = Step.Interruption(
      call: call, isAfter: isAfter, step: Step(id: 100, action: .restore))
    try await run(
      .on, [0, 0],
      .addNote(device: 0, ayah: 0, lines: 2),
      .sync(device: 0, .init()),
      .backUp,
      .edit(device: 0, note: 0, [.insert(2)]),
      .addNote(device: 0, ayah: 1, lines: 2),
      .sync(device: 0, .init()),
      .edit(device: 0, note: 0, [.replace(0)]),
      .edit(device: 0, note: 1, [.replace(0)]),
      .sync(device: 0, .init(interruptions: [restore])))
  }

  /// Device 1 fetched the deletion as well, and deletes that version again.
  @Test func aFavoriteSetAgainAfterALostDeletionIsKept() async throws {
    let simulation = try await ended(
      .favorite(device: 0, ayah: 0, true),
      .sync(device: 0, .init()), .sync(device: 1, .init()),
      .favorite(device: 0, ayah: 0, false),
      .backUp,
      .sync(device: 0, .init()), .sync(device: 1, .init()),
      .putBack,
      .favorite(device: 0, ayah: 0, true),
      .sync(device: 0, .init()))
    for device in simulation.devices {
      #expect(try device.library.snapshot().favorites.count == 1)
    }
  }

  /// The service has the favorite again after the rollback. Device 0 knows that it was deleted, and
  /// device 1 knows that it was created again after the deletion.
  @Test func aFavoriteSetAgainIsKeptAfterARollback() async throws {
    let actions: [Step.Action] = [
      .favorite(device: 1, ayah: 0, true),
      .sync(device: 1, .init()), .backUp, .sync(device: 0, .init()),
      .favorite(device: 1, ayah: 0, false), .sync(device: 1, .init()),
      .favorite(device: 1, ayah: 0, true),
      .sync(device: 0, .init()), .sync(device: 1, .init()),
      .putBack,
      .sync(device: 1, .init()),
    ]
    let simulation = try await ended(actions, Breaks())
    for device in simulation.devices {
      #expect(try device.library.snapshot().favorites.count == 1)
    }
  }

  /// Device 1 knows a newer version of the note than the one that device 0 creates again.
  @Test func aRecordCreatedAgainIsNotBasedOnTheKnownVersion() async throws {
    try await run(
      .on, [0, 0],
      .backUp,
      .addNote(device: 1, ayah: 0, lines: 4),
      .sync(device: 1, .init()), .sync(device: 0, .init()),
      .edit(device: 1, note: 0, [.replace(3)]),
      .sync(device: 1, .init()),
      .putBack,
      .sync(device: 1, .init(faults: [3: .lost])))
  }

  /// If the service refused a save, no other device's version can be based on it.
  @Test(arguments: 3...8) func aRefusedSaveIsNotTakenForASuccess(call: Int) async throws {
    try await run(
      .off, [0, 0],
      .importNote(device: 1, number: 1, hasOwnID: false),
      .sync(device: 1, .init()),
      .edit(device: 1, note: 0, [.replace(0), .insert(1)]),
      .sync(device: 0, .init()),
      .join(device: 1, account: 1), .join(device: 0, account: 1),
      .sync(device: 0, .init(faults: [call: .partly(.internalError, mask: 255)])),
      .sync(device: 1, .init()))
  }

  /// Device 0 knows the lost history, and the version that device 1 deletes.
  private static let seenDeletion: [Step.Action] = [
    .addNote(device: 1, ayah: 0, lines: 2),
    .sync(device: 1, .init()), .sync(device: 0, .init()),
    .backUp,
    .favorite(device: 0, ayah: 0, true),
    .sync(device: 0, .init()),
    .putBack,
    .delete(device: 1, note: 0),
    .sync(device: 1, .init()), .sync(device: 0, .init()),
  ]

  @Test(arguments: [false, true])
  func aDeletionThatSawTheKnownVersionStands(isReal: Bool) async throws {
    let service =
      isReal ? try await RealService(hasFeed: true, pageSize: 200, users: Simulation.users) : nil
    #expect(try await notesLeft(Breaks(), on: service) == 0)
  }

  @Test func aDeletionWithoutAVersionDeletesNothingAfterAFork() async throws {
    let breaks = Breaks(history: ModelHistory.Rules(namesDeletedVersions: false))
    #expect(try await notesLeft(breaks) == 1)
  }

  private func notesLeft(
    _ breaks: Breaks, on service: (any SimulatedService)? = nil
  ) async throws -> Int {
    try await ended(Self.seenDeletion, breaks, on: service).devices[0].notes.count
  }

  private func ended(_ actions: Step.Action...) async throws -> Simulation {
    try await ended(actions, Breaks())
  }

  /// Runs a script to its end, and ignores whether the state is correct.
  private func ended(
    _ actions: [Step.Action], _ breaks: Breaks, on service: (any SimulatedService)? = nil
  ) async throws -> Simulation {
    let script = Script(
      seed: 1, feed: .on, pageSize: 200, clocks: [0, 0], signedIn: [true, true],
      steps: actions.enumerated().map { Step(id: $0.offset, action: $0.element) })
    let simulation = try Simulation(script, breaks, on: service)
    do { _ = try await simulation.run() } catch is SimulationFailure {}
    return simulation
  }

  /// A save arrived twice, the response to the second one was a conflict, and the lookup failed.
  @Test(arguments: [ModelService.Feed.on, .off])
  func aLineRemovedAfterAConflictWithAnOwnSaveStaysRemoved(_ feed: ModelService.Feed) async throws {
    let send = feed == .on ? 2 : 6
    try await run(
      feed, [0, 0],
      .addNote(device: 0, ayah: 0, lines: 2),
      .sync(device: 0, .init(faults: [send: .twice(isFirstAnswered: false), send + 1: .lost])),
      .edit(device: 0, note: 0, [.remove(1)]),
      .wait(milliseconds: 400_000),
      .sync(device: 0, .init()))
  }

  /// Two saves had no response, and the first one arrived after the second one was lost.
  @Test func aLineRemovedAfterALateSaveStaysRemoved() async throws {
    try await run(
      .on, [0, 0],
      .addNote(device: 0, ayah: 0, lines: 2),
      .sync(device: 0, .init()),
      .edit(device: 0, note: 0, [.insert(2)]),
      .sync(device: 0, .init(faults: [1: .late(calls: 3)])),
      .edit(device: 0, note: 0, [.replace(2)]),
      .wait(milliseconds: 400_000),
      .sync(device: 0, .init(faults: [2: .lost])),
      .edit(device: 0, note: 0, [.replace(2)]),
      .wait(milliseconds: 400_000),
      .sync(device: 0, .init()))
  }

  /// What an error reports about the history is stored, and the round starts again.
  @Test func aForkThatAnErrorReportsIsStored() async throws {
    let library = try Library.inMemory()
    var account = SyncAccount(
      origin: "https://records.example.org", container: "iCloud.example",
      environment: "production", userRecordName: Simulation.users[0], isConfirmed: true,
      serviceID: "simulated")
    (account.hasFeed, account.syncToken, account.listedAt) = (true, "1", 1)
    account.witness = "2-b"
    try library.sync { try $0.setAccount(account) }
    let service = ForkedService()
    let engine = SyncEngine(library: library, service: service, now: { 9 })
    await #expect(throws: SyncFailure.historyForked) { try await engine.round() }
    #expect(try library.syncAccount()?.needsListing == true)
  }
}

/// A service whose files were rolled back, and that refuses all requests.
private struct ForkedService: RecordAPI {
  func call<E: Endpoint>(
    _ endpoint: E.Type, _ request: E.Request, witness: String?
  ) async throws(CallFailure) -> ServiceResponse<E.Response> {
    var error = ServiceError(.internalError)
    error.history = HistoryReport(.forked, newest: "1-a")
    throw .service(error)
  }

  func notification(at url: String) async throws(CallFailure) -> PushNotification? { nil }
}
