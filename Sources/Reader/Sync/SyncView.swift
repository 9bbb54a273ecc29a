import Library
import Messages
import Sync

extension Model {
  /// How it stands with sync, in a few columns; empty where nobody is connected.
  var syncCorner: (text: String, isTrouble: Bool) {
    if sync.problem != nil { return ("! \(messages.syncCornerCredentials)", true) }
    switch sync.phase {
    case .off: return ("", false)
    case .working(let progress): return ("⟳" + progressFigure(progress), false)
    case .idle: break
    }
    if let failure = sync.failure, !sync.isTransient {
      return ("! \(messages.syncCorner(failure))", true)
    }
    if sync.outbox.parked > 0 {
      return ("! \(messages.syncCornerParked(sync.outbox.parked))", true)
    }
    let isHeldUp = sync.failure != nil || sync.outbox.lastError != nil || sync.isElsewhere
    if sync.outbox.count > 0, isHeldUp {
      return ("↑\(sync.outbox.count)", false)
    }
    // The answer was stored but could not be carried out yet.
    if sync.failure != nil, sync.account?.restoration != nil {
      return ("! \(messages.syncCornerOffline)", true)
    }
    guard let time = sync.account?.syncedAt else {
      return sync.failure == nil ? ("⟳", false) : ("! \(messages.syncCornerOffline)", true)
    }
    return ("✓ \(LocalTime(time).timeOfDay)", false)
  }

  private func progressFigure(_ progress: SyncProgress?) -> String {
    switch progress {
    case nil: ""
    case .receiving(let records): " ↓\(records)"
    case .sending(let done, let total): " ↑\(max(total - done, 0))"
    }
  }

  /// The sync screen: what keeps it from going on, what is not sent and why, and how it stands.
  var syncPage: [String] {
    guard sync.phase != .off else {
      return [sync.problem.map(messages.explain) ?? messages.syncNotConnected]
    }
    var lines: [String] = []
    // What somebody has to see is seen without scrolling.
    if let question = massDeletion {
      lines +=
        [messages.explain(question)]
        + messages.syncDeletionKeys(
          accept: key(.acceptDeletions, in: .massDeletion),
          keep: key(.keepEverything, in: .massDeletion)) + [""]
    } else if sync.failure == .restored {
      lines +=
        [messages.syncRestored]
        + messages.syncRestoredKeys(
          keepRestored: key(.keepRestored, in: .restoration),
          keepService: key(.keepService, in: .restoration)) + [""]
    } else if let problem = syncProblem {
      let since = sync.account?.failingSince.map { messages.syncSince(LocalTime($0).description) }
      lines += [problem + (since ?? ""), ""]
    } else if let error = sync.outbox.lastError {
      lines += [messages.explainWaiting(error, until: sync.waitsUntil), ""]
    }
    if sync.outbox.parked > 0 {
      lines.append(messages.syncParkedTitle(sync.outbox.parked))
      lines += sync.parked.map { parked in
        "  \(messages.name(of: parked)): \(messages.explain(parked.reason))"
      }
      lines.append("")
    }
    switch sync.account?.restoration {
    case .keepRestored: lines.append(messages.syncRestorationAnswered(keepsRestored: true))
    case .keepService: lines.append(messages.syncRestorationAnswered(keepsRestored: false))
    case .asked, nil: break
    }
    lines.append(messages.syncLast(sync.account?.syncedAt.map { LocalTime($0).description }))
    lines.append(messages.syncPending(sync.outbox.count))
    if sync.isElsewhere {
      lines.append(messages.syncElsewhere)
      if let failure = sync.account?.failure { lines.append(messages.explain(failure)) }
    }
    if case .working(let progress) = sync.phase {
      lines.append(messages.syncing + progressFigure(progress))
    }
    if sync.unreadCount > 0 { lines.append(messages.syncUnread(sync.unreadCount)) }
    if let account = sync.account {
      lines.append(messages.syncService(account.origin))
      lines.append(messages.syncAccount(account.name ?? account.userRecordName))
    }
    return lines
  }

  var syncPageHints: [String] {
    guard sync.phase != .off else { return [] }
    let retry = sync.outbox.parked > 0 ? ["\(key(.markRead)) \(messages.syncRetryHint)"] : []
    return ["\(key(.sync)) \(messages.syncNowHint)"] + retry
  }
}
