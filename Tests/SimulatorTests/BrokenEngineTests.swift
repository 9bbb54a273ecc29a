import Testing

@testable import Sync

/// The simulations, proved by engines that are broken on purpose.
@Suite struct BrokenEngineTests {
  @Test(arguments: [
    SyncRules(editOutlivesDeletion: false), SyncRules(comparesWithBase: false),
    SyncRules(countsGenerations: false), SyncRules(looksUpMissing: false),
  ])
  func brokenEnginesAreFound(_ rules: SyncRules) async throws {
    let outcome = try await Simulations(rules: rules).run(1..<201)
    #expect(!outcome.failures.isEmpty)
    for (script, failure) in outcome.failures.prefix(1) {
      print(rules, "found by seed \(script.seed), feed \(script.feed):", failure.reasons[0])
    }
  }
}
