public import CloudRecords

extension RecordService {
  /// The container of the Quran reader. Its default zones have a change feed, which CloudKit's
  /// default zones do not have.
  public static let quranContainer = "iCloud.donald.kvietnamisht"

  /// Returns the containers that are served, by name.
  public func containers() async throws(ServiceError) -> [ContainerID] {
    try await read { try $0.containers() }
  }

  /// Adds a container. If it exists already, its schemas do not change, but its option does.
  ///
  /// - Parameters:
  ///   - schema: the schema of both environments of a new container.
  ///   - hasDefaultZoneFeed: whether its default zones have a change feed. The default is false, as
  ///     in CloudKit, except for the container of the Quran reader.
  /// - Throws: BAD_REQUEST if a record type has a name that CloudKit does not allow.
  public func addContainer(
    _ container: ContainerID, schema: Schema, hasDefaultZoneFeed: Bool? = nil
  ) async throws(ServiceError) {
    try schema.checkTypeNames()
    try await write { transaction in
      try transaction.save(
        container,
        hasDefaultZoneFeed: hasDefaultZoneFeed ?? (container.name == Self.quranContainer))
      for environment in ContainerEnvironment.allCases
      where try transaction.state(of: container, environment) == nil {
        try transaction.save(schema, of: container, environment)
      }
    }
  }

  /// Returns the schema of a container's environment.
  ///
  /// - Throws: NOT_FOUND if the container is not served.
  public func schema(
    of container: ContainerID, _ environment: ContainerEnvironment
  ) async throws(ServiceError) -> Schema {
    try await read { try $0.servedState(of: container, environment).schema }
  }

  /// Replaces the schema of the development environment. Types and fields that are not deployed yet
  /// may be missing from the new schema; existing records keep their values of such fields.
  ///
  /// - Throws: a `SchemaRefusal` if the schema lacks deployed types or fields, or if it changes the
  ///   type of a deployed field; otherwise a `ServiceError`, such as BAD_REQUEST if a new record
  ///   type has a name that CloudKit does not allow.
  public func importDevelopment(
    _ schema: Schema, of container: ContainerID
  ) async throws {
    try await run(
      write { transaction in
        let development = try transaction.servedState(of: container, .development).schema
        try schema.checkTypeNames(except: development)
        let production = try transaction.servedState(of: container, .production).schema
        let refused = Schema.refusedChanges(from: production, to: schema)
        guard refused.isEmpty else { return .failure(SchemaRefusal(changes: refused)) }
        return .success(
          try transaction.replace(development, by: schema, of: container, .development).job)
      })
  }

  /// Copies the schema of the development environment to production. Production allows new types
  /// and fields, and changes of indexes and grants.
  ///
  /// - Parameter shown: the schema that the operator has approved; nil to deploy without approval.
  ///   CONFLICT is thrown if the development schema has changed since the approval, because types
  ///   and fields cannot be removed from production.
  /// - Throws: a `SchemaRefusal` with every change that production refuses; otherwise a
  ///   `ServiceError`.
  public func deploy(_ container: ContainerID, shown: Schema? = nil) async throws {
    try await run(
      write { transaction in
        let development = try transaction.servedState(of: container, .development).schema
        guard shown == nil || shown == development else {
          throw ServiceError(.conflict, cause: .schemaChanged)
        }
        let production = try transaction.servedState(of: container, .production).schema
        let refused = Schema.refusedChanges(from: production, to: development)
        guard refused.isEmpty else { return .failure(SchemaRefusal(changes: refused)) }
        return .success(
          try transaction.replace(production, by: development, of: container, .production).job)
      })
  }

  /// Resets the development environment: its schema becomes that of production, its owners and
  /// records are deleted, and its tokens are no longer valid. A token gets CHANGE_TOKEN_EXPIRED
  /// until its owner is deleted, and then BAD_REQUEST. Production does not change.
  ///
  /// - Returns: the number of deleted records.
  @discardableResult
  public func resetDevelopment(_ container: ContainerID) async throws(ServiceError) -> Int {
    let job = try await write { transaction in
      let production = try transaction.servedState(of: container, .production).schema
      try transaction.save(production, of: container, .development)
      try transaction.renewEpoch(of: container, .development)
      let last = try transaction.lastOwner(in: container, .development)
      return try transaction.add(
        .reset(container, .development, through: last?.rawValue ?? 0))
    }
    return try await run(job.id)
  }

  // MARK: Helpers

  /// Throws the refusal, or runs the job, if there is one.
  private func run(_ change: Result<JobRow?, SchemaRefusal>) async throws {
    if let job = try change.get() { try await run(job.id) }
  }
}

extension SQLWriteTransaction {
  /// Replaces the schema of an environment.
  ///
  /// - Parameter old: the schema as this transaction has read it.
  /// - Returns: the new state, and the reindexing job that the change requires; nil if it requires
  ///   none.
  func replace(
    _ old: Schema, by schema: Schema, of container: ContainerID,
    _ environment: ContainerEnvironment
  ) throws -> (state: EnvironmentState, job: JobRow?) {
    let state = try save(schema, of: container, environment)
    // Records need new index entries if an indexed field of their type is new or has another type,
    // even if they have no value for it. A type that is not in the old schema may have records,
    // too: it may have been removed from an earlier schema, which does not delete its records.
    let types = schema.recordTypes.values.filter { type in
      guard let known = old[type.name] else { return true }
      return type.indexedFields.contains { known.indexedFields[$0.key]?.type != $0.value.type }
    }
    guard !types.isEmpty else { return (state, nil) }
    return (
      state,
      try add(.reindex(container, environment, types: types.map(\.name).sorted(), after: 0))
    )
  }
}
