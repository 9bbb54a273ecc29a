import CloudRecords
import FoundationEssentials

extension SQLTransaction {
  /// The permanent ID of the service, stored with its data: 32 hexadecimal digits.
  func serviceID() throws -> String {
    guard let id = try connection.row("SELECT id FROM service", [], { try $0[0] as String }) else {
      throw StorageFailure.failed(.missing(.serviceID))
    }
    return id
  }

  /// Returns the containers that are served, by name.
  func containers() throws -> [ContainerID] {
    try connection.rows("SELECT name FROM container ORDER BY name", []) { try $0[0] as String }
      .compactMap(ContainerID.init)
  }

  /// Returns the state of a container's environment; nil if the container is not served.
  func state(
    of container: ContainerID, _ environment: ContainerEnvironment
  ) throws -> EnvironmentState? {
    let found = try connection.row(
      """
      SELECT version, epoch, has_default_zone_feed FROM environment
      JOIN container ON container.name = environment.container
      WHERE environment.container = ? AND environment.environment = ?\
      \(connection.dialect.sharing("environment"))
      """, [container.name, environment.rawValue]
    ) { try ($0[0] as Int64, $0[1] as Int64, $0[2] as Bool) }
    guard let (version, epoch, hasDefaultZoneFeed) = found else { return nil }
    return try cache.state(
      container, environment, version: version, epoch: epoch,
      hasDefaultZoneFeed: hasDefaultZoneFeed
    ) {
      EnvironmentState(
        container: container, environment: environment,
        schema: try schema(of: container, environment), version: version, epoch: epoch,
        hasDefaultZoneFeed: hasDefaultZoneFeed, fieldIDs: try fieldIDs(of: container, environment))
    }
  }

  private func schema(
    of container: ContainerID, _ environment: ContainerEnvironment
  ) throws -> Schema {
    let text = try connection.row(
      "SELECT schema FROM environment WHERE container = ? AND environment = ?",
      [container.name, environment.rawValue]
    ) { try $0[0] as String }
    guard let text, let schema = try? Schema(parsing: text) else {
      throw StorageFailure.failed(.damaged(.schema(container, environment)))
    }
    return schema
  }

  private func fieldIDs(
    of container: ContainerID, _ environment: ContainerEnvironment
  ) throws -> [String: [String: FieldID]] {
    var ids: [String: [String: FieldID]] = [:]
    let fields = try connection.rows(
      "SELECT type, name, id FROM field WHERE container = ? AND environment = ?",
      [container.name, environment.rawValue]
    ) { try ($0[0] as String, $0[1] as String, FieldID(rawValue: $0[2])) }
    for (type, name, id) in fields { ids[type, default: [:]][name] = id }
    return ids
  }
}

extension SQLWriteTransaction {
  /// Adds a container, or changes its option.
  ///
  /// - Parameter hasDefaultZoneFeed: whether its default zones have a change feed.
  func save(_ container: ContainerID, hasDefaultZoneFeed: Bool) throws {
    try connection.run(
      """
      INSERT INTO container VALUES (?, ?)
      ON CONFLICT (name) DO UPDATE SET has_default_zone_feed = excluded.has_default_zone_feed
      """, [container.name, hasDefaultZoneFeed])
  }

  /// Saves a schema and assigns IDs to its indexed fields.
  @discardableResult
  func save(
    _ schema: Schema, of container: ContainerID, _ environment: ContainerEnvironment
  ) throws -> EnvironmentState {
    try willChangeEnvironment()
    for type in schema.recordTypes.values {
      for field in type.indexedFields.keys {
        try connection.run(
          """
          INSERT INTO field (container, environment, type, name) VALUES (?, ?, ?, ?)
          ON CONFLICT DO NOTHING
          """,
          [container.name, environment.rawValue, type.name, field])
      }
    }
    // The version is random: `cache` may hold a schema whose transaction was rolled
    // back, and its version must not be assigned to another schema.
    try connection.run(
      """
      INSERT INTO environment (container, environment, schema, version, epoch)
      VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (container, environment)
      DO UPDATE SET schema = excluded.schema, version = excluded.version
      """,
      [
        container.name, environment.rawValue, schema.description, Int64.random(in: 1 ... .max),
        Int64.random(in: 1 ... .max),
      ])
    guard let state = try state(of: container, environment) else {
      throw StorageFailure.failed(.missing(.container(container)))
    }
    return state
  }

  /// Renews the epoch of an environment, which expires all its tokens. Zones created afterwards
  /// start with greater sequence numbers, so that no change tag is used again.
  func renewEpoch(of container: ContainerID, _ environment: ContainerEnvironment) throws {
    try willChangeEnvironment()
    try connection.run(
      """
      UPDATE environment SET epoch = ?, number = number + ?
      WHERE container = ? AND environment = ?
      """,
      [
        Int64.random(in: 1 ... .max), RecordTables.sequenceGap, container.name,
        environment.rawValue,
      ])
  }
}

extension RecordType {
  /// The fields whose values are in index tables, by name. The names of system fields are those of
  /// the schema language, such as `___modTime`.
  var indexedFields: [String: FieldDefinition] {
    var indexed = fields.filter { !$0.value.indexes.isEmpty }
    for (field, indexes) in systemIndexes {
      indexed[field.rawValue] = FieldDefinition(field.type, indexes)
    }
    return indexed
  }
}
