/// The type of a field in a schema.
public struct FieldType: Hashable, Sendable {
  /// The type of the value, or of each element if the type is a list.
  public var primitive: Primitive
  /// Whether values are stored encrypted.
  public var isEncrypted: Bool
  /// Whether the type is a list.
  public var isList: Bool

  /// The type of a single value.
  public enum Primitive: Hashable, Sendable {
    /// A type whose values are all of one kind.
    case kind(ValueType.Kind)
    /// A number that is either an INT64 or a DOUBLE. The development environment gives this type to
    /// fields that are created by a number without a type.
    case number(preferred: Preference?)
  }

  /// The kind of value that a number without a type becomes.
  public enum Preference: String, CaseIterable, Hashable, Sendable {
    /// A number without a type becomes an INT64.
    case int64 = "INT64"
    /// A number without a type becomes a DOUBLE.
    case double = "DOUBLE"
  }

  /// Creates the type of a single value or, if `isList` is true, of a list of such values.
  public init(_ primitive: Primitive, isEncrypted: Bool = false, isList: Bool = false) {
    self.primitive = primitive
    self.isEncrypted = isEncrypted
    self.isList = isList
  }

  /// Creates the field type with the values of a `ValueType`.
  public init(_ type: ValueType, isEncrypted: Bool = false) {
    self.init(.kind(type.kind), isEncrypted: isEncrypted, isList: type.isList)
  }

  /// The type STRING.
  public static let string = FieldType(ValueType(.string))
  /// The type INT64.
  public static let int64 = FieldType(ValueType(.int64))
  /// The type DOUBLE.
  public static let double = FieldType(ValueType(.double))
  /// The type TIMESTAMP.
  public static let timestamp = FieldType(ValueType(.timestamp))
  /// The type BYTES.
  public static let bytes = FieldType(ValueType(.bytes))
  /// The type LOCATION.
  public static let location = FieldType(ValueType(.location))
  /// The type REFERENCE.
  public static let reference = FieldType(ValueType(.reference))
  /// The type ASSETID, which is written as `ASSET` in a schema.
  public static let asset = FieldType(ValueType(.asset))
  /// NUMBER without a preferred kind.
  public static let number = FieldType(.number(preferred: nil))

  /// A list of this type.
  public var list: FieldType { FieldType(primitive, isEncrypted: isEncrypted, isList: true) }
  /// The encrypted form of this type.
  public var encrypted: FieldType { FieldType(primitive, isEncrypted: true, isList: isList) }

  /// The kinds that values may have: INT64 and DOUBLE for NUMBER, otherwise one.
  var kinds: [ValueType.Kind] {
    switch primitive {
    case .kind(let kind): [kind]
    case .number: [.int64, .double]
    }
  }

  /// Whether the type can be encrypted. References, assets and NUMBER cannot.
  public var canBeEncrypted: Bool {
    switch primitive {
    case .kind(let kind): kind != .reference && kind != .asset
    case .number: false
    }
  }

  /// The indexes that a field of this type may have.
  ///
  /// Encrypted fields and assets have none, and only strings can be SEARCHABLE. Lists, references
  /// and bytes may be SORTABLE because schemas that CloudKit exports contain such fields.
  public var possibleIndexes: Indexes {
    if isEncrypted { return [] }
    switch primitive {
    case .kind(.asset): return []
    case .kind(.string): return [.queryable, .searchable, .sortable]
    default: return [.queryable, .sortable]
    }
  }

  /// The indexes of a field that is created by saving a record in the development environment. They
  /// are those found in schemas that CloudKit has exported.
  public var automaticIndexes: Indexes {
    switch primitive {
    case _ where isList, .kind(.reference), .kind(.location):
      possibleIndexes.intersection(.queryable)
    default: possibleIndexes
    }
  }

  /// The name of the type in error messages: `REFERENCE`, `STRING_LIST`, `ENCRYPTED_STRING`.
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
  /// The type in the schema language, for example `LIST<STRING>` or `NUMBER PREFERRED AS INT64`.
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
