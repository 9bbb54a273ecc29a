import Testing

@testable import Sync

/// The simulations, proved by services and links that break one rule. `Tests/Mutants` has the engines
/// and real services that do.
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

  private func find(_ breaks: Breaks) async throws {
    let outcome = try await Simulations(breaks).run(1..<501)
    #expect(!outcome.failures.isEmpty, "\(breaks)")
    for (script, failure) in outcome.failures.prefix(1) {
      print("found by seed \(script.seed), feed \(script.feed):", failure.reasons[0])
    }
  }
}
