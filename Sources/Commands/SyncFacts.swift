import Library
import Sync
import Words

/// The sync state of a library, from its database and its credentials file, without the network.
struct SyncFacts {
  let content: CredentialFile.Content
  let account: SyncAccount?
  let outbox: OutboxSummary
  let parked: [SyncStatus.Parked]
  let unread: [UnreadRecord]

  /// - Parameter now: milliseconds since 1970, UTC.
  init(
    _ content: CredentialFile.Content, _ library: Library, at now: Int64
  ) throws(LibraryFailure) {
    self.content = content
    account = try library.syncAccount()
    outbox = try library.outboxSummary(at: now)
    parked = try SyncStatus.parked(in: library)
    unread = try library.unreadRecords()
  }

  /// Whether there is a sign-in that the service took the last time.
  var isSignedIn: Bool {
    content.webAuthToken != nil && account?.isConfirmed == true
      && account?.failure?.endsSignIn != true
  }

  /// Whether the service was there the last time; nil where it was never tried.
  var isReachable: Bool? {
    if let failure = account?.failure { return !failure.isOfTheWay }
    return account?.syncedAt == nil ? nil : true
  }

  /// How many changes the service does not have.
  var unsentCount: Int { outbox.count + parked.count }

  /// When the first of what waits is tried again; nil for with the next round.
  var pendingUntil: Int64? { outbox.notBefore > 0 ? outbox.notBefore : nil }

  // MARK: For people

  func status(in words: Words) -> [String] {
    var lines = [words.syncService(content.origin)]
    if let account { lines.append(words.syncAccount(account.name ?? account.userRecordName)) }
    if content.webAuthToken == nil {
      lines.append(words.syncSignedOutState)
    } else if account?.isConfirmed != true {
      lines.append(words.syncUnconfirmed)
    } else if isSignedIn {
      lines.append(words.syncSignedInState)
    }
    switch account?.restoration {
    case nil: break
    case .asked: lines += [words.syncRestored, words.syncRestoredChoice]
    case .keepRestored: lines.append(words.syncRestorationAnswered(keepsRestored: true))
    case .keepService: lines.append(words.syncRestorationAnswered(keepsRestored: false))
    }
    if let account, let failure = account.failure {
      var line = words.explain(failure)
      if case .massDeletion = failure { line += " " + words.syncDeletionChoice }
      if let since = account.failingSince { line += words.syncSince(LocalTime(since).description) }
      lines.append(line)
    } else if isReachable == true {
      lines.append(words.syncReachable)
    }
    lines.append(words.syncLast(account?.syncedAt.map { LocalTime($0).description }))
    lines.append(words.syncPending(outbox.count))
    lines += waiting(in: words)
    if !unread.isEmpty { lines.append(words.syncUnread(unread.count)) }
    return lines + parkedLines(in: words)
  }

  /// What a round left behind; empty where nothing.
  func leftBehind(in words: Words) -> [String] {
    guard unsentCount > 0 else { return [] }
    return [words.syncPending(outbox.count)] + waiting(in: words) + parkedLines(in: words)
  }

  private func waiting(in words: Words) -> [String] {
    let time = pendingUntil.map { LocalTime($0).description }
    if let error = outbox.lastError { return [words.explainWaiting(error, until: time)] }
    return time.map { [words.syncTriedAgain($0)] } ?? []
  }

  private func parkedLines(in words: Words) -> [String] {
    parked.map { words.syncParked(words.name(of: $0), words.explain($0.reason)) }
  }
}
