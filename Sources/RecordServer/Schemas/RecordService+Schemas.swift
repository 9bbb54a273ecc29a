public import CloudRecords

extension RecordService {
  /// The container of the Quran reader, whose default zones have a change feed
  /// (record-service.md, "Zones").
  public static let quranContainer = "iCloud.donald.kvietnamisht"

  /// The containers that are served, by name.
  public func containers() async throws(ServiceError) -> [ContainerID] {
    try await read { try $0.containers() }
  }

  /// Serves a container. One that is there already keeps its schemas.
  ///
  /// - Parameters:
  ///   - schema: of both environments.
  ///   - hasDefaultZoneFeed: whether default zones have a change feed, as CloudKit's do not;
  ///     by default only those of the Quran reader.
  public func addContainer(
    _ container: ContainerID, schema: Schema, hasDefaultZoneFeed: Bool? = nil
  ) async throws(ServiceError) {
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

  /// The schema of a container.
  public func schema(
    of container: ContainerID, _ environment: ContainerEnvironment
  ) async throws(ServiceError) -> Schema {
    try await read { try Self.state(of: container, environment, $0).schema }
  }

  /// Makes a schema the one of the development environment. What is not deployed yet may be
  /// missing from it; the records that have it keep it.
  ///
  /// - Throws: a `SchemaRefusal` where it lacks what is deployed, else a `ServiceError`.
  public func importDevelopment(
    _ schema: Schema, of container: ContainerID
  ) async throws {
    try await run(
      write { transaction in
        let production = try Self.state(of: container, .production, transaction).schema
        let problems = Schema.deployProblems(from: production, to: schema)
        guard problems.isEmpty else { return .failure(SchemaRefusal(reasons: problems)) }
        return .success(try Self.replace(.development, of: container, with: schema, transaction))
      })
  }

  /// Makes the schema of the development environment that of production, which takes additions
  /// and other indexes and grants.
  ///
  /// - Parameter shown: what somebody agreed to; nil for whatever it is. Where it has changed
  ///   since, CONFLICT is thrown: what production has it keeps for ever.
  /// - Throws: a `SchemaRefusal` with every change that production refuses, else a
  ///   `ServiceError`.
  public func deploy(_ container: ContainerID, shown: Schema? = nil) async throws {
    try await run(
      write { transaction in
        let development = try Self.state(of: container, .development, transaction).schema
        guard shown == nil || shown == development else {
          throw ServiceError(.conflict, reason: Reason.schemaChanged)
        }
        let production = try Self.state(of: container, .production, transaction).schema
        let problems = Schema.deployProblems(from: production, to: development)
        guard problems.isEmpty else { return .failure(SchemaRefusal(reasons: problems)) }
        return .success(
          try Self.replace(.production, of: container, with: development, transaction))
      })
  }

  /// Makes the schema of production that of the development environment, and deletes all
  /// records there.
  ///
  /// - Returns: how many.
  @discardableResult
  public func resetDevelopment(_ container: ContainerID) async throws(ServiceError) -> Int {
    let job = try await write { transaction in
      let production = try Self.state(of: container, .production, transaction).schema
      try transaction.save(production, of: container, .development)
      try transaction.renewEpoch(of: container, .development)
      let last = try transaction.lastOwner(in: container, .development)
      return try transaction.add(
        .reset(container, .development, through: last?.rawValue ?? 0))
    }
    return try await run(job)
  }

  // MARK: Steps

  private static func state(
    of container: ContainerID, _ environment: ContainerEnvironment,
    _ transaction: any RecordReading
  ) throws -> EnvironmentState {
    guard let state = try transaction.state(of: container, environment) else {
      throw ServiceError(.notFound, reason: Reason.unknownContainer)
    }
    return state
  }

  /// - Returns: the work on the indexes that it leaves; nil for none.
  private static func replace(
    _ environment: ContainerEnvironment, of container: ContainerID, with schema: Schema,
    _ transaction: any RecordWriting
  ) throws -> JobRow? {
    let old = try state(of: container, environment, transaction).schema
    try transaction.save(schema, of: container, environment)
    let types = schema.recordTypes.values.filter { type in
      guard let known = old[type.name] else { return true }
      return type.indexedFields.contains { known.indexedFields[$0.key]?.type != $0.value.type }
    }
    guard !types.isEmpty else { return nil }
    return try transaction.add(
      .reindex(container, environment, types: types.map(\.name).sorted(), after: 0))
  }

  private func run(_ change: Result<JobRow?, SchemaRefusal>) async throws {
    if let job = try change.get() { try await run(job) }
  }
}
