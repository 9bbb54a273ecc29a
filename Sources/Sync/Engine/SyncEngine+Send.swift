import CloudRecords
import FoundationEssentials
import Library
import RecordClient

// Sending the changes of this device.
extension SyncEngine {
  /// An operation, and the change that it sends.
  private struct BatchItem {
    let operation: RecordsModify.Operation
    let change: PendingChange
    let name: String
    /// `change.sent` before this attempt.
    let previouslySent: Data?
  }

  /// The changes of a batch that need another step after the response.
  private struct FollowUps {
    /// Changes whose record has another version on the service, which must be looked up.
    var conflicts: [(name: String, change: PendingChange)] = []
    /// Names of records that were deleted on the service.
    var deleted: [String] = []
    /// Why sending must stop for now.
    private(set) var failure: ServiceError?
    /// Whether the user or the operator of the service must act.
    private var isStopped = false

    mutating func stop(_ error: ServiceError) { (failure, isStopped) = (error, true) }

    /// Adds a failure that is transient. Of several, the one with the longest wait remains.
    mutating func postpone(_ error: ServiceError) {
      guard !isStopped else { return }
      if let known = failure, known.retryAfter ?? 0 >= error.retryAfter ?? 0 { return }
      failure = error
    }
  }

  /// The number of attempts after which a conflicting change waits before the next one, and a
  /// record that the service does not create is parked.
  private static let attemptLimit = 8
  /// How long saves wait if the account's storage is full, in milliseconds: one hour.
  private static let quotaPause: Int64 = 3_600_000

  /// Sends the changes that are due when the function is called, in batches. After a failed attempt
  /// a change is not sent again by the same call, even if its wait is shorter than the call.
  func send(for account: SyncAccount, _ report: inout SyncReport) async throws(SyncFailure) {
    let total = try count()
    let start = now()
    var done = 0
    var lookedUp: Set<String> = []
    while true {
      try await lookUpUnconfirmedSaves(for: account, dueAt: start, except: &lookedUp)
      let items = try nextItems(for: account, dueAt: start, &report)
      guard !items.isEmpty else { return }
      try await send(items, for: account, since: start, &report)
      done += items.count
      onProgress(.sending(done: done, of: max(done, total)))
    }
  }

  /// The number of changes in the outbox that are not parked.
  private func count() throws(SyncFailure) -> Int {
    do { return try library.outboxSummary().count } catch { throw .library(error) }
  }

  // MARK: Before the request

  /// Looks up the records of things that were changed again after an unconfirmed save. If that save
  /// was carried out, the next one would conflict with it, and a listing may not contain the record
  /// yet. If the lookup finds no new version, the save remains unconfirmed: it may still arrive.
  ///
  /// - Parameter lookedUp: The names that are not looked up again. The function adds those that it
  ///   looks up.
  private func lookUpUnconfirmedSaves(
    for account: SyncAccount, dueAt start: Int64, except lookedUp: inout Set<String>
  ) async throws(SyncFailure) {
    let (user, now) = (account.userRecordName, now())
    let names = try transaction { transaction in
      try transaction.due(at: start, limit: Limits.operations).flatMap { change in
        try Self.unconfirmedNames(for: change, of: user, transaction)
      }
    }.filter { lookedUp.insert($0).inserted }
    guard !names.isEmpty else { return }
    let results = try await lookUp(names)
    try await confirmEpoch()
    try transaction { transaction in
      let applier = try RecordApplier(user: user, now: now, account: transaction.account())
      for record in results.compactMap(\.record) { try applier.apply(record, in: &transaction) }
    }
  }

  /// Returns the names of the records that an unconfirmed save may have created or changed; empty
  /// if there is no such save, or if the same fields are sent again.
  private static func unconfirmedNames(
    for change: PendingChange, of user: String, _ transaction: SyncTransaction
  ) throws -> [String] {
    let saves = change.unconfirmedSaves
    guard !saves.isEmpty else { return [] }
    if !change.isDeletion,
      let record = try operations(for: change, of: user, transaction).first?.record
    {
      let fields = try CanonicalJSON.encode(record.fields)
      if saves.contains(where: { $0.fields == fields }) { return [] }
    }
    let states = try transaction.states(of: change.thing)
    return states.isEmpty ? [change.sentName(of: user)].compactMap { $0 } : states.map(\.name)
  }

  /// Returns the operations of the next batch; empty if no change is due. Stores its saves as
  /// unconfirmed saves, and parks changes that are too large.
  private func nextItems(
    for account: SyncAccount, dueAt start: Int64, _ report: inout SyncReport
  ) throws(SyncFailure) -> [BatchItem] {
    let user = account.userRecordName
    while true {
      let (items, parked, isEmpty) = try transaction { transaction in
        var candidates: [(RecordsModify.Operation, PendingChange)] = []
        var parked = 0
        let due = try transaction.due(at: start, limit: Limits.operations)
        for var change in due {
          let operations = try Self.operations(for: change, of: user, transaction)
          guard !operations.isEmpty else {
            if change.isDeletion {
              // The service does not have these records. They were to be created again, but the
              // thing was deleted since.
              for state in try transaction.states(of: change.thing) {
                try transaction.storeDeletion(of: state, at: start)
                try transaction.removeState(named: state.name)
              }
            }
            try transaction.dequeue(change.thing, generation: change.generation)
            continue
          }
          if let bytes = operations.map({ RecordSize.bytes(of: $0.record) }).max(),
            bytes > Limits.recordBytes
          {
            change.parked = .recordTooLarge(bytes: bytes)
            try transaction.update(change)
            parked += 1
            continue
          }
          candidates += operations.map { ($0, change) }
        }
        // What does not fit into this batch does not count as attempted.
        let request = RecordsModify.Request(operations: candidates.map(\.0))
        let count = request.firstBatch().operations.count
        let items = try candidates.prefix(count).map { operation, change in
          var attempted = change
          attempted.attempts += 1
          if !change.isDeletion {
            attempted.addUnconfirmedSave(try CanonicalJSON.encode(operation.record.fields))
          }
          try transaction.update(attempted)
          return BatchItem(
            operation: operation, change: attempted, name: operation.record.recordName ?? "",
            previouslySent: change.sent)
        }
        return (items, parked, due.isEmpty)
      }
      report.parked += parked
      // If changes were due but none of them needed an operation, further changes may be due.
      if !items.isEmpty || isEmpty { return items }
    }
  }

  /// Returns the operations that send a change; empty if the service already has it.
  private static func operations(
    for change: PendingChange, of user: String, _ transaction: SyncTransaction
  ) throws -> [RecordsModify.Operation] {
    let states = try transaction.states(of: change.thing)
    guard !change.isDeletion, let entry = try transaction.entry(change.thing) else {
      return states.compactMap { state in
        state.tag.map {
          RecordsModify.Operation(
            .delete,
            RecordInput(state.name, type: state.thing.kind.recordType, recordChangeTag: $0))
        }
      }
    }
    var fields = entry.fields(of: user)
    let type = entry.thing.kind.recordType
    guard let state = states.primary(for: entry, of: user) else {
      return [.init(.create, RecordInput(entry.recordName(of: user), type: type, fields: fields))]
    }
    guard let tag = state.tag else {
      // The service does not have the record any more. Create it again, including the fields that
      // other programs added.
      fields.merge(state.fields) { mine, _ in mine }
      return [.init(.create, RecordInput(state.name, type: type, fields: fields))]
    }
    guard state.entry(of: user) != entry else { return [] }
    // Do not change the owner's name that the creator of the record wrote.
    if state.fields[FieldName.ownerRecordName] != nil { fields[FieldName.ownerRecordName] = nil }
    return [
      .init(.update, RecordInput(state.name, type: type, fields: fields, recordChangeTag: tag))
    ]
  }

  // MARK: The request and its results

  /// Sends a batch. If it is too large, or if one of its operations makes the whole request fail,
  /// sends each half on its own.
  private func send(
    _ items: [BatchItem], for account: SyncAccount, since start: Int64,
    _ report: inout SyncReport
  ) async throws(SyncFailure) {
    let operations = items.map(\.operation)
    let results: [RecordResult]
    var isForked = false
    do throws(SyncFailure) {
      let reply = try await exchange(
        RecordsModify.self, RecordsModify.Request(operations: operations))
      results = reply.answer.records
      isForked = reply.isForked
    } catch {
      guard case .call(let error) = error else { throw error }
      if error.shouldSplitBatch, items.count > 1 {
        let middle = items.count / 2
        try await send(Array(items[..<middle]), for: account, since: start, &report)
        return try await send(Array(items[middle...]), for: account, since: start, &report)
      }
      // An error that concerns the records or the storage of the account applies to each item.
      guard let reason = error.ofRecords else { try fail(items, error, since: start) }
      results = items.map { .failure(reason.with(recordName: $0.name)) }
    }
    if let problem = results.problem(for: items.map(\.name)) ?? results.problem(for: operations) {
      try fail(
        items, .unexpectedResponse(UnexpectedResponse(status: 200, problem)), since: start)
    }
    if isForked {
      // Process only the successes, which are certain. The listing that is due compares the other
      // records.
      let succeeded = zip(items, results).filter { $1.error == nil }
      try await process(
        succeeded.map(\.1), of: succeeded.map(\.0), for: account, since: start, &report)
      throw .historyForked
    }
    try await process(results, of: items, for: account, since: start, &report)
  }

  /// Ends the round after a failed request. If the failure is transient, the changes wait before
  /// they are sent again.
  ///
  /// - Throws: `call` with the failure, always.
  private func fail(
    _ items: [BatchItem], _ failure: CallFailure, since start: Int64
  ) throws(SyncFailure) -> Never {
    if failure.isTransient {
      try transaction { transaction in
        for item in items {
          var change = item.change
          change.wait = retryWait(change.attempts, failure.retryAfter, since: start)
          change.lastError = failure.problem
          try transaction.update(change)
        }
      }
    }
    throw .call(failure)
  }

  /// Returns how long a change waits after a number of attempts: at least 1 ms. The user can end
  /// this wait. That the service must not be contacted yet is stored with the account.
  ///
  /// - Parameters:
  ///   - retryAfter: The seconds that the service asked to wait; nil if it did not.
  ///   - start: When sending began, in milliseconds since 1970. The wait counts from then, so that
  ///     the change is not due for the rest of this sending, whatever happens to the clock.
  private func retryWait(_ attempts: Int, _ retryAfter: Double?, since start: Int64) -> Wait {
    var generator = RandomSource(draw: random)
    let delay = Backoff().delay(attempt: attempts, retryAfter: retryAfter, using: &generator)
    return Wait(since: start, until: start + max(1, Int64(delay * 1000)))
  }

  /// A generator of the random numbers that a closure returns.
  private struct RandomSource: RandomNumberGenerator {
    let draw: @Sendable () -> UInt64

    mutating func next() -> UInt64 { draw() }
  }

  /// Applies the results of a batch to the outbox, then merges conflicting records.
  private func process(
    _ results: [RecordResult], of items: [BatchItem], for account: SyncAccount,
    since start: Int64, _ report: inout SyncReport
  ) async throws(SyncFailure) {
    let now = now()
    let (followUps, sent, parked) = try transaction { transaction in
      var followUps = FollowUps()
      var (sent, parked) = (0, 0)
      let listing = try transaction.account()?.listing ?? 0
      // The service has these record types. Try changes again that were parked because the type was
      // missing. This comes first, so that a change that is parked below stays parked.
      for kind in Set(
        zip(items, results).compactMap { $1.record == nil ? nil : $0.change.thing.kind })
      {
        try transaction.retryParked(ofKind: kind) { $0.isOfSchema }
      }
      for (item, result) in zip(items, results) {
        var change = item.change
        switch result {
        case .record(let record):
          try acknowledge(item, record, listing, transaction)
          sent += 1
        case .tombstone:
          try acknowledgeDeletion(item, transaction, at: now)
          sent += 1
        case .failure(let error):
          change.lastError = error.problem
          change.sent = item.previouslySent
          if !change.isDeletion {
            change.addUnconfirmedSave(
              try CanonicalJSON.encode(item.operation.record.fields), wasRefused: true)
          }
          try transaction.setSent(change.sent, of: change.thing)
          switch error.resolution(of: item.operation.operationType) {
          case .succeeded:
            try acknowledgeDeletion(item, transaction, at: now)
            sent += 1
          case .conflict:
            if change.attempts >= Self.attemptLimit {
              change.wait = retryWait(change.attempts, nil, since: start)
            }
            try transaction.update(change)
            followUps.conflicts.append((item.name, change))
          case .deleted:
            followUps.deleted.append(item.name)
          case .notCreated:
            change.lastError = .recordNotCreated(reason: error.reason)
            change.wait = retryWait(change.attempts, error.retryAfter, since: start)
            if change.attempts >= Self.attemptLimit {
              change.parked = change.lastError
              parked += 1
            }
            try transaction.update(change)
          case .retry:
            change.wait = retryWait(change.attempts, error.retryAfter, since: start)
            try transaction.update(change)
            followUps.postpone(error)
          case .waitForQuota:
            change.wait = Wait(since: start, until: start + Self.quotaPause)
            try transaction.update(change)
          case .stop:
            try transaction.update(change)
            followUps.stop(error)
          case .park:
            change.wait = retryWait(change.attempts, nil, since: start)
            change.parked = error.problem
            try transaction.update(change)
            parked += 1
          }
        }
      }
      return (followUps, sent, parked)
    }
    report.sent += sent
    report.parked += parked
    try await merge(followUps, for: account, &report)
    if let failure = followUps.failure { throw .call(.service(failure)) }
  }

  /// Stores the service's version of a record after a save, and removes the change from the outbox
  /// unless the thing was changed again.
  private func acknowledge(
    _ item: BatchItem, _ record: Record, _ listing: Int, _ transaction: SyncTransaction
  ) throws {
    let (name, thing) = (item.name, item.change.thing)
    // The saved record may have replaced a setting that could not be decoded.
    try transaction.setUnreadable(nil, named: name)
    // A response may not contain all fields of the record.
    let known = try transaction.state(named: name)
    var fields = known?.fields ?? [:]
    fields.merge(item.operation.record.fields) { $1 }
    fields.merge(record.fields) { $1 }
    var whole = record
    whole.fields = fields
    var state = try RecordState(whole, of: thing, listing: listing)
    state.formerTags = try known?.tagsOfAncestors ?? transaction.tagsBeforeDeletion(of: name)
    try transaction.store(state)
    if try !transaction.dequeue(thing, generation: item.change.generation) {
      try transaction.clearSent(thing)
    }
  }

  /// Stores that a record was deleted on the service, and removes the change from the outbox if it
  /// was the last record of the thing.
  private func acknowledgeDeletion(
    _ item: BatchItem, _ transaction: SyncTransaction, at now: Int64
  ) throws {
    if let known = try transaction.state(named: item.name) {
      try transaction.storeDeletion(of: known, at: now)
    }
    try transaction.removeState(named: item.name)
    let thing = item.change.thing
    guard try transaction.states(of: thing).isEmpty else { return }
    if try !transaction.dequeue(thing, generation: item.change.generation) {
      try transaction.clearSent(thing)
    }
  }

  /// Looks up the records that conflicted with changes, and merges them. A change stays in the
  /// outbox if the merged entry must be sent.
  private func merge(
    _ followUps: FollowUps, for account: SyncAccount, _ report: inout SyncReport
  ) async throws(SyncFailure) {
    guard !followUps.conflicts.isEmpty || !followUps.deleted.isEmpty else { return }
    let results = try await lookUp(followUps.conflicts.map(\.name))
    try await confirmEpoch()
    let user = account.userRecordName
    let now = now()
    let parked = try transaction { transaction in
      let applier = try RecordApplier(user: user, now: now, account: transaction.account())
      var parked = 0
      let missing = zip(followUps.conflicts, results).filter { $1.record == nil }.map(\.0.name)
      try applier.apply(
        (followUps.deleted + missing).map { RecordDeletion(name: $0) }, in: &transaction)
      for (conflict, result) in zip(followUps.conflicts, results) {
        guard let record = result.record else { continue }
        try applier.apply(record, in: &transaction)
        var change = conflict.change
        // A record that cannot be decoded is not overwritten, unless it is a setting.
        if case .entry = DecodedRecord(record, of: user, as: change.thing) { continue }
        if DecodedRecord.brokenSetting(record, of: user, as: change.thing) != nil { continue }
        change.parked = .recordUnreadable
        try transaction.update(change)
        parked += 1
      }
      return parked
    }
    report.parked += parked
  }
}
