import FoundationEssentials

extension FieldValue {
  /// Decodes a value of a type.
  init<Key>(
    from container: KeyedDecodingContainer<Key>, forKey key: Key, as type: ValueType
  ) throws {
    func decode<Value: Decodable>(_: Value.Type) throws -> Value {
      try container.decode(Value.self, forKey: key)
    }
    func numbers<Number: Codable & LosslessStringConvertible>() throws -> [Number] {
      // Most lists have no strings, and this is faster.
      if let numbers = try? decode([Number].self) { return numbers }
      return try decode([WireNumber<Number>].self).map(\.number)
    }
    self =
      switch (type.kind, type.isList) {
      case (.string, false): .string(try decode(String.self))
      case (.int64, false): .int64(try decode(WireNumber<Int64>.self).number)
      case (.double, false): .double(try decode(WireNumber<Double>.self).number)
      case (.timestamp, false): .timestamp(try decode(Timestamp.self))
      case (.bytes, false): .bytes(try decode(WireBytes.self).data)
      case (.location, false): .location(try decode(Location.self))
      case (.reference, false): .reference(try decode(Reference.self))
      case (.asset, false): .asset(try decode(Asset.self))
      case (.string, true): .strings(try decode([String].self))
      case (.int64, true): .int64s(try numbers())
      case (.double, true): .doubles(try numbers())
      case (.timestamp, true): .timestamps(try decode([Timestamp].self))
      case (.bytes, true): .bytesList(try decode([WireBytes].self).map(\.data))
      case (.location, true): .locations(try decode([Location].self))
      case (.reference, true): .references(try decode([Reference].self))
      case (.asset, true): .assets(try decode([Asset].self))
      }
  }

  func encode<Key>(to container: inout KeyedEncodingContainer<Key>, forKey key: Key) throws {
    switch self {
    case .string(let string): try container.encode(string, forKey: key)
    case .int64(let number): try container.encode(WireNumber(number: number), forKey: key)
    case .double(let number): try container.encode(WireNumber(number: number), forKey: key)
    case .timestamp(let timestamp): try container.encode(timestamp, forKey: key)
    case .bytes(let data): try container.encode(WireBytes(data: data), forKey: key)
    case .location(let location): try container.encode(location, forKey: key)
    case .reference(let reference): try container.encode(reference, forKey: key)
    case .asset(let asset): try container.encode(asset, forKey: key)
    case .strings(let list): try container.encode(list, forKey: key)
    case .int64s(let list): try container.encode(list.map(WireNumber.init), forKey: key)
    case .doubles(let list): try container.encode(list.map(WireNumber.init), forKey: key)
    case .timestamps(let list): try container.encode(list, forKey: key)
    case .bytesList(let list): try container.encode(list.map(WireBytes.init), forKey: key)
    case .locations(let list): try container.encode(list, forKey: key)
    case .references(let list): try container.encode(list, forKey: key)
    case .assets(let list): try container.encode(list, forKey: key)
    }
  }
}

/// A number that can be encoded as a string, as `numbersAsStrings` requests.
private struct WireNumber<Number: Codable & LosslessStringConvertible> {
  let number: Number
}

extension WireNumber: Codable {
  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let number = try? container.decode(Number.self) {
      self.number = number
    } else if let string = try? container.decode(String.self),
      let number = Number(wireString: string)
    {
      self.number = number
    } else {
      let isWhole = Number.self is any FixedWidthInteger.Type
      throw DecodingError.invalidValue(decoder.codingPath, isWhole ? .int64 : .number)
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    if encoder.userInfo[.numbersAsStrings] as? Bool == true {
      try container.encode(number.description)
    } else {
      try container.encode(number)
    }
  }
}

extension LosslessStringConvertible {
  /// Creates a number from a string that has only the characters of a JSON number and is finite;
  /// otherwise nil. This excludes `nan`, `0x1p4` and other forms that `init(_:)` accepts.
  init?(wireString: String) {
    let allowed = "+-.0123456789eE"
    guard wireString.utf8.allSatisfy(allowed.utf8.contains) else { return nil }
    self.init(wireString)
    if let double = self as? Double, !double.isFinite { return nil }
  }
}

extension Data {
  /// Decodes base64. Unlike `init(base64Encoded:)`, refuses texts with "=" in other places than the
  /// last two, such as "====".
  init?(wireBase64 text: String) {
    let padding = text.utf8.drop { $0 != UInt8(ascii: "=") }
    guard text.utf8.count % 4 == 0, padding.count <= 2,
      padding.allSatisfy({ $0 == UInt8(ascii: "=") })
    else { return nil }
    self.init(base64Encoded: text)
  }
}

/// Bytes that are encoded as base64.
private struct WireBytes {
  let data: Data
}

extension WireBytes: Codable {
  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let data = Data(wireBase64: try container.decode(String.self)) else {
      throw DecodingError.invalidValue(decoder.codingPath, .base64)
    }
    self.data = data
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(data.base64EncodedString())
  }
}
