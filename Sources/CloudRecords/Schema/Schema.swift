/// The record types of a container in one environment.
///
///     let schema = try Schema(parsing: text)
///     try schema.check(query)
///     print(schema)
///
/// The order of declarations is not significant: schemas with the same declarations are equal and
/// have the same description.
public struct Schema: Hashable, Sendable {
  /// The record types by name.
  public private(set) var recordTypes: [String: RecordType]
  /// The names of the roles that the schema defines. The predefined roles, whose names begin with
  /// `_`, are not included.
  public var roles: Set<String>

  /// Creates a schema. If several record types have the same name, the last one is used.
  public init(_ recordTypes: [RecordType] = [], roles: Set<String> = []) {
    self.recordTypes = Dictionary(recordTypes.map { ($0.name, $0) }) { $1 }
    self.roles = roles
  }

  /// The record type with a name. Setting nil removes it.
  public subscript(name: String) -> RecordType? {
    get { recordTypes[name] }
    set {
      var type = newValue
      type?.name = name
      recordTypes[name] = type
    }
  }
}
