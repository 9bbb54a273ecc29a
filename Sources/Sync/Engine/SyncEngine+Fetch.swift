import CloudRecords
import FoundationEssentials
import Library
import RecordClient

// Finding out what others did.
extension SyncEngine {
  /// What a fetch found so far.
  private struct Found {
    var intake: Intake
    /// Records that were deleted on the service. The deletions are applied at the end of the fetch,
    /// because their number decides whether the reader is asked first.
    var lost: [Lost] = []
    /// Names of records that are to be created again after a fork.
    var absent: Set<String> = []
    var isProfileGone = false
    /// Where the feed goes on; nil without one.
    var syncToken: String?
    /// Kinds whose listing came to its last page.
    var listed: Set<RecordKind> = []
    var pages = PageCounter()
    /// How many records were read.
    var count = 0
  }

  /// A record that is gone.
  private struct Lost {
    let name: String
    /// The version that was deleted; nil where that is not known.
    var tag: String?
  }

  func fetch(
    for account: SyncAccount, _ answer: MassDeletion.Answer?, _ report: inout SyncReport
  ) async throws(SyncFailure) {
    var found = Found(
      intake: Intake(
        user: account.userRecordName, now: now(), listing: account.listing,
        isFirstContact: account.listedAt == nil, isForked: account.owesListing, rules: rules))
    let hasFeed = try await hasFeed(account)
    // A first contact that was interrupted has a token, too.
    if hasFeed, !account.owesListing, account.listedAt != nil || account.syncToken != nil {
      do {
        try await follow(from: account.syncToken, &found, &report)
        try await lookForProfile(of: account, &found)
        return try conclude(found, isListing: account.listedAt == nil, answer, &report)
      } catch .call(.service(let error)) where error.endsToken {
        // A service that tells nothing of its history: an unknown token is one of another database,
        // and what is missing there was not deleted.
        if try self.account()?.witness == nil, error.reason != Reason.expiredToken {
          try update { $0.owesListing = true }
          found.intake.isForked = true
        }
        found.lost = []
      }
    }
    found.intake.listing = try beginListing()
    found.pages.beginListing()
    try await listAll(byFeed: hasFeed, &found, &report)
    try await nominate(&found, &report)
    try await lookForProfile(of: account, &found)
    try conclude(found, isListing: true, answer, &report)
  }

  /// Whether the zone has a change feed: its dictionary then carries a token.
  private func hasFeed(_ account: SyncAccount) async throws(SyncFailure) -> Bool {
    if let known = account.hasFeed { return known }
    let answer = try await call(ZonesList.self, EmptyBody())
    let zone = answer.zones.compactMap(\.value).first { $0.zoneID.isDefault }
    let hasFeed = zone?.syncToken != nil
    try update { $0.hasFeed = hasFeed }
    return hasFeed
  }

  /// - Returns: the number of the listing.
  private func beginListing() throws(SyncFailure) -> Int {
    try transaction { transaction in
      guard var account = try transaction.account() else { return 0 }
      account.listing += 1
      try transaction.setAccount(account)
      return account.listing
    }
  }

  private func listAll(
    byFeed hasFeed: Bool, _ found: inout Found, _ report: inout SyncReport
  ) async throws(SyncFailure) {
    if hasFeed {
      do {
        try await follow(from: nil, &found, &report)
        found.listed = Set(RecordKind.ofEntries)
        return
      } catch .call(.service(let error)) where error.code == .badRequest {
        // Not of this zone, for all that its dictionary says.
        try update { $0.hasFeed = false }
      }
    }
    for kind in RecordKind.ofEntries { try await list(kind, &found, &report) }
  }

  // MARK: The feed

  /// Follows the feed to its end. Pages may be empty before it.
  private func follow(
    from start: String?, _ found: inout Found, _ report: inout SyncReport
  ) async throws(SyncFailure) {
    var token = start
    while true {
      let request = ChangesZone.Request(zones: [.init(.default, syncToken: token)])
      let page: ChangesZone.Page
      switch try await call(ChangesZone.self, request).zones.first {
      case .success(let found): page = found
      case .failure(let error): throw .call(.service(error))
      case nil: throw .call(.unexpectedResponse(UnexpectedResponse(status: 200, .noZone)))
      }
      try take(page.records, &found, &report)
      // A feed that returns the same token with `moreComing` would never end.
      guard let next = page.syncToken, !page.moreComing || next != token else {
        throw .call(.unexpectedResponse(UnexpectedResponse(status: 200, .endlessFeed)))
      }
      token = next
      found.syncToken = next
      guard page.moreComing else { return }
      // Store the token after each page, unless deletions are held back. A listing that looks for
      // missing records must be complete, so its token is stored only at the end.
      if start != nil || found.intake.isFirstContact && !found.intake.isForked, found.lost.isEmpty,
        !found.isProfileGone
      {
        try update { $0.syncToken = next }
      }
      try found.pages.add(page.records)
    }
  }

  /// Makes sure that a service that tells nothing of its history did not go back to a backup since
  /// the last fetch: what it holds then is no edit of what is here. The next round finds that out,
  /// and sends it again.
  func confirmEpoch() async throws(SyncFailure) {
    guard let account = try account(), account.witness == nil, account.hasFeed == true,
      let token = account.syncToken
    else { return }
    let request = ChangesZone.Request(
      zones: [.init(.default, syncToken: token, resultsLimit: 1)])
    // An expired token is at least one of the same epoch.
    if let error = try await call(ChangesZone.self, request).zones.first?.error,
      error.reason != Reason.expiredToken
    {
      // What the next round mends is none that a person has to.
      throw .call(
        .service(error.endsToken ? ServiceError(.tryAgainLater, reason: error.reason) : error))
    }
  }

  /// Takes a page in one transaction.
  private func take(
    _ records: [RecordResult], _ found: inout Found, _ report: inout SyncReport
  ) throws(SyncFailure) {
    if let error = records.lazy.compactMap(\.error).first { throw .call(.service(error)) }
    let intake = found.intake
    let (lost, absent, isProfileGone, received) = try transaction { transaction in
      var lost: [Lost] = []
      var absent: Set<String> = []
      var received = 0
      var kinds: Set<String> = []
      var isProfileGone = false
      for result in records {
        switch result {
        case .record(let record):
          if try intake.receive(record, in: &transaction) {
            received += 1
            if let kind = RecordKind(rawValue: record.recordType) { kinds.insert(kind.ofThings) }
          }
        case .tombstone(let tombstone):
          if tombstone.recordName == intake.user { isProfileGone = true }
          let name = tombstone.recordName
          // A tombstone of an unknown record needs no deletion.
          if let known = try transaction.state(named: name), known.tag != nil {
            if intake.isStanding(tombstone, known) {
              lost.append(Lost(name: name, tag: tombstone.deletedChangeTag))
            } else {
              absent.insert(name)
            }
          } else {
            try transaction.setUnread(nil, named: name)
          }
        case .failure: break
        }
      }
      // The service accepted records of these types, so changes that were parked because a type
      // was missing can be tried again.
      for kind in kinds { try transaction.retryParked(ofKind: kind) { $0.isOfSchema } }
      return (lost, absent, isProfileGone, received)
    }
    // A feed tells the newest of each record, but pages of it may be of different times.
    let present = Set(records.compactMap { $0.record?.recordName })
    found.lost.removeAll { present.contains($0.name) }
    found.lost += lost
    found.absent = found.absent.subtracting(present).union(absent)
    found.isProfileGone =
      isProfileGone || found.isProfileGone && !present.contains(intake.user)
    report.received += received
    found.count += records.count
    onProgress(.receiving(records: found.count))
  }

  // MARK: The listing

  /// Lists the records of a kind, by their owner.
  private func list(
    _ kind: RecordKind, _ found: inout Found, _ report: inout SyncReport
  ) async throws(SyncFailure) {
    let user = found.intake.user
    var marker: String?
    repeat {
      // Nothing of the kind was ever saved there: so nothing of it was deleted.
      // After a fork it may be that it was, and what is absent is created again.
      guard let answer = try await page(of: kind, of: user, after: marker) else {
        if found.intake.isForked { found.listed.insert(kind) }
        return
      }
      try take(try await confirmed(answer.records, of: user), &found, &report)
      marker = answer.continuationMarker
      if marker != nil { try found.pages.add(answer.records) }
    } while marker != nil
    found.listed.insert(kind)
  }

  /// A page of the records of a kind.
  ///
  /// - Parameters:
  ///   - user: whom they belong to.
  ///   - marker: where the former page ended; nil for the first.
  /// - Returns: nil where the container has nothing of the kind yet.
  func page(
    of kind: RecordKind, of user: String, after marker: String?
  ) async throws(SyncFailure) -> RecordsQuery.Response? {
    let owners = FieldValue.strings(RecordReading.owners(of: user))
    let query = Query(
      kind.rawValue, filters: [Filter(FieldName.ownerRecordName, .isIn, owners)])
    do {
      return try await call(
        RecordsQuery.self,
        RecordsQuery.Request(
          query, zoneID: .default, resultsLimit: Limits.pageRecords, continuationMarker: marker))
    } catch .call(.service(let error)) where error.isUnknownType && marker == nil {
      return nil
    }
  }

  /// What a listing tells that is not known, as it is now. Queries lag behind: they may tell of
  /// what is changed or gone since, also by this device.
  private func confirmed(
    _ results: [RecordResult], of user: String
  ) async throws(SyncFailure) -> [RecordResult] {
    let names = try transaction { transaction in
      try results.compactMap(\.record).filter { record in
        let known = try transaction.state(named: record.recordName)
        guard known?.tag == nil || known?.tag != record.recordChangeTag else { return false }
        guard case .entry = RecordReading(record, of: user) else { return false }
        return true
      }.map(\.recordName)
    }
    guard !names.isEmpty else { return results }
    let doubted = Set(names)
    return try await lookUp(names).filter { $0.record != nil }
      + results.filter { !doubted.contains($0.recordName ?? "") }
  }

  /// Looks up records that a listing did not return. Query results can be stale, so only a failed
  /// lookup counts as deleted.
  private func nominate(
    _ found: inout Found, _ report: inout SyncReport
  ) async throws(SyncFailure) {
    let (listing, kinds) = (
      found.intake.listing, RecordKind.ofEntries.filter(found.listed.contains)
    )
    let missing = try transaction { transaction in
      try kinds.flatMap { try transaction.states(missingFrom: listing, kind: $0.ofThings) }
    }
    let known = found.absent.union(found.lost.map(\.name))
    let names = missing.filter { $0.tag != nil && !known.contains($0.name) }.map(\.name)
    guard rules.looksUpMissing else {
      found.lost += names.map { Lost(name: $0) }
      return
    }
    let results = try await lookUp(names)
    for (name, result) in zip(names, results) where result.record == nil {
      // After a fork nothing is deleted for being absent.
      if found.intake.isForked, rules.createsAbsentAgain {
        found.absent.insert(name)
      } else {
        found.lost.append(Lost(name: name))
      }
    }
    try take(results.filter { $0.record != nil }, &found, &report)
  }

  /// Where something is gone, looks whether the account has come to its end: the profile may have
  /// gone in another round, or be none of a listing.
  private func lookForProfile(
    of account: SyncAccount, _ found: inout Found
  ) async throws(SyncFailure) {
    guard !found.lost.isEmpty, account.hasProfile, !found.isProfileGone else { return }
    found.isProfileGone = try await lookUp([account.userRecordName]).first?.record == nil
  }

  // MARK: The end

  /// Carries out the deletions, unless somebody has to be asked first, and notes how far it is.
  private func conclude(
    _ found: Found, isListing: Bool, _ answer: MassDeletion.Answer?, _ report: inout SyncReport
  ) throws(SyncFailure) {
    let result = try transaction { transaction -> Result<Int, MassDeletionQuestion> in
      let known = try found.lost.compactMap { try transaction.state(named: $0.name) }
      if let question = try Self.question(known, found.isProfileGone, transaction),
        !question.isAccepted(by: answer)
      {
        return .failure(MassDeletionQuestion(question: question))
      }
      for name in found.absent.sorted() {
        guard let state = try transaction.state(named: name) else { continue }
        try found.intake.createAgain(state, in: &transaction)
      }
      for lost in found.lost {
        try found.intake.lose(lost.name, version: lost.tag, in: &transaction)
      }
      guard var account = try transaction.account() else { return .success(0) }
      if let token = found.syncToken { account.syncToken = token }
      if isListing {
        account.listedAt = found.intake.now
        account.owesListing = false
        // The profile and the subscriptions may be lost as well. Until they are made again, a
        // missing profile does not mean that the account has come to its end.
        if found.intake.isForked, account.hasProfile, !found.isProfileGone {
          (account.owesPreparation, account.hasProfile) = (true, false)
        }
      }
      // It is at its end, and somebody has said so.
      if found.isProfileGone, !known.isEmpty { account.hasProfile = false }
      try transaction.setAccount(account)
      return .success(known.count)
    }
    switch result {
    case .success(let count): report.deleted += count
    case .failure(let question): throw .massDeletion(question.question)
    }
  }

  private struct MassDeletionQuestion: Error {
    let question: MassDeletion
  }

  /// Whether so much would go that somebody has to be asked.
  private static func question(
    _ lost: [RecordState], _ isProfileGone: Bool, _ transaction: SyncTransaction
  ) throws -> MassDeletion? {
    let counts = Dictionary(grouping: lost, by: \.thing.recordKind).mapValues(\.count)
    let isMass = try counts.contains { kind, count in
      try count > MassDeletion.few
        && count * 4 > transaction.stateCount(kind: kind.ofThings)
    }
    guard isMass || isProfileGone && !lost.isEmpty else { return nil }
    return MassDeletion(counts: counts, isProfileGone: isProfileGone)
  }
}

extension ServiceError {
  /// Whether a token of a feed is good for nothing any more.
  fileprivate var endsToken: Bool { [.changeTokenExpired, .badRequest].contains(code) }

  fileprivate var isUnknownType: Bool {
    code.isNotFound || reason?.hasPrefix(Reason.unknownType("")) == true
      || reason?.hasPrefix("Unknown Item") == true
  }
}
