/// A reference from a record to another record.
public struct Reference: Codable, Hashable, Sendable {
  /// The name of the target record.
  public var recordName: String
  /// The zone of the target record; nil for the zone of the record with the reference.
  public var zoneID: ZoneID?
  /// What the reference means for the deletion of its target. Required in a record, omitted in a
  /// query.
  public var action: Action?

  /// What a reference means for the deletion of its target, and for saving the reference.
  public enum Action: String, WireEnum {
    /// The reference has no effect.
    case noAction = "NONE"
    /// The record with the reference is deleted when the target is deleted.
    case deleteSelf = "DELETE_SELF"
    /// The target must exist when the reference is saved, and cannot be deleted as long as the
    /// reference exists.
    case validate = "VALIDATE"
  }

  /// Creates a reference to a record; `zoneID` is nil if the record is in the same zone.
  ///
  /// - Parameter action: What the reference means for the deletion of its target; nil in a query.
  public init(_ recordName: String, zoneID: ZoneID? = nil, action: Action? = .noAction) {
    self.recordName = recordName
    self.zoneID = zoneID
    self.action = action
  }
}
