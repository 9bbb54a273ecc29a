import Foundation

@testable import Sync

/// Shortens a failing script while the rest still fails.
struct Shrinker {
  private(set) var script: Script
  private(set) var failure: SimulationFailure
  private let breaks: Breaks
  private let isReal: Bool
  private let end: ContinuousClock.Instant

  /// - Parameter seconds: The maximum time.
  static func shrink(
    _ script: Script, _ failure: SimulationFailure, _ breaks: Breaks, isReal: Bool = false,
    seconds: Double = 20
  ) async -> Shrinker {
    var shrinker = Shrinker(
      script: script, failure: failure, breaks: breaks, isReal: isReal,
      end: .now + .seconds(seconds))
    await shrinker.shrink()
    return shrinker
  }

  private init(
    script: Script, failure: SimulationFailure, breaks: Breaks, isReal: Bool,
    end: ContinuousClock.Instant
  ) {
    (self.script, self.failure, self.breaks, self.isReal, self.end) =
      (script, failure, breaks, isReal, end)
  }

  private mutating func shrink() async {
    var before: Int
    repeat {
      before = script.size
      await removeSteps()
      await removeFaults()
    } while script.size < before && ContinuousClock.now < end
  }

  /// Removes sequences of steps, long ones first.
  private mutating func removeSteps() async {
    var length = max(script.steps.count / 2, 1)
    while true {
      var start = 0
      while start < script.steps.count {
        var shorter = script
        shorter.steps.removeSubrange(start..<min(start + length, script.steps.count))
        if !(await replace(with: shorter)) { start += length }
      }
      guard length > 1 else { return }
      length /= 2
    }
  }

  /// Removes faults, one after the other.
  private mutating func removeFaults() async {
    for place in script.steps.indices {
      guard case .sync(let device, let trouble) = script.steps[place].action else { continue }
      var candidates: [Step.Trouble] = trouble.faults.keys.map { call in
        var less = trouble
        less.faults[call] = nil
        return less
      }
      candidates += trouble.interruptions.indices.map { index in
        var less = trouble
        less.interruptions.remove(at: index)
        return less
      }
      for less in candidates {
        var shorter = script
        shorter.steps[place].action = .sync(device: device, less)
        if await replace(with: shorter) { break }
      }
    }
  }

  /// Replaces the shortest script so far by another one if that fails.
  private mutating func replace(with shorter: Script) async -> Bool {
    guard ContinuousClock.now < end else { return false }
    do {
      _ = try await Simulation.run(shorter, breaks, isReal: isReal)
      return false
    } catch let failure as SimulationFailure {
      (script, self.failure) = (shorter, failure)
      return true
    } catch {
      return false
    }
  }
}

extension Script {
  /// The number of steps and faults.
  fileprivate var size: Int {
    steps.reduce(0) { sum, step in
      guard case .sync(_, let trouble) = step.action else { return sum + 1 }
      return sum + 1 + trouble.faults.count + trouble.interruptions.count
    }
  }
}
