/// A JSON value of unknown type: the value of a field that was sent without its type, or a value
/// that is only passed on.
///
/// A number that fits into Int64 is decoded as `integer`, regardless of its notation (`5`, `5.0`,
/// `5e0`), so equal numbers are equal values.
public enum JSONValue: Hashable, Sendable {
  /// `null`.
  case null
  /// `true` or `false`.
  case bool(Bool)
  /// A whole number that fits into Int64.
  case integer(Int64)
  /// Any other number, which is finite.
  case number(Double)
  /// A string.
  case string(String)
  /// An array.
  case array([JSONValue])
  /// An object.
  case object([String: JSONValue])
}

extension JSONValue: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    // Each failed attempt creates an error, which is slow, so the most frequent types are tried
    // first.
    if container.decodeNil() {
      self = .null
    } else if let string = try? container.decode(String.self) {
      self = .string(string)
    } else if let integer = try? container.decode(Int64.self) {
      self = .integer(integer)
    } else if let number = try? container.decode(Double.self) {
      self = .number(number)
    } else if var list = try? decoder.unkeyedContainer() {
      var array: [JSONValue] = []
      while !list.isAtEnd { array.append(try list.decode(JSONValue.self)) }
      self = .array(array)
    } else if (try? decoder.container(keyedBy: AnyKey.self)) != nil {
      self = .object(try container.decode([String: JSONValue].self))
    } else if let bool = try? container.decode(Bool.self) {
      self = .bool(bool)
    } else {
      self = .number(try container.decode(Double.self))
    }
  }

  private struct AnyKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let bool): try container.encode(bool)
    case .integer(let integer): try container.encode(integer)
    case .number(let number): try container.encode(number)
    case .string(let string): try container.encode(string)
    case .array(let array): try container.encode(array)
    case .object(let object): try container.encode(object)
    }
  }
}
