import Library
import Messages
public import Sync
import Terminal

extension Model {
  /// Takes how it stands with sync.
  ///
  /// - Parameter time: as for `update`.
  public mutating func synced(_ status: SyncStatus, at time: Int64) {
    now = time
    let former = sync
    sync = status
    if isSyncAsked { answerAsked(since: former) }
    // What only a person can mend is said once, where nobody is disturbed by it.
    guard let problem = syncProblem, !status.isTransient, problem != toldSyncProblem else {
      if status.failure == nil, status.problem == nil { toldSyncProblem = nil }
      return
    }
    guard message == nil, overlay == nil, editor == nil else { return }
    toldSyncProblem = problem
    complain(problem)
  }

  /// Somebody waits to hear how it went.
  private mutating func answerAsked(since former: SyncStatus) {
    guard sync.attempts != former.attempts || sync.problem != nil else { return }
    isSyncAsked = false
    guard overlay == nil, editor == nil else { return }
    if sync.isElsewhere {
      complain(messages.syncElsewhere)
    } else if let problem = syncProblem {
      toldSyncProblem = problem
      complain(problem)
    } else if let error = sync.outbox.lastError {
      complain(messages.explainWaiting(error, until: sync.waitsUntil))
    } else if let time = sync.account?.syncedAt {
      say(messages.syncedAt(LocalTime(time).timeOfDay))
    }
  }

  /// Why it does not go on, and what to do; nil where it does.
  var syncProblem: String? {
    if let problem = sync.problem { return messages.explain(problem) }
    guard let failure = sync.failure else { return nil }
    if case .massDeletion(let question) = failure {
      // The key first: what has no room is cut at the end.
      return messages.syncAnswerHere(key(.syncScreen)) + " " + messages.explain(question)
    }
    if failure == .restored {
      return messages.syncAnswerHere(key(.syncScreen)) + " " + messages.explain(failure)
    }
    return messages.explain(failure)
  }

  /// The reader leaves: says so where changes are on their way to the service.
  ///
  /// - Returns: whether there are any.
  public mutating func saySyncing() -> Bool {
    guard sync.outbox.count > 0 else { return false }
    say(messages.syncLeaving(key(.interrupt)))
    return true
  }

  mutating func syncNow() -> [Effect] {
    guard sync.phase != .off else {
      complain(sync.problem.map(messages.explain) ?? messages.syncNotConnected)
      return []
    }
    isSyncAsked = true
    say(messages.syncing)
    return [.sync(.now)]
  }

  /// What a key does on the sync screen; nil for what it does on every page.
  mutating func handleSyncPage(_ key: Key) -> [Effect]? {
    if let massDeletion {
      switch keys.action(for: key, in: .massDeletion) {
      case .acceptDeletions:
        overlay = .question(.acceptDeletions(massDeletion))
        return []
      case .keepEverything: return [.sync(.answer(.keepEverything))]
      case nil: break
      }
    }
    if sync.failure == .restored, let action = keys.action(for: key, in: .restoration) {
      let restoration: SyncAccount.Restoration =
        action == .keepRestored ? .keepRestored : .keepService
      overlay = .question(.answerRestored(restoration))
      return []
    }
    switch keys.action(for: key) {
    case .sync where sync.phase != .off: return [.sync(.now)]
    case .markRead where sync.outbox.parked > 0: return [.sync(.retryParked)]
    case .syncScreen:
      overlay = nil
      return []
    default: return nil
    }
  }

  /// What another device's deletions would take, where somebody has to say whether it was meant.
  var massDeletion: MassDeletion? {
    guard case .massDeletion(let question) = sync.failure else { return nil }
    return question
  }
}
