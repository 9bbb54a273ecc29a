public import FoundationEssentials

/// Encodes and decodes the bodies of requests and responses.
///
///     let request = try Wire.decode(RecordsModify.Request.self, from: body, as: .request)
///     let body = try Wire.encode(response)
///
/// All JSON of the module is encoded and decoded here.
public enum Wire {
  /// The kind of body that is decoded.
  public enum Role: Hashable, Sendable {
    /// A request, decoded by a server: an invalid value is an error.
    case request
    /// A response, decoded by a client: a field whose value does not have the stated type is kept
    /// as raw JSON, so that it does not make the whole page undecodable.
    case response
  }

  /// Decodes a body.
  ///
  /// - Parameters:
  ///   - type: The type of the body.
  ///   - data: The JSON.
  ///   - role: The kind of body.
  ///   - bounds: The bounds that are checked first; nil for the bounds of the role.
  /// - Throws: A `BodyDecodingError` if the data exceeds the bounds, is not JSON, or cannot be
  ///   decoded as `type`.
  public static func decode<Body: Decodable>(
    _ type: Body.Type, from data: Data, as role: Role, within bounds: JSONBounds? = nil
  ) throws(BodyDecodingError) -> Body {
    do {
      try (bounds ?? (role == .request ? .request : .response)).check(data.span)
      let decoder = JSONDecoder()
      decoder.userInfo[.role] = role
      return try decoder.decode(type, from: data)
    } catch {
      throw BodyDecodingError(error)
    }
  }

  /// A function that returns the text for the cause of an error.
  public typealias Wording = @Sendable (ErrorCause) -> String

  /// Encodes a body, with sorted keys.
  ///
  /// - Parameters:
  ///   - body: The body.
  ///   - numbersAsStrings: Whether the values of INT64 and DOUBLE fields are encoded as strings.
  ///   - wording: Returns the text for the causes of errors in the body; nil if the body has no
  ///     errors, or only errors whose cause is `text`.
  ///   - base: The beginning of the service's URLs, which is put before URLs of assets that are
  ///     paths; nil to encode paths unchanged.
  /// - Throws: An `EncodingError` if a number is not finite, or if there is no `wording` for the
  ///   cause of an error. There are no other errors.
  public static func encode(
    _ body: some Encodable, numbersAsStrings: Bool = false, wording: Wording? = nil,
    base: String? = nil
  ) throws -> Data {
    let encoder = encoder()
    encoder.userInfo[.numbersAsStrings] = numbersAsStrings
    encoder.userInfo[.wording] = wording
    encoder.userInfo[.base] = base
    guard let body = body as? any RecordPage else { return try encoder.encode(body) }
    var page = PageWriter(encoder: encoder, numbersAsStrings: numbersAsStrings)
    try body.write(to: &page)
    return Data(page.bytes)
  }

  /// An encoder that sorts keys.
  static func encoder() -> JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
  }
}

extension CodingUserInfoKey {
  /// The key of the `Wire.Role`.
  static let role = Self(unchecked: "CloudRecords.role")
  /// The key of a Boolean: whether numbers are encoded as strings.
  static let numbersAsStrings = Self(unchecked: "CloudRecords.numbersAsStrings")
  /// The key of a `Wire.Wording`.
  static let wording = Self(unchecked: "CloudRecords.wording")
  /// The key of a string: the beginning of the service's URLs.
  static let base = Self(unchecked: "CloudRecords.base")

  private init(unchecked name: String) {
    guard let key = Self(rawValue: name) else { preconditionFailure("no key: \(name)") }
    self = key
  }
}

extension Encoder {
  /// The URL of a service, which may be a path, as it is encoded.
  func url(_ text: String) -> String {
    guard text.utf8.first == UInt8(ascii: "/"), let base = userInfo[.base] as? String else {
      return text
    }
    return base + text
  }
}

extension Decoder {
  /// Whether a response is decoded, in which a field with an invalid value is kept as raw JSON.
  var isLenient: Bool { userInfo[.role] as? Wire.Role == .response }
}
