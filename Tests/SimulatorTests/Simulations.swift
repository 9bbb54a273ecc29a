import Synchronization

@testable import Sync

/// Runs many simulations, four at a time: they often wait for a thread of a database.
struct Simulations {
  let breaks: Breaks
  /// Whether devices sync with the real service instead of its model.
  let isReal: Bool
  /// The number of failures after which no more simulations are started.
  let patience: Int

  init(_ breaks: Breaks = Breaks(), isReal: Bool = false, patience: Int = 1) {
    (self.breaks, self.isReal, self.patience) = (breaks, isReal, patience)
  }

  /// The result of a run.
  struct Outcome: Sendable {
    var counts = Counts()
    var failures: [(script: Script, failure: SimulationFailure)] = []
  }

  /// The number of failures in all tasks.
  private final class Failed: Sendable {
    let count = Atomic(0)
  }

  /// Runs seeds, each with and without a change feed.
  func run(_ seeds: Range<UInt64>) async throws -> Outcome {
    let failed = Failed()
    return try await withThrowingTaskGroup { group in
      for part: UInt64 in 0..<4 {
        group.addTask {
          var outcome = Outcome()
          for seed in seeds
          where seed % 4 == part && failed.count.load(ordering: .relaxed) < patience {
            for hasFeed in [true, false] {
              let script = ScriptMaker.script(seed: seed, hasFeed: hasFeed)
              do {
                outcome.counts += try await Simulation.run(script, breaks, isReal: isReal)
              } catch {
                let failure =
                  error as? SimulationFailure ?? SimulationFailure(reasons: ["\(error)"])
                outcome.failures.append((script, failure))
                failed.count.add(1, ordering: .relaxed)
              }
            }
          }
          return outcome
        }
      }
      return try await group.reduce(into: Outcome()) { all, part in
        all.counts += part.counts
        all.failures += part.failures
      }
    }
  }
}
