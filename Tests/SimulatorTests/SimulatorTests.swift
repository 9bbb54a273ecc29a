import Foundation
import Testing

@testable import Sync

/// The engine, proved by simulations.
///
/// `QURAN_VI_SEEDS` says how many seeds are tried; `QURAN_VI_SEED` tries that one alone, or
/// begins with it where both are given.
@Suite struct SimulatorTests {
  private static let environment = ProcessInfo.processInfo.environment

  private static var seeds: Range<UInt64> {
    let first = environment["QURAN_VI_SEED"].flatMap(UInt64.init)
    let count = environment["QURAN_VI_SEEDS"].flatMap(UInt64.init)
    return (first ?? 1)..<(first ?? 1) + (count ?? (first == nil ? 5000 : 1))
  }

  @Test func whateverHappensDevicesAgreeAndNoLineIsLost() async throws {
    let patience = Self.environment["QURAN_VI_FAILURES"].flatMap(Int.init) ?? 1
    let start = ContinuousClock.now
    let outcome = try await Simulations(patience: patience).run(Self.seeds)
    print(outcome.counts, "in", ContinuousClock.now - start)
    for (script, failure) in outcome.failures.prefix(3) {
      let shrunk = await Shrinker.shrink(script, failure, Breaks())
      Issue.record("\(shrunk.failure)\nafter\n\(shrunk.script)")
    }
    for (script, failure) in outcome.failures {
      Issue.record("seed \(script.seed), feed \(script.feed): \(failure.reasons[0])")
    }
  }
}
