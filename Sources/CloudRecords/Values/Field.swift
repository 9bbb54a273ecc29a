/// A field as a request or an answer has it: a value, one whose type only the schema knows,
/// or none.
public struct Field: Hashable, Sendable {
  public var content: Content
  /// Whether the value is, or is to be, encrypted: the type ENCRYPTED_BYTES, or any other
  /// with `isEncrypted`.
  public var isEncrypted: Bool

  public enum Content: Hashable, Sendable {
    case value(FieldValue)
    /// A value as it came, whose type is missing or unknown here.
    ///
    /// - Parameter type: the type it was sent with; nil for none, and for `LIST` and
    ///   `UNKNOWN_LIST`, which say nothing of the elements.
    case raw(JSONValue, type: String?)
    /// `null`: the field is cleared.
    case null
  }

  public init(_ content: Content, isEncrypted: Bool = false) {
    self.content = content
    self.isEncrypted = isEncrypted
  }

  public init(_ value: FieldValue, isEncrypted: Bool = false) {
    self.init(.value(value), isEncrypted: isEncrypted)
  }

  /// A field to be cleared.
  public static let null = Field(.null)

  /// The value, where there is one whose type is known.
  public var value: FieldValue? {
    if case .value(let value) = content { value } else { nil }
  }
}

extension Field: Codable {
  private enum CodingKeys: CodingKey { case value, type, isEncrypted }

  private static let encryptedPrefix = "ENCRYPTED_"
  private static let untyped: Set<String> = ["LIST", "UNKNOWN_LIST"]

  public init(from decoder: any Decoder) throws {
    if try decoder.singleValueContainer().decodeNil() {
      self = .null
      return
    }
    let container = try decoder.container(keyedBy: CodingKeys.self)
    var name = try container.decodeIfPresent(String.self, forKey: .type)
    var isEncrypted = try container.decodeIfPresent(Bool.self, forKey: .isEncrypted) ?? false
    if let full = name, full.hasPrefix(Self.encryptedPrefix) {
      name = String(full.dropFirst(Self.encryptedPrefix.count))
      isEncrypted = true
    }
    if let known = name, Self.untyped.contains(known) { name = nil }
    self.init(
      try Self.content(of: container, type: name, isTolerant: decoder.isTolerant),
      isEncrypted: isEncrypted)
  }

  private static func content(
    of container: KeyedDecodingContainer<CodingKeys>, type name: String?, isTolerant: Bool
  ) throws -> Content {
    // Clients that leave nulls out clear a field by its type alone.
    if isTolerant || name != nil, !container.contains(.value) { return .null }
    if try container.decodeNil(forKey: .value) { return .null }
    if let type = name.flatMap(ValueType.init(name:)) {
      do {
        return .value(try FieldValue(from: container, forKey: .value, as: type))
      } catch {
        guard isTolerant else { throw error }
      }
    }
    return .raw(try container.decode(JSONValue.self, forKey: .value), type: name)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    var name: String?
    switch content {
    case .value(let value):
      name = value.type.name
      try value.encode(to: &container, forKey: .value)
    case .raw(let json, let type):
      name = type
      try container.encode(json, forKey: .value)
    case .null:
      try container.encodeNil(forKey: .value)
    }
    // The one type that says it by itself; clients refuse the other form of it.
    if isEncrypted, name == ValueType.Kind.bytes.rawValue {
      name = Self.encryptedPrefix + ValueType.Kind.bytes.rawValue
    } else if isEncrypted {
      try container.encode(true, forKey: .isEncrypted)
    }
    try container.encodeIfPresent(name, forKey: .type)
  }
}
