import CloudRecords

/// The record service's rules: what CloudKit Web Services does with requests that were decoded,
/// of callers that were authenticated.
///
///     let service = RecordService(storage: storage, signer: signer, now: now)
///     let answer = try await service.modify(request, at: place, by: caller)
///
/// An error that is thrown is one of the whole request, and nothing was changed; those of
/// single records, zones and subscriptions are in the answer.
public struct RecordService: Sendable {
  let storage: any RecordStorage
  let signer: TokenSigner
  /// Milliseconds since 1970, UTC.
  let now: @Sendable () -> Int64
  let options: ServiceOptions

  public init(
    storage: any RecordStorage, signer: TokenSigner, now: @escaping @Sendable () -> Int64,
    options: ServiceOptions = ServiceOptions()
  ) {
    self.storage = storage
    self.signer = signer
    self.now = now
    self.options = options
  }

  /// The permanent id of the service, kept with its data: 32 hexadecimal digits.
  func id() async throws(ServiceError) -> String { try await read { try $0.serviceID() } }

  // MARK: Transactions

  func read<Value: Sendable>(
    _ body: @escaping @Sendable (any RecordReading) throws -> Value
  ) async throws(ServiceError) -> Value {
    do { return try await storage.read(body) } catch { throw Self.serviceError(error) }
  }

  func write<Value: Sendable>(
    _ body: @escaping @Sendable (any RecordWriting) throws -> Value
  ) async throws(ServiceError) -> Value {
    do { return try await storage.write(body) } catch { throw Self.serviceError(error) }
  }

  static func serviceError(_ error: any Error) -> ServiceError {
    switch error {
    case let error as ServiceError: error
    case let failure as StorageFailure: failure.serviceError
    default: StorageFailure.failed("").serviceError
    }
  }

  /// Reads as a caller. Creates the owner if the caller has none.
  func read<Value: Sendable>(
    at place: Place, by caller: Caller?,
    _ body: @escaping @Sendable (any RecordReading, RequestContext) throws -> Value
  ) async throws(ServiceError) -> Value {
    let account = try RequestContext.account(at: place, by: caller)
    let value = try await read { transaction -> Value? in
      let state = try Self.state(at: place, in: transaction)
      guard let owner = try transaction.owner(of: place, account: account) else { return nil }
      return try body(
        transaction, RequestContext(place: place, caller: caller, state: state, owner: owner))
    }
    if let value { return value }
    return try await write(at: place, by: caller) { try body($0, $1) }
  }

  func write<Value: Sendable>(
    at place: Place, by caller: Caller?,
    _ body: @escaping @Sendable (any RecordWriting, RequestContext) throws -> Value
  ) async throws(ServiceError) -> Value {
    let account = try RequestContext.account(at: place, by: caller)
    return try await write { transaction in
      let state = try Self.state(at: place, in: transaction)
      let (owner, _) = try owner(of: place, account, caller, in: transaction)
      return try body(
        transaction, RequestContext(place: place, caller: caller, state: state, owner: owner))
    }
  }

  /// The owner that a caller changes something of, made if there is none yet.
  ///
  /// - Returns: the owner, and whether it is a new one.
  /// - Throws: AUTHENTICATION_REQUIRED for who was removed while the request was on its way.
  func owner(
    of place: Place, _ account: Int64, _ caller: Caller?, in transaction: any RecordWriting
  ) throws -> (OwnerRow, isNew: Bool) {
    if let caller, try transaction.isGone(account: caller.account) {
      throw ServiceError(.authenticationRequired, reason: Reason.authorizationNeeded)
    }
    if let owner = try transaction.owner(of: place, account: account) { return (owner, false) }
    return (try transaction.makeOwner(of: place, account: account, markSource), true)
  }

  /// For the marks of one transaction.
  var markSource: MarkSource { MarkSource(random: options.randomNumber(), time: now()) }

  private static func state(
    at place: Place, in transaction: any RecordReading
  ) throws -> EnvironmentState {
    guard let state = try transaction.state(of: place.container, place.environment) else {
      throw ServiceError(.notFound, reason: Reason.unknownContainer)
    }
    return state
  }
}
