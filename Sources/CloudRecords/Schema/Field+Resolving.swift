import FoundationEssentials

extension Field {
  /// The value as one of a type; nil where the field is cleared.
  ///
  /// A value with a type must have this one: INT64 is no DOUBLE. One without is what it can
  /// be read as: 5 is an INT64, a DOUBLE or a TIMESTAMP, a string also a number
  /// (`numbersAsStrings`) or the base64 of BYTES.
  ///
  /// A plain value in an encrypted field is taken, and is encrypted from then on; an
  /// encrypted one in a plain field is not.
  public func value(as type: FieldType) throws(TypeMismatch) -> FieldValue? {
    let mismatch = TypeMismatch(
      found: typeName, defined: type.wireName, isEncryption: isEncrypted && !type.isEncrypted)
    switch content {
    case .null: return nil
    case .value(let value):
      guard !mismatch.isEncryption, value.type.isList == type.isList,
        type.kinds.contains(value.type.kind)
      else { throw mismatch }
      return value
    case .raw(let json, nil):
      guard !mismatch.isEncryption, let value = FieldValue(json, as: type) else { throw mismatch }
      return value
    case .raw: throw mismatch
    }
  }

  /// The type of the value as error texts have it; where none was sent, what it seems to be.
  var typeName: String {
    let prefix = isEncrypted ? "ENCRYPTED_" : ""
    return switch content {
    case .value(let value): prefix + value.type.name
    case .raw(_, let type?): prefix + type
    case .raw(let json, nil): prefix + (json.likelyType?.wireName ?? "UNKNOWN")
    case .null: "UNKNOWN"
    }
  }

  /// The type that development gives a field that appears with this value; nil for none, and
  /// where it does not tell.
  var likelyType: FieldType? {
    let type: FieldType? =
      switch content {
      case .value(let value): FieldType(value.type)
      case .raw(let json, nil): json.likelyType
      case .raw, .null: nil
      }
    guard let type, isEncrypted else { return type }
    // A number sent without type has none of its own to be encrypted.
    if case .number = type.primitive {
      return FieldType(.kind(.double), isEncrypted: true, isList: type.isList)
    }
    return type.canBeEncrypted ? type.encrypted : nil
  }
}

extension JSONValue {
  /// What an untyped value seems to be (cloudkit-web-services.md 1.3, "type inference").
  fileprivate var likelyType: FieldType? {
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

  private var likelyElementType: FieldType? {
    if case .array = self { nil } else { likelyType }
  }
}

extension FieldValue {
  /// Reads an untyped value as one of a type; nil where it is none.
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
  /// The kind that untyped values become: a NUMBER is what is preferred, or INT64 where all of
  /// them are whole.
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
    let milliseconds: Int64? =
      if case .number(let number) = self { Int64(exactly: number.rounded()) } else { int64 }
    return milliseconds.map(Timestamp.init(milliseconds:))
  }

  fileprivate var bytes: Data? { string.flatMap { Data(base64Encoded: $0) } }

  fileprivate func decoded<Value: Decodable>() -> Value? {
    guard case .object = self, let data = try? Wire.encode(self) else { return nil }
    return try? Wire.decode(Value.self, from: data, as: .request)
  }
}
