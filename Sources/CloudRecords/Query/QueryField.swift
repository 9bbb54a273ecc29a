/// The field that a filter or a sort refers to.
public enum QueryField: Hashable, Sendable {
  /// A field that the record type declares.
  case named(String)
  /// A field that every record has.
  case system(SystemField)

  /// Creates the field to which the key `fieldName` of a filter or sort refers.
  ///
  /// - Parameter fieldName: The name of a field of the record type, or the schema name of a system
  ///   field.
  public init(fieldName: String) {
    self = SystemField(rawValue: fieldName).map(QueryField.system) ?? .named(fieldName)
  }

  /// The field's name in the `reason` of an error.
  public var reasonName: String {
    switch self {
    case .named(let name): name
    case .system(let field): field.reasonName
    }
  }
}

extension QueryField {
  enum CodingKeys: CodingKey { case fieldName, systemFieldName }

  /// Decodes the field from the key `fieldName` or `systemFieldName`; nil if neither is present.
  init?(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    if let name = try container.decodeIfPresent(String.self, forKey: .systemFieldName) {
      guard let field = SystemField(queryName: name) ?? SystemField(rawValue: name) else {
        throw DecodingError.invalidValue(
          container.codingPath + [CodingKeys.systemFieldName], .systemField)
      }
      self = .system(field)
    } else if let name = try container.decodeIfPresent(String.self, forKey: .fieldName) {
      self.init(fieldName: name)
    } else {
      return nil
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    switch self {
    case .named(let name): try container.encode(name, forKey: .fieldName)
    case .system(let field):
      if let name = field.queryName {
        try container.encode(name, forKey: .systemFieldName)
      } else {
        try container.encode(field.rawValue, forKey: .fieldName)
      }
    }
  }
}
