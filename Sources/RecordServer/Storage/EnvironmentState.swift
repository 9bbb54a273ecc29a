import CloudRecords

/// A container in one of its environments: its schema and what belongs to it.
public struct EnvironmentState: Hashable, Sendable {
  let container: ContainerID
  let environment: ContainerEnvironment
  var schema: Schema
  /// A random number that changes with every change of the schema.
  let version: Int64
  /// A random number that all tokens contain. It changes with a restore or a reset, which expires
  /// the tokens.
  let epoch: Int64
  /// Whether default zones have a change feed.
  let hasDefaultZoneFeed: Bool
  /// The IDs of the fields that have, or once had, an index, by record type and field name. System
  /// fields have their names in the schema language.
  let fieldIDs: [String: [String: FieldID]]
}
