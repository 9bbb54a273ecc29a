import FoundationEssentials

extension Field {
  /// Returns the value as a value of a declared type; nil if the field is null.
  ///
  /// A value whose type the request states must have exactly the declared type: an INT64 value is
  /// not accepted as a DOUBLE. NUMBER accepts both. A value without a type is interpreted: 5 can be
  /// an INT64, a DOUBLE or a TIMESTAMP, and a string can also be a number, as in responses with
  /// `numbersAsStrings`, or the base64 form of BYTES.
  ///
  /// An unencrypted value is accepted in an encrypted field; an encrypted value is not accepted in
  /// an unencrypted field.
  ///
  /// - Throws: A `TypeMismatch` if the value does not have the declared type.
  public func value(as type: FieldType) throws(TypeMismatch) -> FieldValue? {
    let mismatch = TypeMismatch(
      found: typeName, declared: type.wireName,
      isUnexpectedlyEncrypted: isEncrypted && !type.isEncrypted)
    switch content {
    case .null: return nil
    case .value(let value):
      guard !mismatch.isUnexpectedlyEncrypted, value.type.isList == type.isList,
        type.kinds.contains(value.type.kind)
      else { throw mismatch }
      return value
    case .raw(let json, nil):
      guard !mismatch.isUnexpectedlyEncrypted, let value = FieldValue(json, as: type) else {
        throw mismatch
      }
      return value
    // The request states an unknown type, or one that the value does not have.
    case .raw: throw mismatch
    }
  }

  /// The name of the value's type in error messages; for an untyped value, the type that its
  /// JSON suggests.
  var typeName: String {
    let prefix = isEncrypted ? "ENCRYPTED_" : ""
    return switch content {
    case .value(let value): prefix + value.type.name
    case .raw(_, let type?): prefix + type
    case .raw(let json, nil): prefix + (json.inferredType?.wireName ?? "UNKNOWN")
    case .null: "UNKNOWN"
    }
  }

  /// The type of the field that this value creates in the development environment; nil if the value
  /// is null, if its type is not known or cannot be inferred, or if it is encrypted and its type
  /// cannot be.
  var inferredType: FieldType? {
    let type: FieldType? =
      switch content {
      case .value(let value): FieldType(value.type)
      case .raw(let json, nil): json.inferredType
      case .raw, .null: nil
      }
    guard let type, isEncrypted else { return type }
    // NUMBER cannot be encrypted, so an encrypted integer is a DOUBLE.
    if case .number = type.primitive {
      return FieldType(.kind(.double), isEncrypted: true, isList: type.isList)
    }
    return type.canBeEncrypted ? type.encrypted : nil
  }
}

extension JSONValue {
  /// The type that an untyped value suggests, as CloudKit infers it in the development environment.
  fileprivate var inferredType: FieldType? {
    switch self {
    case .string: .string
    case .integer: .number
    case .number: .double
    case .object(let object):
      if object.keys.contains("recordName") {
        .reference
      } else if object.keys.contains("latitude") {
        .location
      } else if object.keys.contains("fileChecksum") {
        .asset
      } else {
        nil
      }
    case .array(let array): array.first?.likelyElementType?.list
    case .null, .bool: nil
    }
  }

  /// The type that an element of a list suggests; nil for a list, since lists cannot be nested.
  private var likelyElementType: FieldType? {
    if case .array = self { nil } else { inferredType }
  }
}

extension FieldValue {
  /// Interprets an untyped value as a value of a declared type; nil if that is not possible.
  fileprivate init?(_ json: JSONValue, as type: FieldType) {
    if type.isList {
      guard case .array(let array) = json else { return nil }
      self.init(array, as: type.kind(for: array))
    } else {
      self.init(json, as: type.kind(for: [json]))
    }
  }

  private init?(_ json: JSONValue, as kind: ValueType.Kind) {
    func wrapped<Value>(_ value: Value?, _ wrap: (Value) -> FieldValue) -> FieldValue? {
      value.map(wrap)
    }
    let value: FieldValue? =
      switch kind {
      case .string: wrapped(json.string, FieldValue.string)
      case .int64: wrapped(json.int64, FieldValue.int64)
      case .double: wrapped(json.double, FieldValue.double)
      case .timestamp: wrapped(json.timestamp, FieldValue.timestamp)
      case .bytes: wrapped(json.bytes, FieldValue.bytes)
      case .location: wrapped(json.decoded(), FieldValue.location)
      case .reference: wrapped(json.decoded(), FieldValue.reference)
      case .asset: wrapped(json.decoded(), FieldValue.asset)
      }
    guard let value else { return nil }
    self = value
  }

  private init?(_ array: [JSONValue], as kind: ValueType.Kind) {
    func all<Value>(_ read: (JSONValue) -> Value?, _ wrap: ([Value]) -> FieldValue) -> FieldValue? {
      let values = array.compactMap(read)
      return values.count == array.count ? wrap(values) : nil
    }
    let value: FieldValue? =
      switch kind {
      case .string: all(\.string, FieldValue.strings)
      case .int64: all(\.int64, FieldValue.int64s)
      case .double: all(\.double, FieldValue.doubles)
      case .timestamp: all(\.timestamp, FieldValue.timestamps)
      case .bytes: all(\.bytes, FieldValue.bytesList)
      case .location: all({ $0.decoded() }, FieldValue.locations)
      case .reference: all({ $0.decoded() }, FieldValue.references)
      case .asset: all({ $0.decoded() }, FieldValue.assets)
      }
    guard let value else { return nil }
    self = value
  }
}

extension FieldType {
  /// The kind of value that untyped values become: for NUMBER the preferred kind or, if there is
  /// none, INT64 if all values are integers and DOUBLE otherwise.
  fileprivate func kind(for values: [JSONValue]) -> ValueType.Kind {
    switch primitive {
    case .kind(let kind): kind
    case .number(.int64?): .int64
    case .number(.double?): .double
    case .number(nil): values.allSatisfy { $0.int64 != nil } ? .int64 : .double
    }
  }
}

extension JSONValue {
  fileprivate var string: String? { if case .string(let string) = self { string } else { nil } }

  fileprivate var int64: Int64? {
    switch self {
    case .integer(let integer): integer
    case .string(let string): Int64(wireString: string)
    default: nil
    }
  }

  fileprivate var double: Double? {
    switch self {
    case .integer(let integer): Double(integer)
    case .number(let number): number
    case .string(let string): Double(wireString: string)
    default: nil
    }
  }

  fileprivate var timestamp: Timestamp? {
    switch self {
    case .integer(let integer): Timestamp(milliseconds: integer)
    case .number(let number):
      Int64(exactly: number.rounded()).map(Timestamp.init(milliseconds:))
    default: nil
    }
  }

  fileprivate var bytes: Data? { string.flatMap(Data.init(wireBase64:)) }

  fileprivate func decoded<Value: Decodable>() -> Value? {
    guard case .object = self, let data = try? Wire.encode(self) else { return nil }
    return try? Wire.decode(Value.self, from: data, as: .request)
  }
}
