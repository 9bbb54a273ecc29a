import Foundation
import Testing

@testable import Sync

/// Simulations of the engine.
///
/// Each seed runs with the model of the service and with the real one, with and without a feed.
/// `QURAN_VI_SEEDS` is the number of seeds; `QURAN_VI_SEED` is the only seed, or the first one if
/// both are given. `QURAN_VI_SERVICE` is `model` or `real` to run with that service alone. After
/// `QURAN_VI_FAILURES` failures no more seeds are started. Up to three failing scripts are
/// shortened for at most `QURAN_VI_SHRINK` seconds each; 0 shortens none.
@Suite struct SimulatorTests {
  private static let environment = ProcessInfo.processInfo.environment

  private static var seeds: Range<UInt64> {
    let first = environment["QURAN_VI_SEED"].flatMap(UInt64.init)
    let count = environment["QURAN_VI_SEEDS"].flatMap(UInt64.init)
    return (first ?? 1)..<(first ?? 1) + (count ?? (first == nil ? 1000 : 1))
  }

  /// For each service to run with, whether it is the real one.
  private static var services: [Bool] {
    switch environment["QURAN_VI_SERVICE"] {
    case "model": [false]
    case "real": [true]
    default: [false, true]
    }
  }

  @Test(arguments: Self.services)
  func whateverHappensDevicesAgreeAndNoLineIsLost(isReal: Bool) async throws {
    let patience = Self.environment["QURAN_VI_FAILURES"].flatMap(Int.init) ?? 1
    let shrinkSeconds = Self.environment["QURAN_VI_SHRINK"].flatMap(Double.init) ?? 20
    let start = ContinuousClock.now
    let outcome = try await Simulations(isReal: isReal, patience: patience).run(Self.seeds)
    print(
      isReal ? "the real service:" : "the model:", outcome.counts, "in", ContinuousClock.now - start
    )
    for (script, failure) in outcome.failures.prefix(3) where shrinkSeconds > 0 {
      let shrunk = await Shrinker.shrink(
        script, failure, Breaks(), isReal: isReal, seconds: shrinkSeconds)
      Issue.record("\(shrunk.failure)\nafter\n\(shrunk.script)")
    }
    for (script, failure) in outcome.failures {
      Issue.record("seed \(script.seed), feed \(script.feed): \(failure.reasons[0])")
    }
  }
}
