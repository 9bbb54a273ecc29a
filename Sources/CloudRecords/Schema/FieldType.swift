/// The type of a field, as a schema declares it.
public struct FieldType: Hashable, Sendable {
  public var primitive: Primitive
  public var isEncrypted: Bool
  public var isList: Bool

  public enum Primitive: Hashable, Sendable {
    case kind(ValueType.Kind)
    /// INT64 or DOUBLE, as it comes: what development makes of a number sent without type.
    case number(preferred: Preference?)
  }

  /// What an untyped number is taken for.
  public enum Preference: String, CaseIterable, Hashable, Sendable {
    case int64 = "INT64"
    case double = "DOUBLE"
  }

  public init(_ primitive: Primitive, isEncrypted: Bool = false, isList: Bool = false) {
    self.primitive = primitive
    self.isEncrypted = isEncrypted
    self.isList = isList
  }

  public init(_ type: ValueType, isEncrypted: Bool = false) {
    self.init(.kind(type.kind), isEncrypted: isEncrypted, isList: type.isList)
  }

  public static let string = FieldType(ValueType(.string))
  public static let int64 = FieldType(ValueType(.int64))
  public static let double = FieldType(ValueType(.double))
  public static let timestamp = FieldType(ValueType(.timestamp))
  public static let bytes = FieldType(ValueType(.bytes))
  public static let location = FieldType(ValueType(.location))
  public static let reference = FieldType(ValueType(.reference))
  public static let asset = FieldType(ValueType(.asset))
  public static let number = FieldType(.number(preferred: nil))

  /// A list of these.
  public var list: FieldType { FieldType(primitive, isEncrypted: isEncrypted, isList: true) }
  /// The same, encrypted.
  public var encrypted: FieldType { FieldType(primitive, isEncrypted: true, isList: isList) }

  /// The kinds its values may be of: one, or for a number two.
  var kinds: [ValueType.Kind] {
    switch primitive {
    case .kind(let kind): [kind]
    case .number: [.int64, .double]
    }
  }

  /// Whether values can be encrypted: neither references nor assets nor numbers without a
  /// type of their own.
  public var canBeEncrypted: Bool {
    switch primitive {
    case .kind(let kind): kind != .reference && kind != .asset
    case .number: false
    }
  }

  /// The indexes the type can have: none when encrypted and none of assets, tokens only of
  /// text. Exports have lists, references and bytes that are SORTABLE, for what it is worth.
  public var possibleIndexes: Indexes {
    if isEncrypted { return [] }
    switch primitive {
    case .kind(.asset): return []
    case .kind(.string): return [.queryable, .searchable, .sortable]
    default: return [.queryable, .sortable]
    }
  }

  /// The indexes a field gets when it appears just in time, as exports of schemas that grew so
  /// have them.
  public var automaticIndexes: Indexes {
    switch primitive {
    case _ where isList, .kind(.reference), .kind(.location):
      possibleIndexes.intersection(.queryable)
    default: possibleIndexes
    }
  }

  /// The name in error texts: `REFERENCE`, `STRING_LIST`, `ENCRYPTED_STRING`.
  public var wireName: String {
    let name: String =
      switch primitive {
      case .kind(let kind): kind.rawValue
      case .number: "NUMBER"
      }
    return (isEncrypted ? "ENCRYPTED_" : "") + name + (isList ? "_LIST" : "")
  }
}

extension FieldType: CustomStringConvertible {
  /// As a schema has it: `LIST<STRING>`, `NUMBER PREFERRED AS INT64`.
  public var description: String {
    var name: String =
      switch primitive {
      case .kind(.asset): "ASSET"
      case .kind(let kind): kind.rawValue
      case .number(nil): "NUMBER"
      case .number(let preferred?): "NUMBER PREFERRED AS \(preferred.rawValue)"
      }
    if isEncrypted { name = "ENCRYPTED \(name)" }
    return isList ? "LIST<\(name)>" : name
  }
}
