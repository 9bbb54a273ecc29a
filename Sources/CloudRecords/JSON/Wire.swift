public import FoundationEssentials

/// Requests and answers as bytes: the one place where JSON is read and written.
///
///     let request = try Wire.decode(RecordsModify.Request.self, from: body, as: .request)
///     let body = try Wire.encode(answer)
public enum Wire {
  /// Which side reads.
  public enum Role: Hashable, Sendable {
    /// A server reads a request: what is not as it has to be is an error.
    case request
    /// A client reads an answer: a field whose value does not fit its type is kept as it
    /// came, so that one odd field does not cost a page of records.
    case answer
  }

  /// Reads a body.
  ///
  /// - Parameter bounds: checked first; by default those of the role.
  public static func decode<Body: Decodable>(
    _ type: Body.Type, from data: Data, as role: Role, within bounds: JSONBounds? = nil
  ) throws(BodyProblem) -> Body {
    do {
      try (bounds ?? (role == .request ? .request : .answer)).check(data.span)
      let decoder = JSONDecoder()
      decoder.userInfo[.role] = role
      return try decoder.decode(type, from: data)
    } catch {
      throw BodyProblem(error)
    }
  }

  /// Writes a body, its keys in order.
  ///
  /// - Parameter numbersAsStrings: whether the values of INT64 and DOUBLE fields are written
  ///   as strings: what a request may ask for.
  /// - Throws: an `EncodingError` for a number that is not finite. Nothing else fails.
  public static func encode(
    _ body: some Encodable, numbersAsStrings: Bool = false
  ) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.userInfo[.numbersAsStrings] = numbersAsStrings
    return try encoder.encode(body)
  }
}

extension CodingUserInfoKey {
  static let role = Self(unchecked: "CloudRecords.role")
  static let numbersAsStrings = Self(unchecked: "CloudRecords.numbersAsStrings")

  private init(unchecked name: String) {
    guard let key = Self(rawValue: name) else { preconditionFailure("no key: \(name)") }
    self = key
  }
}

extension Decoder {
  /// Whether an answer is read, and what does not fit is kept as it came.
  var isTolerant: Bool { userInfo[.role] as? Wire.Role == .answer }
}
