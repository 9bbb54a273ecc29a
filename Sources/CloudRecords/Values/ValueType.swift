/// The type of a value, as requests and responses name it: `STRING`, `INT64_LIST`.
public struct ValueType: Hashable, Sendable {
  /// The type of the value, or of each element of a list.
  public var kind: Kind
  /// Whether the value is a list.
  public var isList: Bool

  /// The type of a single value. The raw value is its name in requests and responses.
  public enum Kind: String, CaseIterable, Hashable, Sendable {
    /// A string.
    case string = "STRING"
    /// A signed integer of 64 bits.
    case int64 = "INT64"
    /// A floating-point number of 64 bits.
    case double = "DOUBLE"
    /// A point in time, in milliseconds since 1970.
    case timestamp = "TIMESTAMP"
    /// A sequence of bytes, as base64.
    case bytes = "BYTES"
    /// A geographical location.
    case location = "LOCATION"
    /// A reference to a record.
    case reference = "REFERENCE"
    /// A file that is stored separately.
    case asset = "ASSETID"
  }

  /// Creates the type of a single value or, if `isList` is true, of a list of such values.
  public init(_ kind: Kind, isList: Bool = false) {
    self.kind = kind
    self.isList = isList
  }

  private static let listSuffix = "_LIST"

  /// Creates a type from its name in requests and responses.
  ///
  /// - Parameter name: As in `name`; `ASSET` and `ASSET_LIST` are accepted as well.
  /// - Returns: nil if the name is unknown. `LIST` and `UNKNOWN_LIST` are unknown.
  public init?(name: String) {
    isList = name.hasSuffix(Self.listSuffix)
    let kind = isList ? String(name.dropLast(Self.listSuffix.count)) : name
    guard let known = kind == "ASSET" ? .asset : Kind(rawValue: kind) else { return nil }
    self.kind = known
  }

  /// The name of the type in requests and responses.
  public var name: String { isList ? kind.rawValue + Self.listSuffix : kind.rawValue }
}

extension ValueType: CustomStringConvertible {
  public var description: String { name }
}
