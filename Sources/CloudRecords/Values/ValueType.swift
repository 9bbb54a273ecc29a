/// The type of a value, as the wire names it: `STRING`, `INT64_LIST`.
public struct ValueType: Hashable, Sendable {
  public var kind: Kind
  public var isList: Bool

  /// What a value, or each element of a list, is.
  public enum Kind: String, CaseIterable, Hashable, Sendable {
    case string = "STRING"
    case int64 = "INT64"
    case double = "DOUBLE"
    case timestamp = "TIMESTAMP"
    case bytes = "BYTES"
    case location = "LOCATION"
    case reference = "REFERENCE"
    case asset = "ASSETID"
  }

  public init(_ kind: Kind, isList: Bool = false) {
    self.kind = kind
    self.isList = isList
  }

  private static let listSuffix = "_LIST"

  /// - Parameter name: as in `name`; `ASSET` and `ASSET_LIST` are accepted too.
  /// - Returns: nil for any other name, `LIST` and `UNKNOWN_LIST` among them.
  public init?(name: String) {
    isList = name.hasSuffix(Self.listSuffix)
    let kind = isList ? String(name.dropLast(Self.listSuffix.count)) : name
    guard let known = kind == "ASSET" ? .asset : Kind(rawValue: kind) else { return nil }
    self.kind = known
  }

  public var name: String { isList ? kind.rawValue + Self.listSuffix : kind.rawValue }
}

extension ValueType: CustomStringConvertible {
  public var description: String { name }
}
