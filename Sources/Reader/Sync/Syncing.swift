import Library
import Messages
import Quran
public import Sync
import Terminal
import Text

// What the screen tells of sync, and what can be asked of it.
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
  private var syncProblem: String? {
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
    say(messages.syncLeaving)
    return true
  }

  // MARK: Asking

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
      switch key {
      case "D":
        overlay = .question(.acceptDeletions(massDeletion))
        return []
      case "K": return [.sync(.answer(.keepEverything))]
      default: break
      }
    }
    if sync.failure == .restored {
      switch key {
      case "R": overlay = .question(.answerRestored(.keepRestored))
      case "V": overlay = .question(.answerRestored(.keepService))
      default: break
      }
      if case .question = overlay { return [] }
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

  // MARK: On the screen

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

  /// Says that this is not where reading goes on; empty where it is.
  private var placeCorner: String {
    guard place.isLooking else { return "" }
    let isCrowded = size.columns < 60 && !syncCorner.text.isEmpty
    return isCrowded ? messages.elsewhereShort : messages.elsewhere
  }

  /// Columns of the last row that are not the corner's.
  var statusWidth: Int {
    let corners = [placeCorner, syncCorner.text].filter { !$0.isEmpty }
    return max(corners.reduce(size.columns) { $0 - $1.columns - 2 }, 0)
  }

  func drawCorner(on canvas: inout Canvas, _ geometry: Geometry) {
    let row = geometry.status
    var column = statusWidth
    canvas.fill(row: row, columns: column..<size.columns, style: theme[.text])
    let (text, isTrouble) = syncCorner
    for (text, role) in [(placeCorner, Role.text), (text, isTrouble ? .error : .faint)]
    where !text.isEmpty {
      canvas.put(text, row: row, column: column + 1, style: theme[role])
      column += text.columns + 2
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
      lines += [messages.explain(question)] + messages.syncDeletionKeys + [""]
    } else if sync.failure == .restored {
      lines += [messages.syncRestored] + messages.syncRestoredKeys + [""]
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
