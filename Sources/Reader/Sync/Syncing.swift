import Library
import Quran
public import Sync
import Terminal
import Text
import Words

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
      complain(words.syncElsewhere)
    } else if let problem = syncProblem {
      toldSyncProblem = problem
      complain(problem)
    } else if let error = sync.outbox.lastError {
      complain(words.explainWaiting(error, until: sync.waitsUntil))
    } else if let time = sync.account?.syncedAt {
      say(words.syncedAt(LocalTime(time).timeOfDay))
    }
  }

  /// Why it does not go on, and what to do; nil where it does.
  private var syncProblem: String? {
    if let problem = sync.problem { return words.explain(problem) }
    guard let failure = sync.failure else { return nil }
    if case .massDeletion(let question) = failure {
      // The key first: what has no room is cut at the end.
      return words.syncAnswerHere(key(.syncScreen)) + " " + words.explain(question)
    }
    if failure == .restored {
      return words.syncAnswerHere(key(.syncScreen)) + " " + words.explain(failure)
    }
    return words.explain(failure)
  }

  /// The reader leaves: says so where changes are on their way to the service.
  ///
  /// - Returns: whether there are any.
  public mutating func saySyncing() -> Bool {
    guard sync.outbox.count > 0 else { return false }
    say(words.syncLeaving)
    return true
  }

  // MARK: Asking

  mutating func syncNow() -> [Effect] {
    guard sync.phase != .off else {
      complain(sync.problem.map(words.explain) ?? words.syncNotConnected)
      return []
    }
    isSyncAsked = true
    say(words.syncing)
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
    if sync.problem != nil { return ("! \(words.syncCornerCredentials)", true) }
    switch sync.phase {
    case .off: return ("", false)
    case .working(let progress): return ("⟳" + progressFigure(progress), false)
    case .idle: break
    }
    if let failure = sync.failure, !sync.isTransient {
      return ("! \(words.syncCorner(failure))", true)
    }
    if sync.outbox.parked > 0 { return ("! \(words.syncCornerParked(sync.outbox.parked))", true) }
    let isHeldUp = sync.failure != nil || sync.outbox.lastError != nil || sync.isElsewhere
    if sync.outbox.count > 0, isHeldUp {
      return ("↑\(sync.outbox.count)", false)
    }
    // The answer was stored but could not be carried out yet.
    if sync.failure != nil, sync.account?.restoration != nil {
      return ("! \(words.syncCornerOffline)", true)
    }
    guard let time = sync.account?.syncedAt else {
      return sync.failure == nil ? ("⟳", false) : ("! \(words.syncCornerOffline)", true)
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
    return isCrowded ? words.elsewhereShort : words.elsewhere
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
      return [sync.problem.map(words.explain) ?? words.syncNotConnected]
    }
    var lines: [String] = []
    // What somebody has to see is seen without scrolling.
    if let question = massDeletion {
      lines += [words.explain(question)] + words.syncDeletionKeys + [""]
    } else if sync.failure == .restored {
      lines += [words.syncRestored] + words.syncRestoredKeys + [""]
    } else if let problem = syncProblem {
      let since = sync.account?.failingSince.map { words.syncSince(LocalTime($0).description) }
      lines += [problem + (since ?? ""), ""]
    } else if let error = sync.outbox.lastError {
      lines += [words.explainWaiting(error, until: sync.waitsUntil), ""]
    }
    if sync.outbox.parked > 0 {
      lines.append(words.syncParkedTitle(sync.outbox.parked))
      lines += sync.parked.map { parked in
        "  \(words.name(of: parked)): \(words.explain(parked.reason))"
      }
      lines.append("")
    }
    switch sync.account?.restoration {
    case .keepRestored: lines.append(words.syncRestorationAnswered(keepsRestored: true))
    case .keepService: lines.append(words.syncRestorationAnswered(keepsRestored: false))
    case .asked, nil: break
    }
    lines.append(words.syncLast(sync.account?.syncedAt.map { LocalTime($0).description }))
    lines.append(words.syncPending(sync.outbox.count))
    if sync.isElsewhere {
      lines.append(words.syncElsewhere)
      if let failure = sync.account?.failure { lines.append(words.explain(failure)) }
    }
    if case .working(let progress) = sync.phase {
      lines.append(words.syncing + progressFigure(progress))
    }
    if sync.unreadCount > 0 { lines.append(words.syncUnread(sync.unreadCount)) }
    if let account = sync.account {
      lines.append(words.syncService(account.origin))
      lines.append(words.syncAccount(account.name ?? account.userRecordName))
    }
    return lines
  }

  var syncPageHints: [String] {
    guard sync.phase != .off else { return [] }
    let retry = sync.outbox.parked > 0 ? ["\(key(.markRead)) \(words.syncRetryHint)"] : []
    return ["\(key(.sync)) \(words.syncNowHint)"] + retry
  }
}
