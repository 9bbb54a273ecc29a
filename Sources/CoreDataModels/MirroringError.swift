/// A model from which no schema can be generated.
public enum MirroringError: Error, Hashable, Sendable {
  /// No configuration is used with CloudKit.
  case notUsedWithCloudKit
  /// Mirroring does not support the model.
  case unsupported([CloudKitFinding])
  /// The name has characters that the names of record types and fields cannot have, or is too long.
  case name(String, entity: String, line: Int)
  /// The field of a property is also that of another property, or one that mirroring adds.
  case fieldConflict(String, entity: String, property: String, line: Int)
}
