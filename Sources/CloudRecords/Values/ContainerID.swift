/// The identifier of a container, for example `iCloud.donald.kvietnamisht`.
public struct ContainerID: Hashable, Sendable {
  /// The identifier as a string.
  public let name: String

  /// Creates an identifier, which becomes a component of URL paths.
  ///
  /// - Returns: nil unless the name begins with `iCloud.`, continues with ASCII letters, digits,
  ///   dots and hyphens, without two consecutive dots or a dot at the end, and is at most
  ///   `Limits.containerNameLength` bytes long.
  public init?(_ name: String) {
    let prefix = "iCloud."
    guard name.hasPrefix(prefix), name.utf8.count > prefix.utf8.count,
      name.utf8.count <= Limits.containerNameLength,
      name.utf8.allSatisfy(\.isContainerCharacter),
      name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        .allSatisfy({ !$0.isEmpty })
    else { return nil }
    self.name = name
  }
}

extension ContainerID: CustomStringConvertible {
  public var description: String { name }
}

extension ContainerID: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let name = try container.decode(String.self)
    guard let id = Self(name) else {
      throw DecodingError.invalidValue(decoder.codingPath, .containerName)
    }
    self = id
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(name)
  }
}

extension UInt8 {
  fileprivate var isContainerCharacter: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"):
      true
    default: false
    }
  }
}
