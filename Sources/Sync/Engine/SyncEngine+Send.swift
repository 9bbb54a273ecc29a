import CloudRecords
import FoundationEssentials
import Library
import RecordClient

// Sending what was changed here.
extension SyncEngine {
  /// One operation, and the change it carries.
  private struct BatchItem {
    let operation: RecordsModify.Operation
    let change: PendingChange
    let name: String
    /// The fields of an attempt before this one whose outcome is unknown; nil where there is none.
    let formerlySent: Data?
  }

  /// Changes that need another step after the response.
  private struct FollowUps {
    /// Somebody else's version is there: to be looked up.
    var contested: [BatchItem] = []
    /// Names of what is gone from the server, though it was known there.
    var gone: [String] = []
    /// Why sending has to stop for now.
    var failure: ServiceError?
  }

  /// How often a change is tried in a row before it waits like one that failed.
  private static let patience = 8
  /// How long saves wait where the account is full, in milliseconds.
  private static let fullPause: Int64 = 3_600_000

  /// Sends until nothing is due any more.
  func send(for account: SyncAccount, _ report: inout SyncReport) async throws(SyncFailure) {
    let total = try count()
    var done = 0
    while true {
      try await findDoubted(for: account)
      let items = try load(for: account, &report)
      guard !items.isEmpty else { return }
      var rest = items[...]
      let request = RecordsModify.Request(operations: items.map(\.operation))
      for batch in Batches(of: request) {
        let part = Array(rest.prefix(batch.operations.count))
        rest = rest.dropFirst(part.count)
        try await send(part, for: account, &report)
        done += part.count
        onProgress(.sending(done: done, of: max(done, total)))
      }
    }
  }

  private func count() throws(SyncFailure) -> Int {
    do { return try library.outboxSummary().count } catch { throw .library(error) }
  }

  // MARK: Before

  /// Looks whether saves arrived that nobody heard of, where something else is wanted by now.
  /// What is sent next takes the place of what is known of them; no listing may tell of them
  /// yet; and without them one's own change is taken for somebody else's.
  private func findDoubted(for account: SyncAccount) async throws(SyncFailure) {
    let (user, now) = (account.userRecordName, now())
    let doubted = try transaction { transaction in
      try transaction.due(at: now, limit: Limits.operations).flatMap { change in
        try Self.doubtedNames(for: change, of: user, transaction).map { (change.thing, $0) }
      }
    }
    guard !doubted.isEmpty else { return }
    let results = try await lookUp(doubted.map(\.1))
    try await confirmEpoch()
    try transaction { transaction in
      let listing = try transaction.account()?.listing ?? 0
      let intake = Intake(user: user, now: now, listing: listing, rules: rules)
      for ((thing, _), result) in zip(doubted, results) {
        if let record = result.record { try intake.receive(record, in: &transaction) }
        try transaction.forgetSent(thing)
      }
    }
  }

  /// The names of the records that an attempt may have made or changed, where its outcome is not
  /// known and something else is to be sent now.
  private static func doubtedNames(
    for change: PendingChange, of user: String, _ transaction: SyncTransaction
  ) throws -> [String] {
    guard let sent = change.sent else { return [] }
    if !change.isDeletion,
      let fields = try operations(for: change, of: user, transaction).first?.record.fields,
      try CanonicalJSON.encode(fields) == sent
    {
      return []
    }
    let states = try transaction.states(of: change.thing)
    return states.isEmpty ? [change.sentName(of: user)].compactMap { $0 } : states.map(\.name)
  }

  /// Makes operations of what is due, and writes down what will have been sent.
  private func load(
    for account: SyncAccount, _ report: inout SyncReport
  ) throws(SyncFailure) -> [BatchItem] {
    let user = account.userRecordName
    let now = now()
    while true {
      let (items, parked, isEmpty) = try transaction { transaction in
        var items: [BatchItem] = []
        var parked = 0
        let due = try transaction.due(at: now, limit: Limits.operations)
        for var change in due {
          let operations = try Self.operations(for: change, of: user, transaction)
          guard !operations.isEmpty else {
            if change.isDeletion {
              // Of what was to be made again, and is not wanted any more.
              for state in try transaction.states(of: change.thing) {
                try transaction.removeState(named: state.name)
              }
            }
            try transaction.drop(change.thing, generation: change.generation)
            continue
          }
          if let bytes = operations.map({ RecordSize.bytes(of: $0.record) }).max(),
            bytes > Limits.recordBytes
          {
            change.parked = .recordTooLarge(bytes: bytes)
            try transaction.keep(change)
            parked += 1
            continue
          }
          change.attempts += 1
          let formerlySent = change.sent
          change.sent =
            change.isDeletion
            ? nil : try operations.first.map { try CanonicalJSON.encode($0.record.fields) }
          try transaction.keep(change)
          items += operations.map {
            BatchItem(
              operation: $0, change: change, name: $0.record.recordName ?? "",
              formerlySent: formerlySent)
          }
        }
        return (items, parked, due.isEmpty)
      }
      report.parked += parked
      // What was due may all have turned out to be nothing.
      if !items.isEmpty || isEmpty { return items }
    }
  }

  /// What brings a change to the server: nothing where it is there already.
  private static func operations(
    for change: PendingChange, of user: String, _ transaction: SyncTransaction
  ) throws -> [RecordsModify.Operation] {
    let states = try transaction.states(of: change.thing)
    guard !change.isDeletion, let entry = try transaction.entry(change.thing) else {
      return states.compactMap { state in
        state.tag.map {
          RecordsModify.Operation(
            .delete,
            RecordInput(state.name, type: state.thing.recordKind.rawValue, recordChangeTag: $0))
        }
      }
    }
    var fields = entry.fields(of: user)
    let kind = entry.kind.rawValue
    guard let state = states.primary(for: entry, of: user) else {
      return [.init(.create, RecordInput(entry.recordName(of: user), type: kind, fields: fields))]
    }
    guard let tag = state.tag else {
      // It was deleted elsewhere: it comes back with what others had put into it.
      fields.merge(state.fields) { mine, _ in mine }
      return [.init(.create, RecordInput(state.name, type: kind, fields: fields))]
    }
    guard state.entry(of: user) != entry else { return [] }
    // Whose it is was said by whoever made it.
    if state.fields[FieldName.ownerRecordName] != nil { fields[FieldName.ownerRecordName] = nil }
    return [
      .init(.update, RecordInput(state.name, type: kind, fields: fields, recordChangeTag: tag))
    ]
  }

  // MARK: After

  /// Sends a batch, in halves where it is too large or one of it spoils it.
  private func send(
    _ items: [BatchItem], for account: SyncAccount, _ report: inout SyncReport
  ) async throws(SyncFailure) {
    let results: [RecordResult]
    var isForked = false
    do throws(SyncFailure) {
      let reply = try await exchange(
        RecordsModify.self, RecordsModify.Request(operations: items.map(\.operation)))
      results = reply.answer.records
      isForked = reply.isForked
    } catch {
      guard case .call(let error) = error else { throw error }
      if error.shouldSplitBatch, items.count > 1 {
        let middle = items.count / 2
        try await send(Array(items[..<middle]), for: account, &report)
        return try await send(Array(items[middle...]), for: account, &report)
      }
      // Of one record, or of the account: no matter of the way there.
      guard let reason = error.ofRecords else { return try postpone(items, error) }
      results = items.map { .failure(reason.with(recordName: $0.name)) }
    }
    guard results.count == items.count else {
      return try postpone(
        items,
        .unexpectedResponse(UnexpectedResponse(status: 200, .wrongCount)))
    }
    if isForked, rules.takesOnlySuccesses {
      // Only what succeeded is certain: other records are compared by the listing that is due.
      let succeeded = zip(items, results).filter { $1.error == nil }
      try await settle(succeeded.map(\.0), succeeded.map(\.1), for: account, &report)
      throw .historyForked
    }
    try await settle(items, results, for: account, &report)
    if isForked { throw .historyForked }
  }

  /// Lets changes wait whose outcome is not known, and ends the round.
  private func postpone(_ items: [BatchItem], _ failure: CallFailure) throws(SyncFailure) {
    if failure.isTransient {
      let now = now()
      try transaction { transaction in
        for item in items {
          var change = item.change
          change.wait = wait(change.attempts, failure.retryAfter, at: now)
          change.lastError = failure.problem
          try transaction.keep(change)
        }
      }
    }
    throw .call(failure)
  }

  /// How long a change is not tried again.
  private func wait(_ attempts: Int, _ retryAfter: Double?, at now: Int64) -> Wait {
    var draws = Draws(draw: random)
    let delay = Backoff().delay(attempt: attempts, retryAfter: retryAfter, using: &draws)
    return Wait(since: now, until: now + Int64(delay * 1000), isServices: retryAfter != nil)
  }

  private struct Draws: RandomNumberGenerator {
    let draw: @Sendable () -> UInt64

    mutating func next() -> UInt64 { draw() }
  }

  /// Notes what became of each change, then looks at what others have there.
  private func settle(
    _ items: [BatchItem], _ results: [RecordResult], for account: SyncAccount,
    _ report: inout SyncReport
  ) async throws(SyncFailure) {
    let now = now()
    let (followUps, sent, parked) = try transaction { transaction in
      var followUps = FollowUps()
      var (sent, parked) = (0, 0)
      let listing = try transaction.account()?.listing ?? 0
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
          // It did not arrive; of an attempt before it that is still unknown.
          change.sent = item.formerlySent
          switch error.fate(of: item.operation.operationType) {
          case .done:
            try acknowledgeDeletion(item, transaction, at: now)
            sent += 1
          case .contested:
            followUps.contested.append(item)
            if change.attempts >= Self.patience {
              change.wait = wait(change.attempts, nil, at: now)
            }
            try transaction.keep(change)
          case .gone:
            followUps.gone.append(item.name)
          case .notCreated:
            change.lastError = .recordNotCreated(reason: error.reason)
            if change.attempts < Self.patience {
              change.wait = wait(change.attempts, error.retryAfter, at: now)
            } else {
              change.parked = change.lastError
              parked += 1
            }
            try transaction.keep(change)
          case .later:
            change.wait = wait(change.attempts, error.retryAfter, at: now)
            try transaction.keep(change)
            followUps.failure = followUps.failure ?? error
          case .whenThereIsRoom:
            change.wait = Wait(since: now, until: now + Self.fullPause)
            try transaction.keep(change)
          case .stop:
            try transaction.keep(change)
            followUps.failure = error
          case .never:
            change.parked = error.problem
            try transaction.keep(change)
            parked += 1
          }
        }
      }
      // The service accepted records of these types, so changes that were parked because a type
      // was missing can be tried again.
      for kind in Set(
        zip(items, results).compactMap { $1.record == nil ? nil : $0.change.thing.kind })
      {
        try transaction.retryParked(ofKind: kind) { $0.isOfSchema }
      }
      return (followUps, sent, parked)
    }
    report.sent += sent
    report.parked += parked
    try await lookUp(followUps, for: account, &report)
    if let failure = followUps.failure { throw .call(.service(failure)) }
  }

  private func acknowledge(
    _ item: BatchItem, _ record: Record, _ listing: Int, _ transaction: SyncTransaction
  ) throws {
    let (name, thing) = (item.name, item.change.thing)
    // An answer may tell less than there is.
    let known = try transaction.state(named: name)
    var fields = known?.fields ?? [:]
    fields.merge(item.operation.record.fields) { $1 }
    fields.merge(record.fields) { $1 }
    var whole = record
    whole.fields = fields
    var state = try RecordState(whole, of: thing, listing: listing)
    state.formerTags = try known?.tagsOfAncestors ?? transaction.tagsBeforeDeletion(of: name)
    try transaction.store(state)
    let generation = rules.countsGenerations ? item.change.generation : nil
    if try !transaction.drop(thing, generation: generation) {
      try transaction.forgetSent(thing)
    }
  }

  private func acknowledgeDeletion(
    _ item: BatchItem, _ transaction: SyncTransaction, at now: Int64
  ) throws {
    if let known = try transaction.state(named: item.name) {
      try transaction.remember(known, at: now)
    }
    try transaction.removeState(named: item.name)
    let thing = item.change.thing
    guard try transaction.states(of: thing).isEmpty else { return }
    try transaction.drop(thing, generation: item.change.generation)
  }

  /// Merges what stood in the way of changes. They stay in the outbox where the server has to
  /// hear of what comes of it.
  private func lookUp(
    _ followUps: FollowUps, for account: SyncAccount, _ report: inout SyncReport
  ) async throws(SyncFailure) {
    guard !followUps.contested.isEmpty || !followUps.gone.isEmpty else { return }
    let results = try await lookUp(followUps.contested.map(\.name))
    try await confirmEpoch()
    let user = account.userRecordName
    let now = now()
    let parked = try transaction { transaction in
      let listing = try transaction.account()?.listing ?? 0
      let intake = Intake(user: user, now: now, listing: listing, rules: rules)
      var parked = 0
      for name in followUps.gone { try intake.lose(name, in: &transaction) }
      for (item, result) in zip(followUps.contested, results) {
        guard let record = result.record else {
          try intake.lose(item.name, in: &transaction)
          continue
        }
        try intake.receive(record, in: &transaction)
        // What cannot be read is not overwritten, but for the value of a setting.
        if case .entry = RecordReading(record, of: user) { continue }
        if RecordReading.brokenSetting(record, of: user) != nil { continue }
        var change = item.change
        change.parked = .recordUnreadable
        try transaction.keep(change)
        parked += 1
      }
      return parked
    }
    report.parked += parked
  }
}

/// What becomes of a change that was refused.
private enum Fate {
  /// It is as if it had been carried out.
  case done
  /// Another version of the record is there.
  case contested
  /// The record is not there any more.
  case gone
  /// The service has no place for a record that is new to it.
  case notCreated
  case later
  case whenThereIsRoom
  /// The reader or the operator must act; the round stops.
  case stop
  case never
}

extension ServiceError {
  /// By the code, never by an HTTP status alone.
  fileprivate func fate(of operation: RecordsModify.OperationType) -> Fate {
    switch code {
    case .conflict, .exists, .serverRecordChanged: .contested
    case .notFound, .unknownItem:
      switch operation {
      case .delete: .done
      case .create: .notCreated
      default: .gone
      }
    case .quotaExceeded: operation == .delete ? .later : .whenThereIsRoom
    case .authenticationRequired, .authenticationFailed, .accessDenied, .zoneNotFound: .stop
    case _ where code.isTransient: .later
    default: .never
    }
  }
}

extension CallFailure {
  /// The error where it is one of what was sent, and not of the way or of who asks.
  fileprivate var ofRecords: ServiceError? {
    switch self {
    case .service(let error):
      switch error.fate(of: .update) {
      case .never, .whenThereIsRoom: error
      default: nil
      }
    case .unexpectedResponse(let answer) where answer.status == 413: ServiceError(.limitExceeded)
    default: nil
    }
  }
}
