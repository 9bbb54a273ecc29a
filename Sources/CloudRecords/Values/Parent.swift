/// The parent of a record in a shared hierarchy.
///
/// The record service stores it; it has no other effect there.
public struct Parent: Codable, Hashable, Sendable {
  /// The name of the parent record.
  public var recordName: String

  public init(_ recordName: String) {
    self.recordName = recordName
  }
}
