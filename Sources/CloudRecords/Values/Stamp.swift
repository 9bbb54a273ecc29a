/// Who created or changed a record, and when.
public struct Stamp: Codable, Hashable, Sendable {
  public var timestamp: Timestamp
  public var userRecordName: String?
  /// Opaque.
  public var deviceID: String?

  public init(timestamp: Timestamp, userRecordName: String? = nil, deviceID: String? = nil) {
    self.timestamp = timestamp
    self.userRecordName = userRecordName
    self.deviceID = deviceID
  }
}
