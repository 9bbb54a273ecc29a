import CloudRecords
import Foundation
import Library
import Quran
import RecordClient
import Synchronization
import TestSupport

@testable import Sync

/// What does not keep its rules in a simulation, to show that the simulation notices.
struct Breaks: Hashable, Sendable {
  var sync = SyncRules()
  var history = ModelHistory.Rules()
  var witness = SimulatedLink.WitnessUse.always
}

/// Devices and a service that live through a script.
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
  /// What went wrong in rounds in which nothing was to go wrong.
  var failures: [String] = []
  private var isHealed = false

  /// - Parameters:
  ///   - breaks: what does not keep its rules, on purpose.
  ///   - service: nil for the model.
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

  /// Lives through a script from beginning to end.
  ///
  /// - Parameter isReal: whether the devices sync with the real service instead of its model.
  static func run(_ script: Script, _ breaks: Breaks, isReal: Bool) async throws -> Counts {
    let service =
      isReal
      ? try await RealService(
        hasFeed: script.feed == .on, pageSize: script.pageSize, users: users) : nil
    return try await Simulation(script, breaks, on: service).run()
  }

  /// - Throws: a `SimulationFailure` where anything is not as it has to be.
  func run() async throws -> Counts {
    for (device, isSignedIn) in zip(devices, script.signedIn) where isSignedIn {
      try signIn(device)
    }
    for step in script.steps {
      counts.steps += 1
      await perform(step)
      if script.feed == .on, step.id % 3 == 0 { try await follower.follow(network.service) }
    }
    guard failures.isEmpty else { throw SimulationFailure(reasons: failures) }
    try await settle()
    try await check()
    if script.feed == .on {
      try await follower.follow(network.service)
      let differences = await follower.differences(
        from: try await network.service.records()[0])
      guard differences.isEmpty else {
        throw SimulationFailure(reasons: ["one who follows the feed is wrong about \(differences)"])
      }
    }
    counts.seeds = 1
    let network = network.counts
    counts += network
    return counts
  }

  /// Lets everything become right, and waits until nobody has anything to tell another.
  private func settle() async throws {
    isHealed = true
    try await noteHeld()
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
    throw SimulationFailure(reasons: ["it never comes to rest"])
  }

  /// All that a device's reader has there.
  func entries(of device: SimulatedDevice) throws -> Set<Entry> {
    try device.entries(ledger.hands.keys)
  }

  // MARK: Steps

  private func perform(_ step: Step) async {
    do {
      switch step.action {
      case .sync(let number, let trouble): await sync(devices[number], trouble)
      case .wait(let milliseconds): clock.wait(milliseconds)
      case .signOut(let number): devices[number].isSignedIn = false
      case .signIn(let number): try signIn(devices[number])
      case .meetAgain(let number): try meetAgain(devices[number])
      case .setClock(let number, let ahead): devices[number].ahead = ahead
      case .join(let number, let account): try join(devices[number], account)
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
        ledger.note(report.commit, by: number, in: device.account)
      default:
        // Nobody marks, unmarks and marks an ayah again within a millisecond.
        switch step.action {
        case .favorite, .set: clock.wait(1)
        default: break
        }
        guard let (device, changes, time) = try changes(of: step) else { return }
        ledger.note(
          try device.library.commit(changes, at: time ?? device.now), by: device.number,
          in: device.account)
      }
    } catch {
      failures.append("step \(step): \(error)")
    }
  }

  /// Without a feed nobody can tell a service that was restored from one where others deleted.
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

  private func engine(_ device: SimulatedDevice, _ link: SimulatedLink) -> SyncEngine {
    let draws = draws
    var engine = SyncEngine(
      library: device.library, service: link, now: { device.now }, random: { draws.next() })
    engine.rules = breaks.sync
    return engine
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
    try engine(device, link(device, .init())).adopt(
      SyncAccount(
        origin: "https://records.example.org", container: "iCloud.example",
        environment: "production", userRecordName: Self.users[device.account], isConfirmed: true))
  }

  private func meetAgain(_ device: SimulatedDevice) throws {
    guard !device.isSyncing, try device.library.syncAccount() != nil else { return }
    try device.library.sync { try $0.setAccount(nil) }
    ledger.wasForgotten = true
    try signIn(device)
  }

  /// One account has what another had from here on: what was deleted there may be here again.
  private func join(_ device: SimulatedDevice, _ account: Int) throws {
    guard !device.isSyncing else { return }
    if try device.library.syncAccount() != nil, device.account != account {
      ledger.wasMoved = true
      counts.moves += 1
    }
    device.account = account
    try signIn(device)
  }

  /// Keeps in mind what is where when everything is to become right.
  private func noteHeld() async throws {
    for (account, records) in try await network.service.records().enumerated() {
      for record in records {
        if case .entry(let entry) = RecordReading(record, of: Self.users[account]) {
          ledger.note(entry, heldBy: account)
        }
      }
    }
    for (thing, hands) in ledger.hands where hands.count == 1 {
      let last = ledger.last[thing] ?? nil
      let others = try devices.filter { !hands.contains($0.number) }
        .compactMap { try $0.entry(thing) }
      if others.allSatisfy({ $0 == last }) { ledger.uncontested.insert(thing) }
    }
    for device in devices {
      for note in try device.notes { ledger.note(.note(note), heldBy: device.account) }
    }
  }

  /// One round, on a new engine: one that crashed is gone.
  private func sync(_ device: SimulatedDevice, _ trouble: Step.Trouble) async {
    guard device.isSignedIn, !device.isSyncing else { return }
    device.isSyncing = true
    defer { device.isSyncing = false }
    counts.rounds += 1
    let link = link(device, trouble)
    let engine = engine(device, link)
    do {
      do {
        _ = try await engine.round()
      } catch .massDeletion {
        counts.questions += 1
        if trouble.keepsEverything { ledger.wasForgotten = true }
        _ = try await engine.round(trouble.keepsEverything ? .keepEverything : .accept(nil))
      }
    } catch .call(let failure) where !isHealed && !failure.isOfEngine {
      counts.failedRounds += 1
    } catch {
      failures.append("a round of device \(device.number): \(error)")
    }
  }
}

extension CallFailure {
  /// Whether it is none that the simulation makes.
  fileprivate var isOfEngine: Bool {
    switch self {
    case .unreachable, .responseLost, .cancelled: false
    case .service(let error): [.badRequest, .limitExceeded].contains(error.code)
    default: true
    }
  }
}

/// Numbers for whoever cannot change a generator.
private final class Draws: Sendable {
  private let generator: Mutex<SeededGenerator>

  init(seed: UInt64) { generator = Mutex(SeededGenerator(seed: ~seed)) }

  func next() -> UInt64 { generator.withLock { $0.next() } }
}
