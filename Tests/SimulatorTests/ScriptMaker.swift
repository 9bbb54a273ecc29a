import CloudRecords
import TestSupport

/// Generates a script from a seed.
struct ScriptMaker {
  private var random: SeededGenerator
  private var lastID = 0
  private let deviceCount: Int

  /// - Parameter hasFeed: Whether the zone has a change feed. The steps of one seed depend on it.
  static func script(seed: UInt64, hasFeed: Bool) -> Script {
    var maker = ScriptMaker(seed: seed)
    var script = maker.script(seed: seed, hasFeed: hasFeed)
    // Drawn from another generator, so that the rest of a script does not depend on it.
    maker.random = SeededGenerator(seed: seed ^ 0x6D6F_7665)
    if maker.chance(1, of: 4) { maker.addMoves(to: &script.steps) }
    if maker.chance(1, of: 8) { maker.addDumps(to: &script.steps) }
    maker.random = SeededGenerator(seed: seed ^ 0x666F_726B)
    maker.addHistory(to: &script)
    maker.random = SeededGenerator(seed: seed ^ 0x6564_6974)
    if maker.chance(1, of: 3) { maker.addEditors(to: &script.steps) }
    if maker.chance(1, of: 6) { maker.addRestoredLibraries(to: &script.steps) }
    maker.random = SeededGenerator(seed: seed ^ 0x676F_6E65)
    if maker.chance(1, of: 6) { maker.addAccountDeletions(to: &script) }
    return script
  }

  private init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
    deviceCount = .random(in: 2...4, using: &random)
  }

  private mutating func script(seed: UInt64, hasFeed: Bool) -> Script {
    let isRefused = chance(1, of: 8)
    let pageSize = [1, 2, 3, 5, 200][below(5)]
    let clocks = (0..<deviceCount).map { _ in clock() }
    let signedIn = (0..<deviceCount).map { _ in chance(3, of: 4) }
    var steps: [Step] = []
    if !hasFeed, chance(1, of: 2) { steps.append(step(.lag(writes: 1 + below(6)))) }
    // The data of the devices before their first sync.
    steps += (0..<below(6)).map { _ in change() }
    if chance(1, of: 2) {
      for device in 0..<deviceCount where chance(2, of: 3) {
        let ownID = chance(1, of: 2)
        for number in 0..<2 {
          steps.append(step(.importNote(device: device, number: number, hasOwnID: ownID)))
        }
      }
    }
    // In most scripts, the devices then sync and have the same notes.
    if chance(3, of: 4) {
      for _ in 0..<2 { for device in 0..<deviceCount { steps.append(calmRound(device)) } }
    }
    while steps.count < 20 + below(20) { steps += scene() }
    if hasFeed, chance(1, of: 5) { addRestore(to: &steps) }
    return Script(
      seed: seed, feed: hasFeed ? .on : isRefused ? .refused : .off, pageSize: pageSize,
      clocks: clocks, signedIn: signedIn, steps: steps)
  }

  // MARK: Steps

  /// A few changes on several devices, then rounds; or one random step; rarely a mass deletion.
  private mutating func scene() -> [Step] {
    if chance(1, of: 60) { return massDeletion() }
    guard chance(2, of: 3) else { return [event()] }
    var steps = (0..<(2 + below(4))).map { _ in change() }
    for _ in 0..<(1 + below(3)) { steps.append(step(.sync(device: device(), trouble()))) }
    return steps
  }

  /// So many deletions that other devices must ask.
  private mutating func massDeletion() -> [Step] {
    let (one, other) = (device(), device())
    return [
      step(.fill(device: one)), calmRound(one), calmRound(other), step(.empty(device: one)),
      change(), calmRound(one), step(.sync(device: other, trouble())),
    ]
  }

  private mutating func calmRound(_ device: Int) -> Step {
    step(.sync(device: device, .init()))
  }

  private mutating func event() -> Step {
    switch below(20) {
    case 0..<6: change()
    case 6..<13: step(.sync(device: device(), trouble()))
    case 13, 14: step(.wait(milliseconds: [1, 2, 500, 90_000, 4_000_000][below(5)]))
    case 15: step(.signOut(device: device()))
    case 16: step(.signIn(device: device()))
    case 17:
      chance(1, of: 2)
        ? step(.reconnect(device: device())) : step(.setClock(device: device(), ahead: clock()))
    default: serviceEvent()
    }
  }

  /// The service is restored from a backup, between rounds or during one.
  private mutating func addRestore(to steps: inout [Step]) {
    let place = below(steps.count)
    let restore = step(.restore)
    let later = place + below(steps.count - place)
    if case .sync(let device, var trouble) = steps[later].action {
      trouble.interruptions.append(
        .init(call: call(), isAfter: chance(1, of: 2), step: restore))
      steps[later].action = .sync(device: device, trouble)
    } else {
      steps.insert(restore, at: later)
    }
    steps.insert(step(.backUp), at: place)
  }

  /// Devices join another account or come back, some of them at the beginning.
  private mutating func addMoves(to steps: inout [Step]) {
    for _ in 0..<(1 + below(5)) {
      let join = step(.join(device: device(), account: below(2)))
      let place = chance(1, of: 4) ? 0 : below(steps.count)
      if case .sync(let device, var trouble) = steps[place].action, chance(1, of: 2) {
        trouble.interruptions.append(
          .init(call: call(), isAfter: chance(1, of: 2), step: join))
        steps[place].action = .sync(device: device, trouble)
      } else {
        steps.insert(join, at: place)
      }
    }
  }

  /// A device deletes its account, often without having fetched the last changes of others, and
  /// signs in again.
  private mutating func addAccountDeletions(to script: inout Script) {
    script.hasProfiles = true
    for _ in 0..<(1 + below(2)) {
      let (one, other) = (device(), device())
      let place = below(script.steps.count)
      var steps = [calmRound(one), calmRound(other), calmRound(one)]
      steps += (0..<(1 + below(3))).map { _ in change(of: other) }
      if chance(3, of: 4) { steps.append(calmRound(other)) }
      steps.append(step(.deleteAccount(device: one)))
      if chance(1, of: 3) { steps.append(change(of: device())) }
      if chance(3, of: 4) { steps += [step(.signIn(device: one)), calmRound(one)] }
      script.steps.insert(contentsOf: steps, at: place)
    }
  }

  /// Steps that concern the service's history: in half of the scripts, rollbacks of its files; in a
  /// quarter, devices without witnesses or a service without marks, which do not detect rollbacks.
  private mutating func addHistory(to script: inout Script) {
    switch below(8) {
    case 0:
      script.olderDevices = Set((0..<deviceCount).filter { _ in chance(1, of: 2) })
    case 1:
      script.hasMarks = false
      if chance(1, of: 2) {
        script.steps.insert(step(.upgrade), at: below(script.steps.count))
      }
    case 2, 3:
      break
    default:
      script.isRandomPutBack = chance(1, of: 2)
      for _ in 0..<(1 + below(3)) {
        if chance(1, of: 3) {
          script.steps += collision()
        } else {
          addRollback(to: &script.steps)
        }
      }
      if chance(1, of: 10) {
        script.steps.insert(step(.forgetHistory), at: below(script.steps.count))
      }
    }
  }

  /// The service's files are copied and rolled back later, between rounds or during one. Often one
  /// device uses the same numbers again before the others sync.
  private mutating func addRollback(to steps: inout [Step]) {
    let place = below(steps.count)
    let later = place + below(steps.count - place)
    let putBack = step(.putBack)
    if case .sync(let device, var trouble) = steps[later].action, chance(1, of: 2) {
      var meanwhile = [putBack]
      if chance(1, of: 2) {
        let other = self.device()
        meanwhile += (0..<(1 + below(4))).flatMap { _ in [change(of: other), calmRound(other)] }
      }
      let (call, isAfter) = (call(), chance(1, of: 2))
      trouble.interruptions += meanwhile.map { .init(call: call, isAfter: isAfter, step: $0) }
      steps[later].action = .sync(device: device, trouble)
    } else {
      var after = [putBack]
      if chance(1, of: 2) {
        let device = device()
        after += (0..<(1 + below(6))).flatMap { _ in [change(of: device), calmRound(device)] }
      }
      steps.insert(contentsOf: after, at: later)
    }
    // Some of the lost changes were acknowledged, and fetched by others.
    var before: [Step] = [step(.backUp)]
    for _ in 0..<(1 + below(4)) {
      let device = device()
      before += [change(of: device), calmRound(device)]
    }
    steps.insert(contentsOf: before, at: place)
  }

  /// Two devices edit one note, and both versions get the same number, because the files are rolled
  /// back just before the second one is sent.
  private mutating func collision() -> [Step] {
    let (one, other) = (device(), device())
    func edit(_ device: Int, _ maker: inout ScriptMaker) -> Step {
      maker.step(
        .edit(
          device: device, note: 0, (0..<(1 + maker.below(2))).map { _ in maker.lineEdit() }))
    }
    var steps = [step(.signIn(device: one)), step(.signIn(device: other))]
    steps += [one, other, one, other].map { calmRound($0) }
    steps += [step(.backUp), edit(one, &self), calmRound(one), edit(one, &self)]
    let meanwhile = [step(.putBack), edit(other, &self), calmRound(other)]
    let call = [1, 1, 5, 6][below(4)]
    steps.append(
      step(
        .sync(
          device: one,
          Step.Trouble(
            interruptions: meanwhile.map { .init(call: call, isAfter: false, step: $0) }))))
    return steps
  }

  /// Notes are edited for so long that others change them in the meantime.
  private mutating func addEditors(to steps: inout [Step]) {
    for _ in 0..<(1 + below(3)) {
      let device = device()
      let place = below(steps.count)
      let later = place + below(min(8, steps.count - place))
      let edits = (0..<(1 + below(2))).map { _ in lineEdit() }
      steps.insert(step(.saveNote(device: device, edits)), at: later)
      steps.insert(
        step(.openNote(device: device, note: chance(1, of: 2) ? 0 : below(4))), at: place)
    }
  }

  /// Libraries are backed up, used and synced, and restored, mostly once.
  private mutating func addRestoredLibraries(to steps: inout [Step]) {
    for _ in 0..<(1 + below(4) / 3) {
      let device = device()
      let place = below(steps.count)
      let later = place + below(steps.count - place)
      let restore = step(.restoreLibrary(device: device, keepsService: chance(1, of: 2)))
      // Some changes are made before the question is answered.
      let after = (0..<below(3)).map { _ in change(of: device) }
      steps.insert(contentsOf: [restore] + after, at: later)
      steps.insert(step(.backUpLibrary(device: device)), at: place)
    }
  }

  /// Several devices import the data of the older app, at different times.
  private mutating func addDumps(to steps: inout [Step]) {
    for device in 0..<deviceCount where chance(3, of: 4) {
      let dump = step(.importDump(device: device, days: [0, 30, 1000][below(3)]))
      steps.insert(dump, at: chance(1, of: 2) ? 0 : below(steps.count))
    }
  }

  /// A random event of the service.
  private mutating func serviceEvent() -> Step {
    switch below(6) {
    case 0: step(.lag(writes: below(6)))
    case 1: step(.emptyPages(1 + below(3)))
    case 2: step(.forgetTombstones)
    case 3, 4: step(.backUp)
    default: step(.restore)
    }
  }

  /// A random change by a user.
  ///
  /// - Parameter device: The device; nil for a random one.
  private mutating func change(of device: Int? = nil) -> Step {
    let device = device ?? self.device()
    return switch below(48) {
    case 0..<6: step(.favorite(device: device, ayah: below(2), chance(2, of: 3)))
    case 6..<14: step(.addNote(device: device, ayah: below(2), lines: 1 + below(4)))
    case 14..<32:
      step(
        .edit(
          device: device, note: chance(1, of: 2) ? 0 : below(4),
          (0..<(1 + below(2))).map { _ in lineEdit() }))
    case 32..<37: step(.delete(device: device, note: chance(1, of: 2) ? 0 : below(4)))
    case 37..<39: step(.advance(device: device, surah: 1 + below(2), to: 1 + below(7)))
    case 39..<42: step(.setProgress(device: device, surah: 1 + below(2), to: below(8)))
    case 42..<46:
      step(
        .set(device: device, key: below(2), value: chance(1, of: 4) ? nil : "\(below(3))"))
    default:
      chance(2, of: 3)
        ? step(.addNote(device: device, ayah: 0, lines: 3))
        : step(chance(1, of: 2) ? .fill(device: device) : .empty(device: device))
    }
  }

  private mutating func lineEdit() -> Step.LineEdit {
    let place = below(5)
    return switch below(10) {
    case 0..<3: .insert(place)
    case 3: .insertBlank(place)
    case 4..<8: .replace(place)
    default: .remove(place)
    }
  }

  private mutating func trouble() -> Step.Trouble {
    var trouble = Step.Trouble(keepsEverything: chance(1, of: 2))
    if chance(1, of: 2) {
      for _ in 0..<(1 + below(2)) { trouble.faults[call()] = fault() }
    }
    if chance(1, of: 2) {
      let (call, isAfter, other) = (call(), chance(1, of: 2), device())
      var meanwhile = (0..<below(3)).map { _ in change() }
      if chance(2, of: 3) { meanwhile += [change(of: other), calmRound(other)] }
      if chance(1, of: 12) { meanwhile.append(serviceEvent()) }
      trouble.interruptions = meanwhile.map { .init(call: call, isAfter: isAfter, step: $0) }
    }
    return trouble
  }

  /// A round has at least two calls, and mostly not many more.
  private mutating func call() -> Int { chance(3, of: 4) ? below(3) : below(9) }

  private mutating func fault() -> CallFault {
    let passing: [ErrorCode] = [.throttled, .internalError, .tryAgainLater, .zoneBusy]
    return switch below(12) {
    case 0: .lost
    case 1, 2, 3: .unanswered
    case 4: .twice(isFirstAnswered: chance(1, of: 2))
    case 5: .late(calls: 1 + below(20))
    case 6: .refused(passing[below(4)], retryAfter: chance(1, of: 2) ? 30 : nil)
    case 7, 8:
      .partly(
        chance(1, of: 6) ? .quotaExceeded : passing[below(4)], mask: UInt8(1 + below(255)))
    case 9: .crashBefore
    default: .crashAfter
    }
  }

  // MARK: Numbers

  private mutating func step(_ action: Step.Action) -> Step {
    lastID += 1
    return Step(id: lastID, action: action)
  }

  /// The milliseconds by which a clock is ahead: mostly 0, otherwise minutes or years.
  private mutating func clock() -> Int64 {
    let (minute, year): (Int64, Int64) = (60_000, 31_536_000_000)
    return [0, 0, 0, 1, -1, 7 * minute, -7 * minute, 3 * year, -3 * year][below(9)]
  }

  private mutating func device() -> Int { below(deviceCount) }

  private mutating func below(_ bound: Int) -> Int { .random(in: 0..<bound, using: &random) }

  private mutating func chance(_ part: Int, of whole: Int) -> Bool { below(whole) < part }
}
