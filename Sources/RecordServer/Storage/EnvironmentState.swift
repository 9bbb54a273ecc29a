import CloudRecords

/// A container in one of its environments: its schema, and what goes with it.
public struct EnvironmentState: Hashable, Sendable {
  let container: ContainerID
  let environment: ContainerEnvironment
  let schema: Schema
  /// Another for every schema.
  let version: Int64
  /// What tokens are good for: another after a restore or a reset.
  let epoch: Int64
  /// Whether default zones have a change feed.
  let hasDefaultZoneFeed: Bool
  /// The numbers of the fields that have or had an index, by type and name; system fields go
  /// by their schema names.
  let fieldIDs: [String: [String: FieldID]]
}
