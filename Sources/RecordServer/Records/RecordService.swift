import CloudRecords

/// Implements the operations of CloudKit Web Services on records, zones and subscriptions.
///
/// The caller of these methods has decoded the request and authenticated the user.
///
///     let service = RecordService(storage: storage, signer: signer, now: now)
///     let response = try await service.modify(request, at: address, by: caller)
///
/// A thrown error concerns the whole request. Nothing was changed then, except by methods that use
/// several transactions, such as `zonesModify`, and perhaps if the database server has not answered
/// a COMMIT (`failure(of:at:_:)`). Errors of single records, zones and subscriptions are part of
/// the response.
public struct RecordService: Sendable {
  let storage: any RecordStorage
  let signer: TokenSigner
  /// Returns the current time in milliseconds since 1970, UTC.
  let now: @Sendable () -> Int64
  let options: ServiceOptions
  let runningJobs = RunningJobs()

  /// Creates the service of the records in a storage.
  ///
  /// - Parameters:
  ///   - storage: the storage of records, schemas and subscriptions.
  ///   - signer: signs tokens, and encrypts the ENCRYPTED fields.
  ///   - now: returns the current time in milliseconds since 1970, UTC.
  ///   - options: the limits of the service, and the functions that it calls.
  public init(
    storage: any RecordStorage, signer: TokenSigner, now: @escaping @Sendable () -> Int64,
    options: ServiceOptions = ServiceOptions()
  ) {
    self.storage = storage
    self.signer = signer
    self.now = now
    self.options = options
  }

  /// The permanent ID of the service, stored with its data: 32 hexadecimal digits.
  func id() async throws(ServiceError) -> String { try await read { try $0.serviceID() } }

  // MARK: Transactions

  /// Runs `body` in a read transaction and converts errors of the storage to service errors.
  ///
  /// - Parameter budget: limits and counts the rows that are looked at; nil for no limit.
  func read<Value: Sendable>(
    within budget: RowBudget? = nil, _ body: @escaping @Sendable (SQLTransaction) throws -> Value
  ) async throws(ServiceError) -> Value {
    do {
      return try await storage.read(within: budget, body)
    } catch {
      throw Self.serviceError(error)
    }
  }

  /// Runs `body` in a write transaction and converts errors of the storage to service errors.
  ///
  /// - Parameter account: the account that is served; nil for work of the service itself.
  func write<Value: Sendable>(
    for account: Int64? = nil, _ body: @escaping @Sendable (SQLWriteTransaction) throws -> Value
  ) async throws(ServiceError) -> Value {
    do { return try await storage.write(for: account, body) } catch {
      throw Self.serviceError(error)
    }
  }

  /// The service error for any error of a transaction; INTERNAL_ERROR for an unknown one.
  static func serviceError(_ error: any Error) -> ServiceError {
    switch error {
    case let error as ServiceError: error
    case let failure as StorageFailure: failure.serviceError
    case let problem as TokenProblem: problem.serviceError
    default: ServiceError(.internalError, cause: .internalFailure)
    }
  }

  /// Reads from the caller's database. Creates the database if it does not exist yet.
  ///
  /// - Parameter budget: limits and counts the rows that are looked at; nil for no limit.
  func read<Value: Sendable>(
    at address: DatabaseAddress, by caller: Caller?, within budget: RowBudget? = nil,
    _ body: @escaping @Sendable (SQLTransaction, RequestContext) throws -> Value
  ) async throws(ServiceError) -> Value {
    let account = try RequestContext.account(at: address, by: caller)
    let value = try await read(within: budget) { transaction -> Value? in
      let state = try transaction.servedState(of: address.container, address.environment)
      guard let owner = try transaction.owner(of: address, account: account) else { return nil }
      return try body(
        transaction, RequestContext(address: address, caller: caller, state: state, owner: owner))
    }
    if let value { return value }
    return try await write(at: address, by: caller) { try body($0, $1) }
  }

  /// Writes to the caller's database. Creates the database if it does not exist yet.
  func write<Value: Sendable>(
    at address: DatabaseAddress, by caller: Caller?,
    _ body: @escaping @Sendable (SQLWriteTransaction, RequestContext) throws -> Value
  ) async throws(ServiceError) -> Value {
    let account = try RequestContext.account(at: address, by: caller)
    do {
      return try await storage.write(for: caller?.account) { transaction in
        try body(transaction, try context(at: address, account, caller, in: transaction).0)
      }
    } catch {
      throw failure(of: error, at: address, account)
    }
  }

  /// Returns the service error for an error of a transaction that changes a database. Reports that
  /// notifications may have been lost if the change may have been committed all the same: a client
  /// that repeats the request changes nothing then.
  ///
  /// - Parameter account: the account of the database; 0 for a public database.
  func failure(
    of error: any Error, at address: DatabaseAddress, _ account: Int64
  ) -> ServiceError {
    if case .commitUnanswered? = error as? StorageFailure {
      options.onNotificationLoss(NotificationLoss(address, account: account))
    }
    return Self.serviceError(error)
  }

  /// Returns the context of a request that changes a database. Creates the owner row of the
  /// database if there is none.
  ///
  /// - Returns: the context, and whether the owner row was created by this call.
  /// - Throws: NOT_FOUND if the container is not served; AUTHENTICATION_REQUIRED if the account was
  ///   removed after the request was authenticated.
  func context(
    at address: DatabaseAddress, _ account: Int64, _ caller: Caller?,
    in transaction: SQLWriteTransaction
  ) throws -> (RequestContext, isNewOwner: Bool) {
    let state = try transaction.servedState(of: address.container, address.environment)
    // This locks the owner, if the engine locks rows.
    let found = try transaction.owner(of: address, account: account)
    if let caller, try transaction.isGone(account: caller.account, isHeld: found == nil) {
      throw ServiceError.notSignedIn
    }
    let owner = try found ?? transaction.makeOwner(of: address, account: account, markSource)
    return (
      RequestContext(address: address, caller: caller, state: state, owner: owner), found == nil
    )
  }

  /// A new random number and the current time, for the marks of one transaction.
  var markSource: MarkSource { MarkSource(random: options.randomNumber(), time: now()) }
}

extension SQLTransaction {
  /// Returns the state of an environment: its schema, its epoch and its options.
  ///
  /// - Throws: NOT_FOUND if the container is not served.
  func servedState(
    of container: ContainerID, _ environment: ContainerEnvironment
  ) throws -> EnvironmentState {
    guard let state = try state(of: container, environment) else {
      throw ServiceError(.notFound, cause: .unknownContainer)
    }
    return state
  }
}
