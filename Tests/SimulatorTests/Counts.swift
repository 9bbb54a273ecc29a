/// The numbers of events in simulations. They are printed to show that the faults occur.
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
  /// The number of rollbacks of the service's files.
  var putBacks = 0
  var restoredLibraries = 0
  /// The number of devices that changed their account.
  var moves = 0
  var accountDeletions = 0
  var tokens = 0
  var faults: [String: Int] = [:]
  /// The service's verdicts about witnesses, except `current`.
  var verdicts: [String: Int] = [:]

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
    all.putBacks += more.putBacks
    all.restoredLibraries += more.restoredLibraries
    all.moves += more.moves
    all.accountDeletions += more.accountDeletions
    all.tokens += more.tokens
    all.faults.merge(more.faults, uniquingKeysWith: +)
    all.verdicts.merge(more.verdicts, uniquingKeysWith: +)
  }
}

extension Counts: CustomStringConvertible {
  var description: String {
    func list(_ counts: [String: Int]) -> String {
      counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    }
    return """
      \(seeds) simulations: \(steps) steps, \(rounds) rounds (\(failedRounds) failed, \
      \(questions) questions), \(calls) calls (\(list(faults))), \
      \(conflicts) conflicts, \(copies) copies, \(restores) restores, \(putBacks) rollbacks (\(list(verdicts))), \
      \(restoredLibraries) restored libraries, \(moves) moves, \
      \(accountDeletions) deleted accounts, \(tokens) lines
      """
  }
}
