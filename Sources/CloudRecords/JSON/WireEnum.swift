/// An enumeration of strings in requests and responses.
///
/// Decoding an unknown string throws an error that lists the known ones.
public protocol WireEnum: RawRepresentable, CaseIterable, Codable, Hashable, Sendable
where RawValue == String {}

extension WireEnum {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let value = Self(rawValue: try container.decode(String.self)) else {
      throw DecodingError.invalidValue(
        decoder.codingPath, .oneOf(Self.allCases.map(\.rawValue)))
    }
    self = value
  }
}
