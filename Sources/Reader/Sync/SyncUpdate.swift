import Library
import Messages
public import Sync
import Terminal

extension Model {
  /// Shows a new status of sync.
  ///
  /// - Parameters:
  ///   - isSignedOut: whether the library is connected to a service, but nobody is signed in.
  ///   - time: the time of the status, in milliseconds since 1970, UTC.
  public mutating func synced(
    _ status: SyncStatus, isSignedOut: Bool = false, at time: Int64
  ) {
    now = time
    let previous = syncScreen.status
    syncScreen.status = status
    syncScreen.isSignedOut = isSignedOut
    // The settings show the state of sync.
    if tab == .settings { settings.rows = makeSettingRows() }
    if syncScreen.isRequested { showOutcome(since: previous) }
    // An issue that only the user can resolve is shown once, when no message, overlay or editor is
    // open.
    guard let issue = status.issue, !status.isTransient, issue != syncScreen.reportedIssue else {
      if status.issue == nil { syncScreen.reportedIssue = nil }
      return
    }
    guard message == nil, overlay == nil, editor == nil else { return }
    syncScreen.reportedIssue = issue
    showError(sentence(for: issue))
  }

  /// Shows the outcome of a sync that the user asked for.
  private mutating func showOutcome(since previous: SyncStatus) {
    let status = syncScreen.status
    guard status.attempts != previous.attempts || status.problem != nil else { return }
    syncScreen.isRequested = false
    guard overlay == nil, editor == nil else { return }
    if status.isSyncedByOtherProcess {
      showError(messages.syncElsewhere)
    } else if let issue = status.issue {
      syncScreen.reportedIssue = issue
      showError(sentence(for: issue))
    } else if let error = status.outbox.lastError {
      showError(messages.explainWaiting(error, until: status.waitsUntil))
    } else if let time = status.account?.syncedAt {
      showMessage(messages.syncedAt(LocalTime(time).timeOfDay))
    }
  }

  /// Returns a sentence about the issue, and about what to do.
  func sentence(for issue: SyncIssue) -> String {
    switch issue {
    case .connection(let problem): messages.explain(problem)
    case .failure(.massDeletion(let question)):
      // The key comes first, since a long message is cut at its end.
      messages.syncAnswerHere(key(.syncScreen)) + " " + messages.explain(question)
    case .failure(.restored):
      messages.syncAnswerHere(key(.syncScreen)) + " " + messages.explain(SyncFailure.restored)
    case .failure(let failure): messages.explain(failure)
    }
  }

  /// Reports that changes are being sent to the service while the reader ends.
  ///
  /// - Returns: false if there are none.
  public mutating func showSyncing() -> Bool {
    guard syncScreen.status.outbox.count > 0 else { return false }
    showMessage(messages.syncLeaving(key(.interrupt)))
    return true
  }

  mutating func syncNow() -> [Effect] {
    guard syncScreen.status.phase != .off else {
      showError(reasonForNoSync)
      return []
    }
    syncScreen.isRequested = true
    showMessage(messages.syncing)
    return [.sync(.now)]
  }

  /// Handles a key of the sync page; returns nil if the key has no special meaning on this page.
  mutating func handleSyncPage(_ key: Key) -> [Effect]? {
    if let massDeletion {
      switch KeyContext.massDeletion.action(for: key) {
      case .acceptDeletions:
        overlay = .question(.acceptDeletions(massDeletion))
        return []
      case .keepEverything: return [.sync(.answer(.keepEverything))]
      case nil: break
      }
    }
    if syncScreen.status.failure == .restored, let answer = KeyContext.restoration.action(for: key)
    {
      overlay = .question(.answerRestored(answer))
      return []
    }
    switch keys.action(for: key) {
    case .sync where syncScreen.status.phase != .off: return [.sync(.now)]
    case .markRead where syncScreen.status.outbox.parked > 0: return [.sync(.retryParked)]
    case .syncScreen:
      overlay = nil
      return []
    default: return nil
    }
  }

  /// The deletions of another device that the user has to confirm, if any.
  var massDeletion: MassDeletion? {
    guard case .massDeletion(let question) = syncScreen.status.failure else { return nil }
    return question
  }
}
