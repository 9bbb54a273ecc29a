/// A field of a record in a request or response.
public struct Field: Hashable, Sendable {
  /// The value of the field.
  public var content: Content
  /// Whether the value is encrypted, or is to be stored encrypted: its type is ENCRYPTED_BYTES, or
  /// `isEncrypted` is set.
  public var isEncrypted: Bool

  /// The value of a field, with or without a known type.
  public enum Content: Hashable, Sendable {
    /// A value of a known type.
    case value(FieldValue)
    /// The JSON of a value whose type is missing or unknown or, in a response, of a value that does
    /// not have the stated type.
    ///
    /// - Parameter type: The stated type; nil if it is missing or is `LIST` or `UNKNOWN_LIST`,
    ///   which do not state the type of the elements.
    case raw(JSONValue, type: String?)
    /// `null`, which clears the field.
    case null
  }

  /// Creates a field with a typed value, an untyped value or null.
  public init(_ content: Content, isEncrypted: Bool = false) {
    self.content = content
    self.isEncrypted = isEncrypted
  }

  /// Creates a field with a typed value.
  public init(_ value: FieldValue, isEncrypted: Bool = false) {
    self.init(.value(value), isEncrypted: isEncrypted)
  }

  /// A null field, which clears the field when it is saved.
  public static let null = Field(.null)

  /// The value; nil if the field is null, or if the value has no known type or not the stated one.
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
      try Self.content(of: container, type: name, isLenient: decoder.isLenient),
      isEncrypted: isEncrypted)
  }

  private static func content(
    of container: KeyedDecodingContainer<CodingKeys>, type name: String?, isLenient: Bool
  ) throws -> Content {
    // Some clients omit null values, so a field that has a type but no value is null.
    if isLenient || name != nil, !container.contains(.value) { return .null }
    if try container.decodeNil(forKey: .value) { return .null }
    if let type = name.flatMap(ValueType.init(name:)) {
      do {
        return .value(try FieldValue(from: container, forKey: .value, as: type))
      } catch {
        guard isLenient else { throw error }
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
    // Encrypted BYTES have a type of their own, ENCRYPTED_BYTES. Clients reject BYTES with
    // `isEncrypted`.
    if isEncrypted, name == ValueType.Kind.bytes.rawValue {
      name = Self.encryptedPrefix + ValueType.Kind.bytes.rawValue
    } else if isEncrypted {
      try container.encode(true, forKey: .isEncrypted)
    }
    try container.encodeIfPresent(name, forKey: .type)
  }
}
