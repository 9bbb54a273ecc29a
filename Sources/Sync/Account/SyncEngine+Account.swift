public import CloudRecords
import FoundationEssentials
import Library
public import RecordClient

// The user's profile and subscriptions, and the deletion of all records of a user.
extension SyncEngine {
  /// Creates the profile and the subscriptions that every device of the user needs, unless they
  /// exist. An existing profile gets the time of this sign-in.
  ///
  /// If the account's profile is not the known one any more, another device may have deleted the
  /// account. Nothing is created then: the next round asks the user first.
  ///
  /// - Parameters:
  ///   - name: The display name of the account, for a new profile; nil if it is unknown.
  ///   - isFetched: Whether a fetch has just succeeded. Then the user has been asked if necessary,
  ///     and a missing profile is created.
  /// - Returns: The error with which the service refused the profile; nil if there was none.
  /// - Throws: `signedOut` if the library has no account, `call` if a request fails, `library` if
  ///   the library cannot be changed, or `historyForked`.
  @discardableResult
  public func prepareAccount(
    named name: String?, isFetched: Bool = false
  ) async throws(SyncFailure) -> ServiceError? {
    guard let account = try account() else { throw .signedOut }
    let user = account.userRecordName
    var result: (refusal: ServiceError?, createdAt: Int64?)
    var isDeferred = false
    try await restartingAfterForks { () async throws(SyncFailure) in
      let profile = try await lookUp([user]).first?.record
      isDeferred = !isFetched && account.hasOtherProfile(than: profile)
      guard !isDeferred else { return }
      result = try await save(profile, of: user, named: name)
    }
    guard !isDeferred else {
      try update { $0.needsPreparation = true }
      return nil
    }
    try update {
      $0.hasProfile = result.refusal == nil
      $0.profileCreatedAt = result.createdAt
    }
    try await subscribe()
    try update { $0.needsPreparation = false }
    return result.refusal
  }

  /// Updates the profile, or creates it if it is nil.
  ///
  /// - Returns: The error with which the service refused the profile, nil if the profile exists;
  ///   and when the service created the profile, nil if that is unknown.
  private func save(
    _ profile: Record?, of user: String, named name: String?
  ) async throws(SyncFailure) -> (refusal: ServiceError?, createdAt: Int64?) {
    let time = FieldValue.time(now())
    let operation: RecordsModify.Operation
    if let profile {
      // Other fields stay as they were written when the profile was created.
      var input = RecordInput(
        user, type: profileRecordType, recordChangeTag: profile.recordChangeTag)
      input["lastSignIn"] = time
      operation = .init(.update, input)
    } else {
      var input = RecordInput(user, type: profileRecordType)
      input["appleUserID"] = .string(user)
      input["createdAt"] = time
      input["lastSignIn"] = time
      if let name { input["givenName"] = .string(name) }
      operation = .init(.create, input)
    }
    let answer = try await call(
      RecordsModify.self, RecordsModify.Request(operations: [operation]))
    if let problem = answer.records.problem(for: [user]) {
      throw .call(.unexpectedResponse(UnexpectedResponse(status: 200, problem)))
    }
    let createdAt = (profile ?? answer.records.first?.record)?.createdAt
    guard let error = answer.records.first?.error else { return (nil, createdAt) }
    switch error.code {
    // Another device created or updated it first.
    case .conflict, .exists, .serverRecordChanged: return (nil, createdAt)
    case _ where error.code.isTransient: throw .call(.service(error))
    default: return (error, createdAt)
    }
  }

  /// Fetches the service id if the library was connected before the service had one. The id
  /// identifies the service when it moves to another address. If the request fails, the next round
  /// tries again.
  func fetchServiceID() async throws(SyncFailure) {
    // Only a service that reports its history has an id. This device has a witness if it has
    // received such a report.
    guard let account = try account(), account.serviceID == nil, account.witness != nil else {
      return
    }
    let identity: CallerIdentity
    do {
      identity = try await service.identity()
    } catch .cancelled {
      throw .call(.cancelled)
    } catch {
      return
    }
    guard let id = identity.serviceID, identity.userRecordName == account.userRecordName else {
      return
    }
    try update { $0.serviceID = id }
  }

  private func subscribe() async throws(SyncFailure) {
    let operations = Thing.Kind.allCases.map { kind in
      SubscriptionsModify.Operation(
        .create,
        Subscription(
          kind.subscription, .query, query: Query(kind.recordType),
          firesOn: [.create, .update, .delete],
          notificationInfo: NotificationInfo(shouldSendContentAvailable: true)))
    }
    // Ignore the results: without a subscription this device still fetches all changes, only later.
    _ = try await call(
      SubscriptionsModify.self, SubscriptionsModify.Request(operations: operations))
  }

  /// Deletes every record of the user from the service. The library keeps its entries, and has no
  /// account afterwards.
  ///
  /// - Returns: The number of records that were deleted.
  /// - Throws: `signedOut` if the library has no account, `call` if a request fails, `library` if
  ///   the library cannot be changed, or `historyForked`.
  public func deleteEverything() async throws(SyncFailure) -> Int {
    guard let account = try account() else { throw .signedOut }
    let user = account.userRecordName
    var count = 0
    // If the deletion is interrupted and the user goes on with the account, it needs a profile.
    try update { $0.needsPreparation = true }
    try await restartingAfterForks { () async throws(SyncFailure) in
      // The profile is deleted first, and again with each part of the records: other devices
      // recognize a deleted account by its absence, are notified of each part immediately, and may
      // have created it again.
      count += try await delete([user])
      // Queries can still return deleted records for a while. Skip those that were deleted here,
      // and stop when no other records are left.
      var deleted: Set<String> = []
      while true {
        let names = try await names(of: user).filter { !deleted.contains($0) }
        guard !names.isEmpty else { break }
        for part in names.requestParts(reserving: 1) {
          count += try await delete(Array(part), andProfileOf: user)
        }
        deleted.formUnion(names)
        onProgress(.sending(done: count, of: count))
      }
    }
    try transaction { try $0.setAccount(nil) }
    return count
  }

  /// The names of all records of the user except the profile.
  private func names(of user: String) async throws(SyncFailure) -> [String] {
    var names: [String] = []
    var pages = PageCounter()
    for kind in Thing.Kind.allCases {
      var marker: String?
      repeat {
        guard let page = try await page(of: kind, owner: user, after: marker) else { break }
        names += page.records.compactMap(\.record?.recordName)
        marker = page.continuationMarker
        if marker != nil { try pages.add(page.records) }
      } while marker != nil
    }
    return names
  }

  /// Deletes records of the user in one request.
  ///
  /// - Parameter user: The user whose profile is deleted, too; nil for none.
  /// - Returns: The number of records that existed, without this profile.
  private func delete(
    _ records: [String], andProfileOf user: String? = nil
  ) async throws(SyncFailure) -> Int {
    let names = [user].compactMap { $0 } + records
    let answer = try await call(
      RecordsModify.self,
      RecordsModify.Request(operations: names.map { .init(.forceDelete, RecordInput($0)) }))
    if let problem = answer.records.problem(for: names) {
      throw .call(.unexpectedResponse(UnexpectedResponse(status: 200, problem)))
    }
    for error in answer.records.compactMap(\.error) where !error.code.isNotFound {
      throw .call(.service(error))
    }
    return answer.records.suffix(records.count).count { $0.error == nil }
  }
}

extension SyncAccount {
  /// Stores that the service has this profile.
  mutating func setProfile(_ profile: Record) {
    (hasProfile, profileCreatedAt) = (true, profile.createdAt)
  }

  /// Whether the profile that this device knows does not exist any more. The account was then
  /// deleted. If the service has another profile, the account was used again after that.
  ///
  /// - Parameter profile: The profile on the service; nil if there is none.
  func hasOtherProfile(than profile: Record?) -> Bool {
    guard hasProfile, let profile else { return hasProfile }
    guard let profileCreatedAt, let createdAt = profile.createdAt else { return false }
    return createdAt != profileCreatedAt
  }
}

extension RecordAPI {
  /// Returns the user who is signed in, and the id of the service.
  ///
  /// - Throws: `.unexpectedResponse` if the response has no record name of the user, or another
  ///   `CallFailure`.
  public func identity() async throws(CallFailure) -> CallerIdentity {
    let reply = try await call(UsersCaller.self, EmptyBody(), witness: nil)
    let identity = reply.body.identity
    guard let user = identity.userRecordName else {
      throw .unexpectedResponse(UnexpectedResponse(status: 200, .noUserName))
    }
    let names = [identity.nameComponents?.givenName, identity.nameComponents?.familyName]
    let name = names.compactMap { $0 }.joined(separator: " ")
    return CallerIdentity(
      userRecordName: user, name: name.isEmpty ? nil : ServiceError.sanitized(name),
      serviceID: reply.serviceID.flatMap { HistoryReport.isTag($0) ? $0 : nil })
  }
}

/// The user who is signed in, and the id of the service.
public struct CallerIdentity: Hashable, Sendable {
  /// The record name of the user.
  public let userRecordName: String
  /// The display name of the user; nil if the service does not return one.
  public let name: String?
  /// The service's permanent id, which is independent of its address; nil if it has none.
  public let serviceID: String?
}
