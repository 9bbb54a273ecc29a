/// A pointer to another record.
public struct Reference: Codable, Hashable, Sendable {
  public var recordName: String
  /// Nil for the zone the reference itself is in.
  public var zoneID: ZoneID?
  /// Required in a record, absent in a query.
  public var action: Action?

  /// What becomes of the reference's holder and of its target.
  public enum Action: String, WireName {
    case noAction = "NONE"
    /// The holder is deleted with its target.
    case deleteSelf = "DELETE_SELF"
    /// The target must exist when the reference is saved, and stays while it is held.
    case validate = "VALIDATE"
  }

  public init(_ recordName: String, zoneID: ZoneID? = nil, action: Action? = .noAction) {
    self.recordName = recordName
    self.zoneID = zoneID
    self.action = action
  }
}
