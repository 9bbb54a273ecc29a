import CloudRecords
import Foundation
import Library
import Quran
import RecordClient
import Synchronization
import TestSupport

@testable import Sync

/// Devices and a service that live through a script.
///
///     let counts = try await Simulation(script).run()
actor Simulation {
  static let user = "_0123456789abcdef0123456789abcdef"

  let script: Script
  let network: SimulatedNetwork
  let devices: [SimulatedDevice]
  private let rules: SyncRules
  private let clock = SimulatedClock()
  private let draws: Draws
  private var backup: ModelService.Backup?
  private(set) var ledger = Ledger()
  var counts = Counts()
  /// What went wrong in rounds in which nothing was to go wrong.
  var failures: [String] = []
  private var isHealed = false

  /// - Parameter rules: those of the engine; other ones break it on purpose.
  init(
    _ script: Script, rules: SyncRules = SyncRules(), shelf: LibraryShelf = .shared
  ) throws {
    self.script = script
    self.rules = rules
    network = SimulatedNetwork(ModelService(feed: script.feed, pageSize: script.pageSize))
    draws = Draws(seed: script.seed)
    let clock = clock
    devices = try script.clocks.enumerated().map { number, ahead in
      try SimulatedDevice(number, clock, ahead: ahead, from: shelf)
    }
  }

  /// - Throws: a `SimulationFailure` where anything is not as it has to be.
  func run() async throws -> Counts {
    for (device, isSignedIn) in zip(devices, script.signedIn) where isSignedIn {
      try signIn(device)
    }
    for step in script.steps {
      counts.steps += 1
      await perform(step)
    }
    guard failures.isEmpty else { throw SimulationFailure(reasons: failures) }
    try await settle()
    try check()
    counts.seeds = 1
    let network = network.counts
    counts += network
    return counts
  }

  /// Lets everything become right, and waits until nobody has anything to tell another.
  private func settle() async throws {
    isHealed = true
    network.heal()
    for device in devices { try signIn(device) }
    var before: [Set<Entry>] = []
    for _ in 0..<20 {
      clock.wait(7_200_000)
      let number = network.service { $0.number }
      for device in devices { await sync(device, .init()) }
      guard failures.isEmpty else { throw SimulationFailure(reasons: failures) }
      let after = try devices.map { try entries(of: $0) }
      if after == before, network.service({ $0.number }) == number { return }
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
      case .lag(let writes): network.service { $0.lag = writes }
      case .emptyPages(let count): network.service { $0.emptyPages = count }
      case .forgetTombstones: network.service { $0.forgetTombstones() }
      case .backUp: backup = network.service { $0.backup }
      case .restore: restore()
      default:
        guard let (device, changes, time) = try changes(of: step) else { return }
        ledger.note(
          try device.library.commit(changes, at: time ?? device.now), by: device.number)
      }
    } catch {
      failures.append("step \(step): \(error)")
    }
  }

  /// Without a feed nobody can tell a service that was restored from one where others deleted.
  private func restore() {
    guard script.feed == .on, let backup else { return }
    network.service { $0.restore(backup) }
    ledger.wasRestored = true
    counts.restores += 1
  }

  private func engine(_ device: SimulatedDevice, _ link: SimulatedLink) -> SyncEngine {
    let draws = draws
    var engine = SyncEngine(
      library: device.library, service: link, now: { device.now }, random: { draws.next() })
    engine.rules = rules
    return engine
  }

  private func link(_ trouble: Step.Trouble) -> SimulatedLink {
    SimulatedLink(network, trouble) { await self.perform($0) }
  }

  private func signIn(_ device: SimulatedDevice) throws {
    device.isSignedIn = true
    try engine(device, link(.init())).adopt(
      SyncAccount(
        origin: "https://records.example.org", container: "iCloud.example",
        environment: "production", userRecordName: Self.user, isConfirmed: true))
  }

  private func meetAgain(_ device: SimulatedDevice) throws {
    guard !device.isSyncing, try device.library.syncAccount() != nil else { return }
    try device.library.sync { try $0.setAccount(nil) }
    ledger.wasForgotten = true
    try signIn(device)
  }

  /// One round, on a new engine: one that crashed is gone.
  private func sync(_ device: SimulatedDevice, _ trouble: Step.Trouble) async {
    guard device.isSignedIn, !device.isSyncing else { return }
    device.isSyncing = true
    defer { device.isSyncing = false }
    counts.rounds += 1
    let link = link(trouble)
    let engine = engine(device, link)
    do {
      do {
        _ = try await engine.round()
      } catch .massDeletion {
        counts.questions += 1
        if trouble.keepsEverything {
          ledger.wasForgotten = true
          try engine.keepEverything()
        } else {
          _ = try await engine.round(acceptsDeletions: true)
        }
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
    case .unreachable, .answerLost, .cancelled: false
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
