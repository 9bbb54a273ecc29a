import CloudRecords
public import Library
public import RecordClient

/// Syncs a library with the records of its account, one round at a time.
///
///     let engine = SyncEngine(library: library, service: client, now: now)
///     let report = try await engine.round()
///
/// Rounds must not overlap: one process at a time syncs a library (`SyncLease`).
public struct SyncEngine: Sendable {
  let library: Library
  let service: any RecordAPI
  /// Returns the time in milliseconds since 1970, UTC.
  let now: @Sendable () -> Int64
  /// Returns random numbers, for the pauses between attempts.
  let random: @Sendable () -> UInt64
  /// Is called repeatedly with the progress of a round.
  let onProgress: @Sendable (SyncProgress) -> Void
  var storageLimit = StorageLimit()

  /// Creates an engine that syncs a library with its service.
  ///
  /// - Parameters:
  ///   - library: The library to sync.
  ///   - service: The service, for the account of the library.
  ///   - now: Returns the time in milliseconds since 1970, UTC.
  ///   - random: Returns random numbers, for the pauses between attempts.
  ///   - onProgress: A closure that is called repeatedly with the progress of a round.
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

  /// Fetches the changes of other devices, then sends the changes of this one until none is due.
  ///
  /// - Parameters:
  ///   - answer: The user's answer to the question of `massDeletion`; nil to ask.
  ///   - occasion: Why the round begins.
  /// - Returns: What the round did.
  /// - Throws: The reason why the round failed. No data is lost, and the next round continues.
  public func round(
    _ answer: MassDeletion.Answer? = nil, on occasion: RoundOccasion = .scheduled
  ) async throws(SyncFailure) -> SyncReport {
    var report = SyncReport()
    try await round(answer, on: occasion, addingTo: &report)
    return report
  }

  /// Does the same as `round(_:on:)`, and reports also what a round that failed has done.
  ///
  /// - Parameter report: What the round did is added to it.
  /// - Throws: The reason why the round failed.
  public func round(
    _ answer: MassDeletion.Answer?, on occasion: RoundOccasion, addingTo report: inout SyncReport
  ) async throws(SyncFailure) {
    let account = try confirmedAccount()
    do throws(SyncFailure) {
      // The container's schema may have changed.
      if occasion != .scheduled { try transaction { try $0.retryParked { $0.isOfSchema } } }
      try checkWait(of: account)
      if occasion == .asked { try transaction { try $0.endWaits() } }
      try await run(answer, &report)
    } catch {
      store(error)
      throw error
    }
  }

  /// Runs a round. The caller has checked the waits, and stores a failure.
  private func run(
    _ answer: MassDeletion.Answer?, _ report: inout SyncReport
  ) async throws(SyncFailure) {
    try await restartingAfterForks { () async throws(SyncFailure) in
      try await applyRestoration(of: try confirmedAccount(), &report)
      let account = try confirmedAccount()
      try await fetch(for: account, answer, &report)
      if try confirmedAccount().needsPreparation {
        // The library stores the user record name of an account that has no name.
        let name = account.name == account.userRecordName ? nil : account.name
        try await prepareAccount(named: name, isFetched: true)
      }
      try await send(for: account, &report)
      try await fetchServiceID()
    }
    let now = now()
    try update { account in
      account.syncedAt = now
      (account.failure, account.failingSince, account.wait) = (nil, nil, nil)
    }
    try transaction { transaction in
      try transaction.deleteExpired(at: now)
    }
  }

  /// The maximum number of attempts of one round when the service reports a fork.
  private static let attempts = 5

  /// Runs a closure, and runs it again if it throws `historyForked`: at most five times in all.
  ///
  /// - Throws: The error of the closure; `historyForked` only if the last attempt throws it.
  func restartingAfterForks(
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

  /// Assigns the library to an account. If it belonged to another account or to none, all of its
  /// entries are queued for upload. If the library is a copy from before it was connected, the user
  /// must choose a version before the first round (`SyncAccount.restoration`).
  ///
  /// - Parameter account: The account that the user signed in to.
  /// - Throws: `library` if the library cannot be changed.
  public func adopt(_ account: SyncAccount) throws(SyncFailure) {
    try transaction { transaction in
      let previous = try transaction.account()
      var account = account
      if let previous, previous.isSame(as: account) {
        let signedIn = account
        account = previous
        // The service may be at another address now.
        account.origin = signedIn.origin
        account.serviceID = signedIn.serviceID ?? previous.serviceID
        account.name = signedIn.name ?? previous.name
        account.isConfirmed = signedIn.isConfirmed
        // A new sign-in clears the last failure.
        (account.failure, account.failingSince) = (nil, nil)
      }
      // The service may have a later state of the library than this copy.
      let isRestored =
        try previous == nil && library.isFromBeforeConnection
        && !transaction.thingsWithoutRecords().isEmpty
      if isRestored { account.restoration = .undecided }
      try transaction.setAccount(account)
      if previous?.isSame(as: account) != true {
        // A deletion that was made without this account does not concern its records.
        if !isRestored { try transaction.dequeueDeletionsWithoutRecords() }
        try transaction.enqueueEverything()
      }
      if isRestored { try transaction.markOutboxRestored() }
    }
  }

  // MARK: The library

  /// Returns the account of the library.
  ///
  /// - Throws: `signedOut` if the library has no account, `unconfirmed` if the user has not
  ///   confirmed it.
  private func confirmedAccount() throws(SyncFailure) -> SyncAccount {
    guard let account = try account() else { throw .signedOut }
    guard account.isConfirmed else { throw .unconfirmed }
    return account
  }

  /// Returns the account of the library; nil if it has none.
  func account() throws(SyncFailure) -> SyncAccount? {
    do { return try library.syncAccount() } catch { throw .library(error) }
  }

  /// Runs a closure in a transaction of the library.
  ///
  /// - Throws: `library` if the transaction fails.
  @discardableResult
  func transaction<Value>(
    _ body: (inout SyncTransaction) throws -> Value
  ) throws(SyncFailure) -> Value {
    do { return try library.sync(body).value } catch { throw .library(error) }
  }

  /// Changes the stored account, if there is one.
  func update(_ body: (inout SyncAccount) -> Void) throws(SyncFailure) {
    try transaction { transaction in
      guard var account = try transaction.account() else { return }
      body(&account)
      try transaction.setAccount(account)
    }
  }

  // MARK: The service

  /// Sends a request.
  ///
  /// - Throws: `call` if the request fails; `historyForked` if the service's history was rolled
  ///   back. In that case the response must not be merged with the record states that are known
  ///   here.
  func call<E: Endpoint>(
    _ endpoint: E.Type, _ request: E.Request
  ) async throws(SyncFailure) -> E.Response {
    let (answer, isForked) = try await exchange(endpoint, request)
    guard !isForked else { throw .historyForked }
    return answer
  }

  /// Sends a request with the newest tag of the history that this device knows. Stores what the
  /// response reports about the history, before the rest of the response is used.
  ///
  /// - Returns: The response, and whether the service's history was rolled back behind what this
  ///   device knows. If it was, `needsListing` has been stored.
  /// - Throws: `call` if the request fails; `historyForked` if an error of the service reports that
  ///   its history was rolled back.
  func exchange<E: Endpoint>(
    _ endpoint: E.Type, _ request: E.Request
  ) async throws(SyncFailure) -> (answer: E.Response, isForked: Bool) {
    let witness = try account()?.witness
    let reply: ServiceResponse<E.Response>
    do {
      reply = try await service.call(endpoint, request, witness: witness)
    } catch {
      if case .service(let refusal) = error,
        try store(refusal.history, after: witness)
      {
        throw .historyForked
      }
      throw .call(error)
    }
    return (reply.body, try store(reply.history, after: witness))
  }

  /// Stores what a response reports about the history.
  ///
  /// - Parameters:
  ///   - history: The report; nil if the service does not report its history.
  ///   - witness: The witness of the request.
  /// - Returns: Whether the service's history was rolled back behind what this device knows.
  private func store(
    _ history: HistoryReport?, after witness: String?
  ) throws(SyncFailure) -> Bool {
    guard let history else { return false }
    // The verdict `unknown` counts as forked, because a witness that is too old to be found may
    // also belong to another history.
    let isForked = history.verdict != .current || history.tokenProblem == .forked
    if isForked {
      // The first page of the listing will return a new witness.
      try update { account in
        account.needsListing = true
        account.witness = nil
      }
    } else if history.newest != witness {
      try update { $0.witness = history.newest }
    }
    return isForked
  }

  /// Looks up records, in as many requests as necessary.
  ///
  /// - Returns: One result for each name, in the same order. The only errors in it are those of
  ///   records that do not exist.
  func lookUp(_ names: [String]) async throws(SyncFailure) -> [RecordResult] {
    var results: [RecordResult] = []
    for part in names.requestParts() {
      let answer = try await call(
        RecordsLookup.self, RecordsLookup.Request(records: part.map { .init($0) }))
      if let problem = answer.records.problem(for: part) {
        throw .call(.unexpectedResponse(UnexpectedResponse(status: 200, problem)))
      }
      for result in answer.records {
        if let error = result.error, !error.code.isNotFound { throw .call(.service(error)) }
        results.append(result)
      }
    }
    return results
  }
}

/// The result of a round.
public struct SyncReport: Hashable, Sendable {
  /// The number of records that were merged, or that were compared and left unchanged.
  public var received = 0
  /// The number of deletions by other devices that were applied here.
  public var deleted = 0
  /// The number of saves and deletions of records that the service acknowledged.
  public var sent = 0
  /// The number of changes that were parked.
  public var parked = 0
  /// The number of texts that were added to the trash after an earlier state of the library was
  /// restored.
  public var trashed = 0

  /// Creates the report of a round that did nothing.
  public init() {}
}

/// The progress of a round.
public enum SyncProgress: Hashable, Sendable {
  /// Records are being fetched.
  ///
  /// - Parameter records: The number of records so far. The total is unknown.
  case receiving(records: Int)
  /// Changes are being sent.
  ///
  /// - Parameters:
  ///   - done: The number of operations so far, including those that the service refused. A change
  ///     can need several.
  ///   - of: The number of changes in the outbox when sending began, or `done` if that is larger.
  case sending(done: Int, of: Int)
}

extension Array {
  /// The elements in parts that are small enough for one request each.
  ///
  /// - Parameter reserved: The number of other elements that each request has.
  func requestParts(reserving reserved: Int = 0) -> [ArraySlice<Element>] {
    let size = Limits.operations - reserved
    return stride(from: 0, to: count, by: size).map { self[$0...].prefix(size) }
  }
}

extension ErrorCode {
  /// Whether a record or another resource does not exist.
  var isNotFound: Bool { self == .notFound || self == .unknownItem }
}
