public import CloudRecords

/// The error of a schema that production refuses. Nothing was changed.
public struct SchemaRefusal: Error, Hashable, Sendable {
  /// The changes that production refuses.
  public let changes: [SchemaChange]

  public init(changes: [SchemaChange]) {
    self.changes = changes
  }
}
