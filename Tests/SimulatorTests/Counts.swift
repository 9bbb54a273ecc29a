/// What happened in simulations, so that nobody takes idle ones for a proof.
struct Counts: Hashable, Sendable {
  var seeds = 0
  var steps = 0
  var rounds = 0
  var failedRounds = 0
  var questions = 0
  var calls = 0
  var conflicts = 0
  var copies = 0
  var restores = 0
  /// How often a device came from one account to another.
  var moves = 0
  var tokens = 0
  var mishaps: [String: Int] = [:]

  static func += (all: inout Counts, more: Counts) {
    all.seeds += more.seeds
    all.steps += more.steps
    all.rounds += more.rounds
    all.failedRounds += more.failedRounds
    all.questions += more.questions
    all.calls += more.calls
    all.conflicts += more.conflicts
    all.copies += more.copies
    all.restores += more.restores
    all.moves += more.moves
    all.tokens += more.tokens
    all.mishaps.merge(more.mishaps, uniquingKeysWith: +)
  }
}

extension Counts: CustomStringConvertible {
  var description: String {
    let mishaps = mishaps.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
    return """
      \(seeds) simulations: \(steps) steps, \(rounds) rounds (\(failedRounds) failed, \
      \(questions) questions), \(calls) calls (\(mishaps.joined(separator: ", "))), \
      \(conflicts) conflicts, \(copies) copies, \(restores) restores, \(moves) moves, \
      \(tokens) lines
      """
  }
}
