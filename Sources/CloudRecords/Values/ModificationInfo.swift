/// The time and author of a record's creation or modification.
public struct ModificationInfo: Codable, Hashable, Sendable {
  /// The time of the change.
  public var timestamp: Timestamp
  /// The user record name of the user who made the change.
  public var userRecordName: String?
  /// An opaque identifier of the device.
  public var deviceID: String?

  public init(timestamp: Timestamp, userRecordName: String? = nil, deviceID: String? = nil) {
    self.timestamp = timestamp
    self.userRecordName = userRecordName
    self.deviceID = deviceID
  }
}
