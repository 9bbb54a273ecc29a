/// A geographical location, with the properties of Core Location's `CLLocation`.
public struct Location: Codable, Hashable, Sendable {
  /// The latitude in degrees.
  public var latitude: Double
  /// The longitude in degrees.
  public var longitude: Double
  /// The accuracy of the latitude and longitude in meters.
  public var horizontalAccuracy: Double?
  /// The accuracy of the altitude in meters.
  public var verticalAccuracy: Double?
  /// The altitude in meters.
  public var altitude: Double?
  /// The speed in meters per second.
  public var speed: Double?
  /// The direction of movement in degrees clockwise from north.
  public var course: Double?
  /// The time at which the location was determined.
  public var timestamp: Timestamp?

  /// Creates a location. The units are degrees, meters, and meters per second for `speed`.
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
