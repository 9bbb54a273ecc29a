import Testing

@testable import Sync

/// Services and links that break one rule, to show that the simulations detect it. `Tests/Mutants`
/// has engines and real services that break one rule.
@Suite struct BrokenEngineTests {
  @Test(arguments: [
    ModelHistory.Rules(tagsHaveMarks: false), ModelHistory.Rules(tokensHaveMarks: false),
    ModelHistory.Rules(judgesWitnesses: false),
  ])
  func servicesThatDoNotRecognizeForksAreFound(_ rules: ModelHistory.Rules) async throws {
    try await find(Breaks(history: rules))
  }

  @Test(arguments: [SimulatedLink.WitnessUse.onceARound, .never])
  func witnessesThatAreNotSentAreFound(_ use: SimulatedLink.WitnessUse) async throws {
    try await find(Breaks(witness: use))
  }

  /// After a rollback, another change gets the number of a lost one, and the change after it is
  /// sent again. Random bytes cannot distinguish the two histories, because the random source goes
  /// back as well.
  @Test func marksThatDoNotDependOnEarlierOnesAreFound() async throws {
    let actions: [Step.Action] =
      (0..<3).map { .sync(device: $0, .init()) } + [
        .backUp,
        .addNote(device: 0, ayah: 0, lines: 1),
        .sync(device: 0, .init()),
        .favorite(device: 1, ayah: 1, true),
        // The favorite is saved, but the device does not know that.
        .sync(device: 1, .init(faults: [1: .unanswered])),
        .sync(device: 0, .init()),
        .putBack,
        .addNote(device: 2, ayah: 1, lines: 1),
        .sync(device: 2, .init()),
        .wait(milliseconds: 400_000),
        .sync(device: 1, .init()),
      ]
    var script = Script(
      seed: 1, feed: .on, pageSize: 200, clocks: [0, 0, 0], signedIn: [true, true, true],
      steps: actions.enumerated().map { Step(id: $0.offset, action: $0.element) })
    script.isRandomPutBack = true
    _ = try await Simulation(script).run()
    await #expect(throws: SimulationFailure.self) {
      try await Simulation(script, Breaks(history: .init(chainsMarks: false))).run()
    }
  }

  private func find(_ breaks: Breaks) async throws {
    let outcome = try await Simulations(breaks).run(1..<501)
    #expect(!outcome.failures.isEmpty, "\(breaks)")
    for (script, failure) in outcome.failures.prefix(1) {
      print("found by seed \(script.seed), feed \(script.feed):", failure.reasons[0])
    }
  }
}
