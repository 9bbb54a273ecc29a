/// The record that a record belongs to when it is shared. Kept, and otherwise without effect.
public struct Parent: Codable, Hashable, Sendable {
  public var recordName: String

  public init(_ recordName: String) {
    self.recordName = recordName
  }
}
