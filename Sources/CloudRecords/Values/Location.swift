/// A place on earth, as Core Location has it.
public struct Location: Codable, Hashable, Sendable {
  /// In degrees.
  public var latitude: Double
  /// In degrees.
  public var longitude: Double
  /// In metres.
  public var horizontalAccuracy: Double?
  /// In metres.
  public var verticalAccuracy: Double?
  /// In metres.
  public var altitude: Double?
  /// In metres per second.
  public var speed: Double?
  /// In degrees from north.
  public var course: Double?
  public var timestamp: Timestamp?

  public init(
    latitude: Double, longitude: Double, horizontalAccuracy: Double? = nil,
    verticalAccuracy: Double? = nil, altitude: Double? = nil, speed: Double? = nil,
    course: Double? = nil, timestamp: Timestamp? = nil
  ) {
    self.latitude = latitude
    self.longitude = longitude
    self.horizontalAccuracy = horizontalAccuracy
    self.verticalAccuracy = verticalAccuracy
    self.altitude = altitude
    self.speed = speed
    self.course = course
    self.timestamp = timestamp
  }
}
