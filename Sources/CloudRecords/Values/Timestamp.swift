/// A point in time with millisecond precision.
///
/// Some clients send fractions of a millisecond, which are rounded.
public struct Timestamp: Hashable, Sendable {
  /// Milliseconds since 1970-01-01 00:00 UTC.
  public var milliseconds: Int64

  /// Creates the time that is this number of milliseconds after 1970-01-01 00:00 UTC.
  public init(milliseconds: Int64) {
    self.milliseconds = milliseconds
  }
}

extension Timestamp: Comparable {
  public static func < (a: Timestamp, b: Timestamp) -> Bool { a.milliseconds < b.milliseconds }
}

extension Timestamp: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let milliseconds = try? container.decode(Int64.self) {
      self.init(milliseconds: milliseconds)
    } else if let milliseconds = Int64(exactly: try container.decode(Double.self).rounded()) {
      self.init(milliseconds: milliseconds)
    } else {
      throw DecodingError.invalidValue(decoder.codingPath, .milliseconds)
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(milliseconds)
  }
}
