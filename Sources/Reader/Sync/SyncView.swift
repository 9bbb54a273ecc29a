import Library
import Messages
import Sync

extension Model {
  /// The state of sync in a few columns; empty if the library is not connected.
  var syncCorner: (text: String, isTrouble: Bool) {
    if syncScreen.status.problem != nil { return ("! \(messages.syncCornerCredentials)", true) }
    switch syncScreen.status.phase {
    case .off: return ("", false)
    case .working(let progress): return ("⟳" + progressFigure(progress), false)
    case .idle: break
    }
    let isForTheUser = !syncScreen.status.isTransient || syncScreen.status.isCurlMissing
    if let failure = syncScreen.status.failure, isForTheUser {
      return ("! \(messages.syncCorner(failure))", true)
    }
    if syncScreen.status.outbox.parked > 0 {
      return ("! \(messages.syncCornerParked(syncScreen.status.outbox.parked))", true)
    }
    let isHeldUp =
      syncScreen.status.failure != nil || syncScreen.status.outbox.lastError != nil
      || syncScreen.status.isSyncedByOtherProcess
    if syncScreen.status.outbox.count > 0, isHeldUp {
      return ("↑\(syncScreen.status.outbox.count)", false)
    }
    // The user's answer about a restored library is stored, but the round that should carry it out
    // has failed.
    if syncScreen.status.failure != nil, syncScreen.status.account?.restoration != nil {
      return ("! \(messages.syncCornerOffline)", true)
    }
    guard let time = syncScreen.status.account?.syncedAt else {
      return syncScreen.status.failure == nil
        ? ("⟳", false) : ("! \(messages.syncCornerOffline)", true)
    }
    return ("✓ \(LocalTime(time).timeOfDay)", false)
  }

  /// Why the library is not synced, as `quran-vi sync` says it.
  var reasonForNoSync: String {
    if let problem = syncScreen.status.problem { return messages.explain(problem) }
    if syncScreen.isSignedOut { return messages.syncSignedOutState }
    let isUnconfirmed = syncScreen.status.account?.isConfirmed == false
    return isUnconfirmed ? messages.syncUnconfirmed : messages.syncNotConnected
  }

  private func progressFigure(_ progress: SyncProgress?) -> String {
    switch progress {
    case nil: ""
    case .receiving(let records): " ↓\(records)"
    case .sending(let done, let total): " ↑\(max(total - done, 0))"
    }
  }

  /// The lines of the sync page: the issue, the changes that are not sent and why, and the state.
  var syncPage: [String] {
    guard syncScreen.status.phase != .off else {
      return [reasonForNoSync]
    }
    var lines: [String] = []
    // What the user has to decide comes first, so that it is seen without scrolling.
    if let question = massDeletion {
      lines +=
        [messages.explain(question)]
        + messages.syncDeletionKeys(
          accept: key(.acceptDeletions, in: .massDeletion),
          keep: key(.keepEverything, in: .massDeletion)) + [""]
    } else if syncScreen.status.failure == .restored {
      lines +=
        [messages.syncRestored]
        + messages.syncRestoredKeys(
          keepRestored: key(.keepRestored, in: .restoration),
          keepService: key(.keepService, in: .restoration)) + [""]
    } else if let issue = syncScreen.status.issue {
      let since = syncScreen.status.account?.failingSince.map {
        messages.syncSince(LocalTime($0).description)
      }
      lines += [sentence(for: issue) + (since ?? ""), ""]
    } else if let error = syncScreen.status.outbox.lastError {
      lines += [messages.explainWaiting(error, until: syncScreen.status.waitsUntil), ""]
    }
    if syncScreen.status.outbox.parked > 0 {
      lines.append(messages.syncParkedTitle(syncScreen.status.outbox.parked))
      lines += syncScreen.status.parked.map { parked in
        "  \(messages.name(of: parked)): \(messages.explain(parked.reason))"
      }
      lines.append("")
    }
    switch syncScreen.status.account?.restoration {
    case .keepRestored: lines.append(messages.syncRestorationAnswered(keepsRestored: true))
    case .keepService: lines.append(messages.syncRestorationAnswered(keepsRestored: false))
    case .undecided, nil: break
    }
    lines.append(
      messages.syncLast(syncScreen.status.account?.syncedAt.map { LocalTime($0).description }))
    lines.append(messages.syncPending(syncScreen.status.outbox.count))
    if syncScreen.status.isSyncedByOtherProcess {
      lines.append(messages.syncElsewhere)
      if let failure = syncScreen.status.account?.failure {
        lines.append(messages.explain(failure))
      }
    }
    if case .working(let progress) = syncScreen.status.phase {
      lines.append(messages.syncing + progressFigure(progress))
    }
    if syncScreen.status.unreadableCount > 0 {
      lines.append(messages.syncUnreadable(syncScreen.status.unreadableCount))
    }
    if let account = syncScreen.status.account {
      lines.append(messages.syncService(account.origin))
      lines.append(messages.syncAccount(account.name ?? account.userRecordName))
    }
    return lines
  }

  var syncPageHints: [String] {
    guard syncScreen.status.phase != .off else { return [] }
    let retry =
      syncScreen.status.outbox.parked > 0 ? ["\(key(.markRead)) \(messages.syncRetryHint)"] : []
    return ["\(key(.sync)) \(messages.actSync)"] + retry
  }
}
