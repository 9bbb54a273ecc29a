import Foundation
import Testing

@testable import Sync

/// The engine, proved by simulations.
///
/// Each seed runs with the model of the service and with the real one, with and without a feed.
/// `QURAN_VI_SEEDS` says how many seeds are tried; `QURAN_VI_SEED` tries that one alone, or
/// begins with it where both are given.
@Suite struct SimulatorTests {
  private static let environment = ProcessInfo.processInfo.environment

  private static var seeds: Range<UInt64> {
    let first = environment["QURAN_VI_SEED"].flatMap(UInt64.init)
    let count = environment["QURAN_VI_SEEDS"].flatMap(UInt64.init)
    return (first ?? 1)..<(first ?? 1) + (count ?? (first == nil ? 1000 : 1))
  }

  @Test(arguments: [false, true])
  func whateverHappensDevicesAgreeAndNoLineIsLost(isReal: Bool) async throws {
    let patience = Self.environment["QURAN_VI_FAILURES"].flatMap(Int.init) ?? 1
    let start = ContinuousClock.now
    let outcome = try await Simulations(isReal: isReal, patience: patience).run(Self.seeds)
    print(
      isReal ? "the real service:" : "the model:", outcome.counts, "in", ContinuousClock.now - start
    )
    for (script, failure) in outcome.failures.prefix(3) {
      let shrunk = await Shrinker.shrink(script, failure, Breaks(), isReal: isReal)
      Issue.record("\(shrunk.failure)\nafter\n\(shrunk.script)")
    }
    for (script, failure) in outcome.failures {
      Issue.record("seed \(script.seed), feed \(script.feed): \(failure.reasons[0])")
    }
  }
}
