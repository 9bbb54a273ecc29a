import CloudRecords
public import Library
public import RecordClient

/// Makes a library and the records of its account agree, a round at a time.
///
///     let engine = SyncEngine(library: library, service: client, now: now)
///     let report = try await engine.round()
///
/// Rounds must not overlap: one process at a time syncs a library.
public struct SyncEngine: Sendable {
  let library: Library
  let service: any RecordAPI
  /// Milliseconds since 1970, UTC.
  let now: @Sendable () -> Int64
  /// Draws numbers, for the times between attempts.
  let random: @Sendable () -> UInt64
  let onProgress: @Sendable (SyncProgress) -> Void
  var rules = SyncRules()

  /// - Parameter onProgress: gets how far a round is, now and then.
  public init(
    library: Library, service: any RecordAPI, now: @escaping @Sendable () -> Int64,
    random: @escaping @Sendable () -> UInt64 = { .random(in: .min ... .max) },
    onProgress: @escaping @Sendable (SyncProgress) -> Void = { _ in }
  ) {
    self.library = library
    self.service = service
    self.now = now
    self.random = random
    self.onProgress = onProgress
  }

  /// Fetches what others changed, then sends what was changed here until nothing waits.
  ///
  /// - Parameter answer: to the question of `massDeletion`, if it was answered. Without one it
  ///   is asked.
  public func round(
    _ answer: MassDeletion.Answer? = nil, on occasion: RoundOccasion = .scheduled
  ) async throws(SyncFailure) -> SyncReport {
    let account = try confirmedAccount()
    do throws(SyncFailure) {
      try endWaits(for: occasion)
      try heedWait(of: account)
      return try await carryOut(answer)
    } catch {
      remember(error, in: account)
      throw error
    }
  }

  private func carryOut(
    _ answer: MassDeletion.Answer?
  ) async throws(SyncFailure) -> SyncReport {
    var report = SyncReport()
    var hasKeptEverything = false
    try await beginningAgain { () async throws(SyncFailure) in
      try await settleRestoration(of: try confirmedAccount(), &report)
      if answer == .keepEverything, !hasKeptEverything {
        try keepEverything()
        hasKeptEverything = true
      }
      let account = try confirmedAccount()
      try await fetch(for: account, answer, &report)
      if try confirmedAccount().owesPreparation { try await prepare(named: account.name) }
      try await send(for: account, &report)
      try await learnServiceID()
    }
    let now = now()
    try update { account in
      account.syncedAt = now
      (account.failure, account.failingSince, account.wait) = (nil, nil, nil)
    }
    try transaction { transaction in
      try transaction.emptyTrash(at: now)
      try transaction.forgetDeletedRecords(at: now)
    }
    return report
  }

  /// The maximum number of attempts of one round when the service reports a fork.
  private static let attempts = 5

  /// Runs `body`, and restarts it when it throws `historyForked`.
  ///
  /// - Throws: what `body` throws; `historyForked` only from the last attempt.
  func beginningAgain(
    _ body: () async throws(SyncFailure) -> Void
  ) async throws(SyncFailure) {
    for _ in 1..<Self.attempts {
      do throws(SyncFailure) {
        return try await body()
      } catch {
        guard error == .historyForked else { throw error }
      }
    }
    try await body()
  }

  /// Makes the library belong to an account.
  ///
  /// All that the library holds is to be sent to one that it did not belong to before.
  public func adopt(_ account: SyncAccount) throws(SyncFailure) {
    try transaction { transaction in
      let former = try transaction.account()
      var account = account
      if let former, former.isSame(as: account) {
        let signedIn = account
        account = former
        // The service may be at another address now.
        account.origin = signedIn.origin
        account.serviceID = signedIn.serviceID ?? former.serviceID
        account.name = signedIn.name ?? former.name
        account.isConfirmed = signedIn.isConfirmed
        // A new sign-in clears the last failure.
        (account.failure, account.failingSince) = (nil, nil)
      }
      try transaction.setAccount(account)
      if former?.isSame(as: account) != true { try transaction.sendEverything(at: now()) }
    }
  }

  /// Forgets all record states and queues every entry for upload.
  private func keepEverything() throws(SyncFailure) {
    try transaction { transaction in
      try transaction.forgetRecords()
      try transaction.sendEverything(at: now())
      guard var account = try transaction.account() else { return }
      // It may be gone with the rest, and is made again at the next sign-in.
      account.hasProfile = false
      try transaction.setAccount(account)
    }
  }

  // MARK: The library

  private func confirmedAccount() throws(SyncFailure) -> SyncAccount {
    guard let account = try account() else { throw .signedOut }
    guard account.isConfirmed else { throw .unconfirmed }
    return account
  }

  func account() throws(SyncFailure) -> SyncAccount? {
    do { return try library.syncAccount() } catch { throw .library(error) }
  }

  @discardableResult
  func transaction<Value>(
    _ body: (inout SyncTransaction) throws -> Value
  ) throws(SyncFailure) -> Value {
    do { return try library.sync(body).value } catch { throw .library(error) }
  }

  /// Changes what is known of the account.
  func update(_ body: (inout SyncAccount) -> Void) throws(SyncFailure) {
    try transaction { transaction in
      guard var account = try transaction.account() else { return }
      body(&account)
      try transaction.setAccount(account)
    }
  }

  // MARK: The service

  /// - Throws: `historyForked` where the answer is one of a service that went back: nothing of it
  ///   may be merged with what is known here.
  func call<E: Endpoint>(
    _ endpoint: E.Type, _ request: E.Request
  ) async throws(SyncFailure) -> E.Response {
    let (answer, isForked) = try await exchange(endpoint, request)
    guard !isForked else { throw .historyForked }
    return answer
  }

  /// Sends a request with the newest tag of the history that is known, and stores what the
  /// answer says about the history, before anything else of it is used.
  ///
  /// - Returns: the answer, and whether the service went back behind what this device knows. It
  ///   is written down then that everything has to be listed.
  func exchange<E: Endpoint>(
    _ endpoint: E.Type, _ request: E.Request
  ) async throws(SyncFailure) -> (answer: E.Response, isForked: Bool) {
    let witness = try account()?.witness
    let reply: ServiceResponse<E.Response>
    do {
      reply = try await service.call(endpoint, request, witness: witness)
    } catch {
      if case .service(let refusal) = error,
        try learn(refusal.history, after: witness)
      {
        throw .historyForked
      }
      throw .call(error)
    }
    return (reply.body, try learn(reply.history, after: witness))
  }

  /// Stores what an answer says about the history.
  ///
  /// - Parameter witness: of the request.
  /// - Returns: whether the service went back behind what this device knows.
  private func learn(
    _ history: HistoryReport?, after witness: String?
  ) throws(SyncFailure) -> Bool {
    guard let history else { return false }
    // A witness that is too old to be judged may be one of another history, too.
    let isForked = history.verdict != .current || history.tokenProblem == .forked
    if isForked {
      // The listing learns a new witness with its first page.
      try update { account in
        account.owesListing = rules.remembersFork
        account.witness = nil
      }
    } else if history.newest != witness {
      try update { $0.witness = history.newest }
    }
    return isForked
  }

  /// Looks records up, however many there are.
  ///
  /// - Returns: one for each name, in their order; an error is one of `NOT_FOUND`.
  func lookUp(_ names: [String]) async throws(SyncFailure) -> [RecordResult] {
    var results: [RecordResult] = []
    var rest = names[...]
    while !rest.isEmpty {
      let part = rest.prefix(Limits.operations)
      rest = rest.dropFirst(part.count)
      let answer = try await call(
        RecordsLookup.self, RecordsLookup.Request(records: part.map { .init($0) }))
      guard answer.records.count == part.count else {
        throw .call(.unexpectedResponse(UnexpectedResponse(status: 200, .wrongCount)))
      }
      for result in answer.records {
        if let error = result.error, !error.code.isNotFound { throw .call(.service(error)) }
        results.append(result)
      }
    }
    return results
  }
}

/// What a round did.
public struct SyncReport: Hashable, Sendable {
  /// Records that were taken from the server, or looked at and left.
  public var received = 0
  /// Deletions of other devices that were carried out here.
  public var deleted = 0
  /// Changes that the server acknowledged.
  public var sent = 0
  /// Changes that are not tried any more until the thing changes.
  public var parked = 0
  /// Texts that gave way where an earlier state of the library was put back, and that the trash
  /// keeps.
  public var trashed = 0

  /// Of a round that did nothing.
  public init() {}
}

/// How far a round is.
public enum SyncProgress: Hashable, Sendable {
  /// - Parameter records: so far; nobody knows how many there are.
  case receiving(records: Int)
  case sending(done: Int, of: Int)
}

extension ErrorCode {
  var isNotFound: Bool { self == .notFound || self == .unknownItem }
}
