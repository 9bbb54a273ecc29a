import CloudRecords
import Foundation
import Library
import Quran
import RecordClient
import Synchronization
import TestSupport

@testable import Sync

/// The rules that are removed from a simulation, to show that it detects their removal.
struct Breaks: Hashable, Sendable {
  var history = ModelHistory.Rules()
  var witness = SimulatedLink.WitnessUse.always
}

/// The devices and the service that perform a script.
///
///     let counts = try await Simulation(script).run()
actor Simulation {
  /// The user record name of each account.
  static let users = ["_0123456789abcdef0123456789abcdef", "_fedcba9876543210fedcba9876543210"]

  let script: Script
  let network: SimulatedNetwork
  let devices: [SimulatedDevice]
  private let breaks: Breaks
  private let clock = SimulatedClock()
  private let draws: Draws
  private(set) var ledger = Ledger()
  private let follower = FeedFollower(of: 0)
  var counts = Counts()
  /// The failures of rounds that must not fail.
  var failures: [String] = []
  private var isHealed = false

  /// - Parameters:
  ///   - breaks: The rules that are removed on purpose.
  ///   - service: The service; nil for the model.
  init(
    _ script: Script, _ breaks: Breaks = Breaks(), on service: (any SimulatedService)? = nil,
    libraries: SimulatedLibraries = .shared
  ) throws {
    self.script = script
    self.breaks = breaks
    if let service {
      network = SimulatedNetwork(service)
    } else {
      var zone = ModelService(
        feed: script.feed, pageSize: script.pageSize, hasMarks: script.hasMarks)
      zone.history.rules = breaks.history
      zone.history.isRandomPutBack = script.isRandomPutBack
      network = SimulatedNetwork(ModelServices(zone, accounts: Self.users.count))
    }
    draws = Draws(seed: script.seed)
    let clock = clock
    devices = try script.clocks.enumerated().map { number, ahead in
      try SimulatedDevice(number, clock, ahead: ahead, from: libraries)
    }
  }

  /// Performs a script and checks the result.
  ///
  /// - Parameter isReal: Whether the devices sync with the real service instead of its model.
  static func run(_ script: Script, _ breaks: Breaks, isReal: Bool) async throws -> Counts {
    let service =
      isReal
      ? try await RealService(
        hasFeed: script.feed == .on, pageSize: script.pageSize, users: users) : nil
    return try await Simulation(script, breaks, on: service).run()
  }

  /// - Throws: A `SimulationFailure` if an invariant is violated.
  func run() async throws -> Counts {
    if script.hasProfiles { try await createProfiles() }
    for (device, isSignedIn) in zip(devices, script.signedIn) where isSignedIn {
      try signIn(device)
    }
    for step in script.steps {
      counts.steps += 1
      await perform(step)
      if script.feed == .on, step.id % 3 == 0 { try await follower.follow(network.service) }
    }
    guard failures.isEmpty else { throw SimulationFailure(reasons: failures) }
    try await finishSyncing()
    try await check()
    if script.feed == .on {
      try await follower.follow(network.service)
      let differences = await follower.differences(
        from: try await network.service.records()[0])
      guard differences.isEmpty else {
        throw SimulationFailure(reasons: ["the feed follower differs in \(differences)"])
      }
    }
    counts.seeds = 1
    let network = network.counts
    counts += network
    return counts
  }

  private func createProfiles() async throws {
    for (account, user) in Self.users.enumerated() {
      var profile = RecordInput(user, type: "UserProfile")
      profile["appleUserID"] = .string(user)
      let request = RecordsModify.Request(operations: [.init(.create, profile)])
      let delivery = await network.service.call(
        RecordsModify.self, request, of: account, witness: nil)
      for error in try delivery.result.get().records.compactMap(\.error) { throw error }
    }
  }

  /// Ends all faults, and syncs until nothing changes any more.
  private func finishSyncing() async throws {
    isHealed = true
    try await recordHeldEntries()
    await network.heal()
    for device in devices { try signIn(device) }
    var before: [Set<Entry>] = []
    for _ in 0..<20 {
      clock.wait(7_200_000)
      let newest = try await network.service.newest()
      for device in devices { await sync(device, .init()) }
      guard failures.isEmpty else { throw SimulationFailure(reasons: failures) }
      let after = try devices.map { try entries(of: $0) }
      if after == before, try await network.service.newest() == newest { return }
      before = after
    }
    throw SimulationFailure(reasons: ["the devices still change after 20 rounds"])
  }

  /// The entries of a device.
  func entries(of device: SimulatedDevice) throws -> Set<Entry> {
    try device.entries(ledger.changedBy.keys)
  }

  // MARK: Steps

  private func perform(_ step: Step) async {
    do {
      switch step.action {
      case .sync(let number, let trouble): await sync(devices[number], trouble)
      case .wait(let milliseconds): clock.wait(milliseconds)
      case .signOut(let number): devices[number].isSignedIn = false
      case .signIn(let number): try signIn(devices[number])
      case .reconnect(let number): try reconnect(devices[number])
      case .deleteAccount(let number): try await deleteAccount(devices[number])
      case .setClock(let number, let ahead): devices[number].ahead = ahead
      case .join(let number, let account): try join(devices[number], account)
      case .openNote(let number, let note):
        devices[number].opened = try self.note(number, note)
      case .saveNote(let number, let edits):
        let device = devices[number]
        guard let (commit, removed) = try saveNote(device, edits, in: step) else { return }
        ledger.record(commit, by: number, in: device.account, removed: removed)
      case .backUpLibrary(let number): try devices[number].backUpLibrary()
      case .restoreLibrary(let number, let keepsService):
        try await restoreLibrary(devices[number], keepsService: keepsService)
      case .lag(let writes): await network.service.setLag(writes)
      case .emptyPages(let count): await network.service.setEmptyPages(count)
      case .forgetTombstones: try await network.service.forgetTombstones()
      case .backUp: try await network.service.backUp()
      case .restore: try await restore()
      case .putBack: try await putBack()
      case .forgetHistory:
        try await network.service.forgetHistory()
        ledger.wasHistoryForgotten = true
      case .upgrade: try await network.service.upgrade()
      case .importDump(let number, let days):
        let device = devices[number]
        let report = try device.library.importLegacy(
          try Self.dump, datedAt: device.now - Int64(days) * 86_400_000, at: device.now)
        ledger.record(report.commit, by: number, in: device.account)
      default:
        // A user does not change the same thing twice within a millisecond.
        switch step.action {
        case .favorite, .set: clock.wait(1)
        default: break
        }
        guard let (device, changes, time) = try changes(of: step) else { return }
        ledger.record(
          try device.library.commit(changes, at: time ?? device.now), by: device.number,
          in: device.account)
      }
    } catch {
      failures.append("step \(step): \(error)")
    }
  }

  /// Without a feed and without marks, a restored service cannot be distinguished from deletions by
  /// other devices, so it is not restored.
  private func restore() async throws {
    guard script.feed == .on || script.hasMarks, try await network.service.restore() else {
      return
    }
    ledger.wasRestored = true
    counts.restores += 1
  }

  private func putBack() async throws {
    guard try await network.service.putBack() else { return }
    ledger.wasPutBack = true
    counts.putBacks += 1
  }

  /// Restores the backup of a device's library. The question which state is kept is answered in
  /// the next round.
  private func restoreLibrary(_ device: SimulatedDevice, keepsService: Bool) async throws {
    guard !device.isSyncing else { return }
    let (before, account) = (try device.tokens, device.account)
    guard try device.restoreLibrary() else { return }
    device.restoration = keepsService ? .keepService : .keepRestored
    if device.account != account { ledger.wasMoved = true }
    var known: [Int: Set<Substring>] = [:]
    for (number, records) in try await network.service.records().enumerated() {
      for record in records {
        if case .entry(let entry) = DecodedRecord(record, of: Self.users[number]) {
          known[number, default: []].formUnion(Ledger.tokens(of: entry))
        }
      }
    }
    for other in devices where other.number != device.number {
      known[other.account, default: []].formUnion(try other.tokens)
    }
    ledger.recordRestoredLibrary(
      dropping: before.subtracting(try device.tokens), of: account, known: known)
    counts.restoredLibraries += 1
  }

  private func engine(_ device: SimulatedDevice, _ link: SimulatedLink) -> SyncEngine {
    let draws = draws
    return SyncEngine(
      library: device.library, service: link, now: { device.now }, random: { draws.next() })
  }

  private func link(_ device: SimulatedDevice, _ trouble: Step.Trouble) -> SimulatedLink {
    SimulatedLink(
      network, of: device.account, trouble,
      ignoresHistory: script.olderDevices.contains(device.number),
      witnessUse: breaks.witness
    ) { await self.perform($0) }
  }

  private func signIn(_ device: SimulatedDevice) throws {
    device.isSignedIn = true
    var account = SyncAccount(
      origin: "https://records.example.org", container: "iCloud.example",
      environment: "production", userRecordName: Self.users[device.account], isConfirmed: true,
      hasProfile: script.hasProfiles)
    account.needsPreparation = script.hasProfiles
    try engine(device, link(device, .init())).adopt(account)
  }

  private func deleteAccount(_ device: SimulatedDevice) async throws {
    guard device.isSignedIn, !device.isSyncing, try device.library.syncAccount() != nil else {
      return
    }
    device.isSyncing = true
    defer { device.isSyncing = false }
    ledger.wasForgotten = true
    counts.accountDeletions += 1
    _ = try await engine(device, link(device, .init())).deleteEverything()
    device.isSignedIn = false
  }

  private func reconnect(_ device: SimulatedDevice) throws {
    guard !device.isSyncing, try device.library.syncAccount() != nil else { return }
    try device.library.sync { try $0.setAccount(nil) }
    ledger.wasForgotten = true
    try signIn(device)
  }

  /// Signs a device in to another account, which gets the device's data. Things that were deleted
  /// there may exist again.
  private func join(_ device: SimulatedDevice, _ account: Int) throws {
    guard !device.isSyncing else { return }
    if try device.library.syncAccount() != nil, device.account != account {
      ledger.wasMoved = true
      counts.moves += 1
    }
    device.account = account
    try signIn(device)
  }

  /// Stores in the ledger which account has which data when the faults end.
  private func recordHeldEntries() async throws {
    for (account, records) in try await network.service.records().enumerated() {
      for record in records {
        if case .entry(let entry) = DecodedRecord(record, of: Self.users[account]) {
          ledger.record(entry, heldBy: account)
        }
      }
    }
    for (thing, changedBy) in ledger.changedBy where changedBy.count == 1 {
      let last = ledger.last[thing] ?? nil
      let others = try devices.filter { !changedBy.contains($0.number) }
        .compactMap { try $0.entry(thing) }
      if others.allSatisfy({ $0 == last }) { ledger.uncontested.insert(thing) }
    }
    for device in devices {
      for note in try device.notes { ledger.record(.note(note), heldBy: device.account) }
    }
  }

  /// One round with a new engine, because a crash ends an engine.
  private func sync(_ device: SimulatedDevice, _ trouble: Step.Trouble) async {
    guard device.isSignedIn, !device.isSyncing else { return }
    device.isSyncing = true
    defer { device.isSyncing = false }
    counts.rounds += 1
    let link = link(device, trouble)
    let engine = engine(device, link)
    do {
      if try device.library.syncAccount()?.restoration == .undecided {
        do {
          try await round(of: engine, trouble)
          failures.append("a round of device \(device.number) did not ask")
        } catch SyncFailure.restored {
          try device.library.chooseRestoration(device.restoration)
        }
      }
      try await round(of: engine, trouble)
    } catch SyncFailure.call(let failure) where !isHealed && !failure.isOfEngine {
      counts.failedRounds += 1
    } catch {
      failures.append("a round of device \(device.number): \(error)")
    }
  }
}

extension Simulation {
  /// A round, with the answer to the question about many deletions.
  private func round(
    of engine: SyncEngine, _ trouble: Step.Trouble
  ) async throws {
    do {
      _ = try await engine.round()
    } catch .massDeletion {
      counts.questions += 1
      _ = try await engine.round(answer(in: trouble))
    }
  }

  private func answer(in trouble: Step.Trouble) -> MassDeletion.Answer {
    guard trouble.keepsEverything || script.hasProfiles else { return .accept(nil) }
    ledger.wasForgotten = true
    return .keepEverything
  }
}

extension CallFailure {
  /// Whether the simulation did not cause the failure.
  fileprivate var isOfEngine: Bool {
    switch self {
    case .unreachable, .responseLost, .cancelled: false
    case .service(let error): [.badRequest, .limitExceeded].contains(error.code)
    default: true
    }
  }
}

/// A random source that can be shared.
private final class Draws: Sendable {
  private let generator: Mutex<SeededGenerator>

  init(seed: UInt64) { generator = Mutex(SeededGenerator(seed: ~seed)) }

  func next() -> UInt64 { generator.withLock { $0.next() } }
}
