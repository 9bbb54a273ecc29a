import Library
import Messages
import Sync

/// The sync state of a library, read from its database and its credentials file. Does not use the
/// network.
struct SyncFacts {
  /// The service; nil if the library is not connected to one.
  let content: CredentialFile.Content?
  let account: SyncAccount?
  let outbox: OutboxSummary
  let parked: [SyncStatus.Parked]
  let unreadable: [UnreadableRecord]
  /// The time until which the service asked not to be contacted, in milliseconds since 1970, UTC;
  /// nil if it did not ask or the time has passed.
  let waitsUntil: Int64?

  /// - Parameter now: The time in milliseconds since 1970, UTC.
  init(
    _ content: CredentialFile.Content?, _ library: Library, at now: Int64
  ) throws(LibraryFailure) {
    self.content = content
    account = try library.syncAccount()
    waitsUntil = account?.wait.flatMap { $0.left(at: now) > 0 ? $0.until : nil }
    outbox = try library.outboxSummary(at: now)
    parked = try SyncStatus.parked(in: library)
    unreadable = try library.unreadableRecords()
  }

  /// Whether a token is stored, and it is not that of another account than the library's.
  private var hasToken: Bool {
    guard let content, content.webAuthToken != nil else { return false }
    return account.map(content.belongs(to:)) != false
  }

  /// Whether the service accepted the sign-in the last time it was used.
  var isSignedIn: Bool {
    hasToken && account?.isConfirmed == true && account?.failure?.endsSignIn != true
  }

  /// Whether the last round reached the service: it succeeded, or the connection was not the reason
  /// of its failure. Nil if there was no round.
  var isReachable: Bool? {
    if let failure = account?.failure { return !failure.isConnectivityProblem }
    return account?.syncedAt == nil ? nil : true
  }

  /// The number of changes that the service does not have.
  var unsentCount: Int { outbox.count + parked.count }

  /// The time of the next attempt to send the first pending change, in milliseconds since 1970,
  /// UTC; nil if it is sent in the next round.
  var pendingUntil: Int64? { outbox.notBefore > 0 ? outbox.notBefore : nil }

  // MARK: Text output

  func status(in messages: Messages) -> [String] {
    var lines = content.map { [messages.syncService($0.origin)] } ?? []
    if let account { lines.append(messages.syncAccount(account.name ?? account.userRecordName)) }
    if !hasToken {
      lines.append(messages.syncSignedOutState)
    } else if account?.isConfirmed != true {
      lines.append(messages.syncUnconfirmed)
    } else if isSignedIn {
      lines.append(messages.syncSignedInState)
    }
    switch account?.restoration {
    case nil: break
    case .undecided: lines += [messages.syncRestored, messages.syncRestoredChoice]
    case .keepRestored: lines.append(messages.syncRestorationAnswered(keepsRestored: true))
    case .keepService: lines.append(messages.syncRestorationAnswered(keepsRestored: false))
    }
    // Until somebody signs in, the end of the last round does not matter.
    if hasToken { lines += lastRound(in: messages) }
    lines += servicesWait(in: messages)
    lines.append(messages.syncLast(account?.syncedAt.map { LocalTime($0).description }))
    lines.append(messages.syncPending(outbox.count))
    lines += waiting(in: messages)
    if !unreadable.isEmpty { lines.append(messages.syncUnreadable(unreadable.count)) }
    return lines + parkedLines(in: messages)
  }

  private func lastRound(in messages: Messages) -> [String] {
    guard let account, let failure = account.failure else {
      return isReachable == true ? [messages.syncReachable] : []
    }
    var line = messages.explain(failure)
    if case .massDeletion = failure { line += " " + messages.syncDeletionChoice }
    if let since = account.failingSince {
      line += messages.syncSince(LocalTime(since).description)
    }
    return [line]
  }

  /// Returns lines about the changes that a round did not send, and about the time until which the
  /// service is not contacted. The result is empty if there is neither.
  func unsentLines(in messages: Messages) -> [String] {
    let wait = servicesWait(in: messages)
    guard unsentCount > 0 else { return wait }
    return wait + [messages.syncPending(outbox.count)] + waiting(in: messages)
      + parkedLines(in: messages)
  }

  private func servicesWait(in messages: Messages) -> [String] {
    waitsUntil.map { [messages.syncServiceWaits(LocalTime($0).description)] } ?? []
  }

  private func waiting(in messages: Messages) -> [String] {
    if let error = outbox.lastError { return [messages.explainWaiting(error, until: pendingUntil)] }
    return pendingUntil.map { [messages.syncTriedAgain(LocalTime($0).description)] } ?? []
  }

  private func parkedLines(in messages: Messages) -> [String] {
    parked.map { messages.syncParked(messages.name(of: $0), messages.explain($0.reason)) }
  }
}
