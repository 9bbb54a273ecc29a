/// The record types of a container in one of its environments.
///
///     let schema = try Schema(parsing: text)
///     try schema.check(query)
///     print(schema)
///
/// The order of a schema's text means nothing: schemas with the same declarations are equal,
/// and are printed alike.
public struct Schema: Hashable, Sendable {
  /// By their names.
  public private(set) var recordTypes: [String: RecordType]
  /// The roles it defines; those that begin with `_` are there by themselves.
  public var roles: Set<String>

  public init(_ recordTypes: [RecordType] = [], roles: Set<String> = []) {
    self.recordTypes = Dictionary(recordTypes.map { ($0.name, $0) }) { $1 }
    self.roles = roles
  }

  /// A record type by its name. Setting nil removes it.
  public subscript(name: String) -> RecordType? {
    get { recordTypes[name] }
    set {
      var type = newValue
      type?.name = name
      recordTypes[name] = type
    }
  }
}
