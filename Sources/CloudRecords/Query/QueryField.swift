/// What a filter or a sort looks at.
public enum QueryField: Hashable, Sendable {
  /// A field of the record type.
  case named(String)
  case system(SystemField)

  /// - Parameter fieldName: one of the record type's, or a system field's schema name.
  public init(fieldName: String) {
    self = SystemField(rawValue: fieldName).map(QueryField.system) ?? .named(fieldName)
  }

  /// The name in error texts.
  public var reasonName: String {
    switch self {
    case .named(let name): name
    case .system(let field): field.reasonName
    }
  }
}

extension QueryField {
  enum CodingKeys: CodingKey { case fieldName, systemFieldName }

  /// The field that stands under `fieldName` or `systemFieldName`; nil where neither does.
  init?(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    if let name = try container.decodeIfPresent(String.self, forKey: .systemFieldName) {
      guard let field = SystemField(queryName: name) ?? SystemField(rawValue: name) else {
        throw DecodingError.unfit(
          container.codingPath + [CodingKeys.systemFieldName],
          "expected the name of a system field")
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
