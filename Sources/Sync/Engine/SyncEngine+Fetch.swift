import CloudRecords
import FoundationEssentials
import Library
import RecordClient

// Fetching the changes of other devices.
extension SyncEngine {
  /// The state of one fetch, which is collected page by page.
  private struct FetchState {
    /// The account at the beginning of the fetch, with the profile that was known then.
    let account: SyncAccount
    var applier: RecordApplier
    /// Records that were deleted on the service. The deletions are applied at the end of the fetch,
    /// because their number decides whether the user is asked first.
    var deletions: [RecordDeletion] = []
    /// Names of records that the service has lost in a rollback. They are created again.
    var lostNames: Set<String> = []
    /// Whether the account was deleted: it has no profile any more, or another one.
    var isProfileGone = false
    /// The profile; nil if it was not read or does not exist.
    var profile: Record?
    /// Whether the profile was looked up.
    var hasLookedUpProfile = false
    /// The sync token from which the next fetch continues; nil if the zone has no feed.
    var syncToken: String?
    /// The kinds of which all records were listed.
    var listed: Set<Thing.Kind> = []
    var pages = PageCounter()
    /// The number of records that were read.
    var count = 0
    /// The failure to throw at the end because some records were not applied; nil if all were
    /// applied. The fetch is incomplete if it is set.
    var storageFailure: SyncFailure?

    /// Counts a page that is not the last one.
    ///
    /// - Parameter applied: The records of the page that were applied.
    mutating func countPage(_ applied: [RecordResult]) throws(SyncFailure) {
      do { try pages.add(applied) } catch { throw storageFailure ?? error }
    }
  }

  /// Fetches the changes of other devices and merges them into the library. Uses the change feed if
  /// the zone has one, otherwise a listing of all records.
  ///
  /// - Parameter answer: The user's answer to the question of `massDeletion`.
  func fetch(
    for account: SyncAccount, _ answer: MassDeletion.Answer?, _ report: inout SyncReport
  ) async throws(SyncFailure) {
    var state = FetchState(
      account: account,
      applier: RecordApplier(
        user: account.userRecordName, now: now(), listing: account.listing,
        isFirstContact: account.listedAt == nil, isForked: account.needsListing))
    let hasFeed = try await hasFeed(account)
    // A first sync that was interrupted has stored a token, and continues from it.
    if hasFeed, !account.needsListing, let token = account.syncToken {
      do {
        try await followFeed(from: token, &state, &report)
        if account.listedAt == nil {
          // The listing is complete now. An earlier one, whose token had expired, may have found
          // records that were deleted since.
          state.listed = Set(Thing.Kind.allCases)
          try await lookUpMissing(&state, &report)
        }
        try await checkProfile(&state, &report)
        return try finish(state, isListing: account.listedAt == nil, answer, &report)
      } catch .call(.service(let error)) where error.invalidatesToken {
        // If the service does not report its history, a token that it does not know belongs to
        // another database. Records that are missing in this database were not deleted.
        if try self.account()?.witness == nil, error.meaning != .expiredSyncToken {
          try update { $0.needsListing = true }
          state.applier.isForked = true
        }
        (state.deletions, state.lostNames) = ([], [])
        (state.profile, state.isProfileGone, state.hasLookedUpProfile) = (nil, false, false)
      }
    }
    state.applier.listing = try beginListing()
    state.pages.beginListing()
    try await listAll(byFeed: hasFeed, &state, &report)
    try await lookUpMissing(&state, &report)
    try await checkProfile(&state, &report)
    try finish(state, isListing: true, answer, &report)
  }

  /// Whether the zone has a change feed, which is the case if `zones/list` returns a sync token for
  /// it. The answer is stored.
  private func hasFeed(_ account: SyncAccount) async throws(SyncFailure) -> Bool {
    if let known = account.hasFeed { return known }
    let answer = try await call(ZonesList.self, EmptyBody())
    let zone = answer.zones.compactMap(\.value).first { $0.zoneID.isDefault }
    let hasFeed = zone?.syncToken != nil
    try update { $0.hasFeed = hasFeed }
    return hasFeed
  }

  /// Starts a listing.
  ///
  /// - Returns: The number of the new listing.
  private func beginListing() throws(SyncFailure) -> Int {
    try transaction { transaction in
      guard var account = try transaction.account() else { return 0 }
      account.listing += 1
      try transaction.setAccount(account)
      return account.listing
    }
  }

  /// Lists all records: by reading the feed from its beginning, or by querying each kind.
  private func listAll(
    byFeed hasFeed: Bool, _ state: inout FetchState, _ report: inout SyncReport
  ) async throws(SyncFailure) {
    if hasFeed {
      do {
        try await followFeed(from: nil, &state, &report)
        state.listed = Set(Thing.Kind.allCases)
        return
      } catch .call(.service(let error)) where error.code == .badRequest {
        // The service refuses to return the feed, although it returned a sync token for the zone.
        try update { $0.hasFeed = false }
      }
    }
    for kind in Thing.Kind.allCases { try await list(kind, &state, &report) }
  }

  // MARK: The feed

  /// Reads the feed from a token to its end. Pages before the end may be empty.
  ///
  /// - Parameter start: The sync token; nil for the beginning of the feed.
  private func followFeed(
    from start: String?, _ state: inout FetchState, _ report: inout SyncReport
  ) async throws(SyncFailure) {
    var token = start
    while true {
      let request = ChangesZone.Request(zones: [.init(.default, syncToken: token)])
      let page: ChangesZone.Page
      switch try await call(ChangesZone.self, request).zones.first {
      case .success(let zone): page = zone
      case .failure(let error): throw .call(.service(error))
      case nil: throw .call(.unexpectedResponse(UnexpectedResponse(status: 200, .noZone)))
      }
      let applied = try await apply(page.records, &state, &report)
      // A feed that returns the same token with `moreComing` would never end. Without a token the
      // feed cannot be continued.
      guard let next = page.syncToken, !page.moreComing || next != token else {
        throw .call(.unexpectedResponse(UnexpectedResponse(status: 200, .endlessFeed)))
      }
      token = next
      state.syncToken = next
      guard page.moreComing else { return }
      // Deletions that are held back must be read again.
      if start != nil || state.applier.isFirstContact && !state.applier.isForked,
        state.deletions.isEmpty, !state.isProfileGone, state.storageFailure == nil
      {
        let profile = state.profile
        try update {
          $0.syncToken = next
          if let profile { $0.setProfile(profile) }
        }
      }
      try state.countPage(applied)
    }
  }

  /// Checks that the service has not been restored from a backup since the last fetch, if it does
  /// not report its history. After a restore, its records would not be later versions of the
  /// records known here. In that case this throws a transient failure, and the next round detects
  /// the restored service and sends the records again.
  func confirmEpoch() async throws(SyncFailure) {
    guard let account = try account(), account.witness == nil, account.hasFeed == true,
      let token = account.syncToken
    else { return }
    let request = ChangesZone.Request(
      zones: [.init(.default, syncToken: token, resultsLimit: 1)])
    // An expired token still proves that the database is the same.
    if let error = try await call(ChangesZone.self, request).zones.first?.error,
      error.meaning != .expiredSyncToken
    {
      // The next round handles the restored service, so the failure must be a transient one.
      throw .call(
        .service(
          error.invalidatesToken ? ServiceError(.tryAgainLater, reason: error.reason) : error))
    }
  }

  /// Applies a page in one transaction. If a record was created again, the profile is looked up
  /// first, because the whole account may have been deleted.
  ///
  /// - Returns: The records that were applied: all, unless the library has reached its limit.
  @discardableResult
  private func apply(
    _ records: [RecordResult], _ state: inout FetchState, _ report: inout SyncReport
  ) async throws(SyncFailure) -> [RecordResult] {
    if let error = records.lazy.compactMap(\.error).first { throw .call(.service(error)) }
    let existing = records.compactMap(\.record)
    if let profile = existing.first(where: { $0.recordName == state.applier.user }) {
      state.profile = profile
    }
    if state.profile == nil, !state.isProfileGone, !state.hasLookedUpProfile,
      try isAnyReplaced(existing)
    {
      try await lookUpProfile(&state)
    }
    var applier = state.applier
    applier.profileCreatedAt =
      state.isProfileGone && state.profile == nil
      ? .max : state.profile?.createdAt ?? state.account.profileCreatedAt
    let (applied, deletions, lost, isProfileGone, received) = try transaction { transaction in
      let accepted = try storageLimit.accepted(records, of: applier.user, in: transaction)
      var deletions: [RecordDeletion] = []
      var lost: Set<String> = []
      var received = 0
      var kinds: Set<Thing.Kind> = []
      var isProfileGone = false
      for result in accepted {
        switch result {
        case .record(let record):
          if try applier.apply(record, in: &transaction) {
            received += 1
            if let kind = Thing.Kind(recordType: record.recordType) { kinds.insert(kind) }
          }
        case .tombstone(let tombstone):
          if tombstone.recordName == applier.user { isProfileGone = true }
          let name = tombstone.recordName
          // The deletion of a record that is unknown here needs no merge. A record without a tag is
          // to be created again, possibly because of this deletion.
          if let known = try transaction.state(named: name), known.tag != nil {
            if applier.shouldApply(tombstone, to: known) {
              deletions.append(RecordDeletion(name: name, tag: tombstone.deletedChangeTag))
            } else {
              lost.insert(name)
            }
          } else {
            try transaction.setUnreadable(nil, named: name)
          }
        case .failure: break
        }
      }
      // The service has these record types. Try changes again that were parked because the type was
      // missing.
      for kind in kinds { try transaction.retryParked(ofKind: kind) { $0.isOfSchema } }
      return (accepted, deletions, lost, isProfileGone, received)
    }
    if applied.count < records.count { state.storageFailure = storageLimit.failure }
    // Later pages of a feed may be newer than earlier ones: a record that was deleted in an earlier
    // page may have been created again, and the other way round.
    let present = Set(existing.map(\.recordName))
    state.deletions.removeAll { present.contains($0.name) }
    state.deletions += deletions
    state.lostNames = state.lostNames.subtracting(present).union(lost)
    state.isProfileGone =
      isProfileGone || state.isProfileGone && !present.contains(applier.user)
    if isProfileGone { state.profile = nil }
    report.received += received
    state.count += records.count
    onProgress(.receiving(records: state.count))
    return applied
  }

  /// Whether another record than the known one has the name of one of these.
  private func isAnyReplaced(_ records: [Record]) throws(SyncFailure) -> Bool {
    try transaction { transaction in
      try records.contains {
        try transaction.state(named: $0.recordName)?.isReplaced(by: $0) ?? false
      }
    }
  }

  // MARK: The listing

  /// Lists the records of a kind by a query for their owner.
  private func list(
    _ kind: Thing.Kind, _ state: inout FetchState, _ report: inout SyncReport
  ) async throws(SyncFailure) {
    let user = state.applier.user
    var marker: String?
    repeat {
      // If the record type does not exist, no record of the kind was ever saved, so none counts as
      // deleted. After a fork, the service may have lost the type; then all records of the kind
      // count as missing, and are created again.
      guard let answer = try await page(of: kind, owner: user, after: marker) else {
        if state.applier.isForked { state.listed.insert(kind) }
        return
      }
      let records = try await refreshed(answer.records, of: user)
      let applied = try await apply(records, &state, &report)
      marker = answer.continuationMarker
      if marker != nil { try state.countPage(applied) }
    } while marker != nil
    state.listed.insert(kind)
  }

  /// Fetches a page of the records of a kind.
  ///
  /// - Parameters:
  ///   - kind: The kind of the records.
  ///   - user: The user record name of the owner.
  ///   - marker: The continuation marker of the previous page; nil for the first page.
  /// - Returns: The page; nil if the container does not have the record type yet.
  func page(
    of kind: Thing.Kind, owner user: String, after marker: String?
  ) async throws(SyncFailure) -> RecordsQuery.Response? {
    let owners = FieldValue.strings(DecodedRecord.owners(of: user))
    let query = Query(
      kind.recordType, filters: [Filter(FieldName.ownerRecordName, .isIn, owners)])
    do {
      return try await call(
        RecordsQuery.self,
        RecordsQuery.Request(
          query, zoneID: .default, resultsLimit: Limits.pageRecords, continuationMarker: marker))
    } catch .call(.service(let error)) where error.isUnknownType && marker == nil {
      return nil
    }
  }

  /// Replaces the records of a query result whose versions are not known here by the results of a
  /// lookup. Queries lag behind writes: a record in a result may since have been changed or
  /// deleted, also by this device.
  private func refreshed(
    _ results: [RecordResult], of user: String
  ) async throws(SyncFailure) -> [RecordResult] {
    let names = try transaction { transaction in
      try results.compactMap(\.record).filter { record in
        let known = try transaction.state(named: record.recordName)
        guard known?.tag == nil || known?.tag != record.recordChangeTag else { return false }
        guard case .entry = DecodedRecord(record, of: user, as: known?.thing) else { return false }
        return true
      }.map(\.recordName)
    }
    guard !names.isEmpty else { return results }
    let unknown = Set(names)
    return try await lookUp(names).filter { $0.record != nil }
      + results.filter { !unknown.contains($0.recordName ?? "") }
  }

  /// Looks up the known records that a listing did not return. Query results can be stale, so a
  /// record only counts as deleted if the lookup does not find it either. If the account was
  /// deleted, all known records are looked up, because stale query results still contain deleted
  /// records.
  private func lookUpMissing(
    _ state: inout FetchState, _ report: inout SyncReport
  ) async throws(SyncFailure) {
    let listing = state.isProfileGone ? .max : state.applier.listing
    let kinds = Thing.Kind.allCases.filter(state.listed.contains)
    let missing = try transaction { transaction in
      try kinds.flatMap { try transaction.states(missingFrom: listing, kind: $0) }
    }
    let known = state.lostNames.union(state.deletions.map(\.name))
    let names = missing.filter { $0.tag != nil && !known.contains($0.name) }.map(\.name)
    let results = try await lookUp(names)
    for (name, result) in zip(names, results) where result.record == nil {
      // After a fork a missing record does not count as deleted.
      if state.applier.isForked {
        state.lostNames.insert(name)
      } else {
        state.deletions.append(RecordDeletion(name: name))
      }
    }
    try await apply(results.filter { $0.record != nil }, &state, &report)
  }

  /// Looks up the profile if records were deleted, because the whole account may have been deleted.
  /// The fetched records alone do not show this: an earlier round may already have fetched the
  /// deletion of the profile, and another device may have created the profile again. A listing by
  /// queries does not contain the profile, so it is looked up after each.
  private func checkProfile(
    _ state: inout FetchState, _ report: inout SyncReport
  ) async throws(SyncFailure) {
    let isListedByQueries = state.syncToken == nil
    guard isListedByQueries || !state.deletions.isEmpty && state.account.hasProfile,
      !state.isProfileGone
    else { return }
    try await lookUpProfile(&state)
    if state.isProfileGone, !state.deletions.isEmpty {
      try await lookUpMissing(&state, &report)
    }
  }

  private func lookUpProfile(_ state: inout FetchState) async throws(SyncFailure) {
    state.profile = try await lookUp([state.account.userRecordName]).first?.record
    state.hasLookedUpProfile = true
    // After a fork, the profile may be one from before the known one.
    state.isProfileGone =
      state.account.hasOtherProfile(than: state.profile)
      && !(state.applier.isForked && state.profile != nil)
  }

  // MARK: The end

  /// Applies the deletions, unless the user must be asked first, and stores the position from which
  /// the next fetch continues.
  private func finish(
    _ state: FetchState, isListing: Bool, _ answer: MassDeletion.Answer?,
    _ report: inout SyncReport
  ) throws(SyncFailure) {
    var deleted: [Thing.Kind: Int] = [:]
    var question: MassDeletion?
    try transaction { transaction in
      let isAnyKnown = try state.deletions.contains {
        try transaction.state(named: $0.name) != nil
      }
      // How many things the deletions remove from the library is only known after they were
      // applied: a merge may keep a thing. So they are rolled back if the user must be asked first.
      try transaction.savepoint { transaction in
        deleted = try applyDeletions(state, rejects: answer == .keepEverything, &transaction)
        question = try Self.question(deleted, state, transaction)
        if question?.isAccepted(by: answer) == true { question = nil }
        guard question == nil else { return false }
        try recreateLostRecords(state, &transaction)
        return true
      }
      // The next fetch must read the records again that were not applied.
      guard question == nil, state.storageFailure == nil, var account = try transaction.account()
      else { return }
      if let token = state.syncToken { account.syncToken = token }
      if isListing {
        account.listedAt = state.applier.now
        account.needsListing = false
        // The service may have lost the profile and the subscriptions, too. Until they are created
        // again, a missing profile does not mean that the account was deleted.
        if state.applier.isForked, account.hasProfile, !state.isProfileGone {
          (account.needsPreparation, account.hasProfile) = (true, false)
        }
      }
      // Another device has deleted the account. If the user accepts the deletion, the next sign-in
      // creates the profile again. Otherwise this round does, because something was kept.
      if state.isProfileGone, isAnyKnown {
        (account.hasProfile, account.profileCreatedAt) = (false, nil)
        account.needsPreparation = if case .accept = answer { false } else { true }
      }
      if let profile = state.profile { account.setProfile(profile) }
      try transaction.setAccount(account)
    }
    if let question { throw .massDeletion(question) }
    report.deleted += deleted.values.reduce(0, +)
    if let failure = state.storageFailure { throw failure }
  }

  /// Applies or rejects the deletions of a fetch.
  ///
  /// - Parameter rejects: Whether the user chose to keep everything.
  /// - Returns: The number of things of each kind that the library does not have any more.
  private func applyDeletions(
    _ state: FetchState, rejects: Bool, _ transaction: inout SyncTransaction
  ) throws -> [Thing.Kind: Int] {
    guard !rejects else {
      for deletion in state.deletions { try state.applier.reject(deletion, in: &transaction) }
      return [:]
    }
    let things = try state.applier.apply(state.deletions, in: &transaction)
    return things.reduce(into: [:]) { $0[$1.kind, default: 0] += 1 }
  }

  /// Queues the records that the service has lost in a rollback for upload.
  ///
  /// Call this after the deletions were applied and counted. It removes the change tags of the lost
  /// records. Without tags, `applyDeletions` would remove a thing whose other record was deleted,
  /// and `question` would not count the things of lost records.
  private func recreateLostRecords(
    _ state: FetchState, _ transaction: inout SyncTransaction
  ) throws {
    for name in state.lostNames.sorted() {
      guard let known = try transaction.state(named: name) else { continue }
      try state.applier.createAgain(known, in: &transaction)
    }
  }

  /// Returns the question to ask if so many things were deleted that the user must accept it;
  /// otherwise nil.
  ///
  /// - Parameter deleted: The number of things of each kind that were deleted in this transaction.
  private static func question(
    _ deleted: [Thing.Kind: Int], _ state: FetchState, _ transaction: SyncTransaction
  ) throws -> MassDeletion? {
    let isMass = try deleted.contains { kind, count in
      guard count > MassDeletion.limitWithoutQuestion else { return false }
      let before = try count + transaction.syncedEntryCount(kind: kind)
      return count * 4 > before
    }
    guard isMass || state.isProfileGone && !deleted.isEmpty else { return nil }
    return MassDeletion(counts: deleted, isProfileGone: state.isProfileGone)
  }
}

extension ServiceError {
  /// Whether the sync token of the request cannot be used any more.
  fileprivate var invalidatesToken: Bool { [.changeTokenExpired, .badRequest].contains(code) }

  /// Whether the container does not have the record type of a query.
  fileprivate var isUnknownType: Bool { code.isNotFound || meaning == .unknownRecordType }
}
