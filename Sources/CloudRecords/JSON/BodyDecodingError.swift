/// The reason why the body of a request or response could not be decoded.
public enum BodyDecodingError: Error, Hashable, Sendable {
  /// The body is not well-formed JSON, or exceeds the bounds.
  case json(JSONBounds.Problem)
  /// The JSON does not have the expected structure.
  ///
  /// - Parameters:
  ///   - path: The path to the value, for example `operations[3].record`; empty for the whole body.
  ///   - mismatch: What is wrong with the value.
  case shape(path: String, mismatch: Mismatch)

  /// What is wrong with a value.
  public enum Mismatch: Hashable, Sendable {
    /// The key is missing.
    case missing
    /// The value is not of the expected kind.
    case expected(Expected)
    /// The decoder does not report what is wrong.
    case unreadable
  }

  /// The value that should be at a path.
  public enum Expected: Hashable, Sendable {
    /// A JSON value of this type; for `wholeNumber` a number without a fraction.
    case string, boolean, number, wholeNumber, list, object
    /// A whole number in the range of `Int64`.
    case int64
    /// Numbers that their fields can hold: in range, and whole where a whole number is expected.
    case representableNumbers
    /// A value of a type that has no case here.
    case otherValue
    /// A string in base64.
    case base64
    /// A timestamp: a number of milliseconds.
    case milliseconds
    /// The name of a container.
    case containerName
    /// The name of a system field.
    case systemField
    /// The name of a comparator (`Filter.Comparator`).
    case comparator
    /// One of these strings.
    case oneOf([String])
  }
}

extension BodyDecodingError {
  /// The error of the server's response: LIMIT_EXCEEDED if the body is too large, otherwise
  /// BAD_REQUEST. A filter with an unknown comparator is an invalid predicate.
  ///
  /// A request that cannot be decoded fails as a whole and changes nothing, even if only one of its
  /// operations is malformed: such an operation may not have a record name under which its error
  /// could be reported. An operation that can be decoded but breaks a rule fails alone. Apple does
  /// not document these cases; the behavior is this project's choice.
  public var serviceError: ServiceError {
    switch self {
    case .json(.tooLong): ServiceError(.limitExceeded, cause: .malformedBody(self))
    case .shape(let path, .expected(.comparator)):
      ServiceError(.badRequest, cause: .invalidPredicate(.unknownComparator(path: path)))
    default: ServiceError(.badRequest, cause: .malformedBody(self))
    }
  }

  /// Converts an error of `JSONBounds.check(_:)` or of a JSON decoder.
  init(_ error: any Error) {
    switch error {
    case let problem as JSONBounds.Problem:
      self = .json(problem)
    case DecodingError.typeMismatch(let type, let context),
      DecodingError.valueNotFound(let type, let context):
      self = .shape(
        path: Self.path(context.codingPath), mismatch: .expected(Self.expected(type)))
    case DecodingError.keyNotFound(let key, let context):
      self = .shape(path: Self.path(context.codingPath + [key]), mismatch: .missing)
    case DecodingError.dataCorrupted(let context):
      // An error of this module has an underlying `BodyDecodingError`. Foundation's own errors do
      // not. Because the text is known to be JSON, Foundation's error can only be about a number
      // that is out of range, or has a fraction where a whole number is expected. It has no path.
      self =
        context.underlyingError as? BodyDecodingError
        ?? .shape(path: Self.path(context.codingPath), mismatch: .expected(.representableNumbers))
    default:
      self = .shape(path: "", mismatch: .unreadable)
    }
  }

  /// Returns a path in the form `operations[3].record`.
  fileprivate static func path(_ keys: [any CodingKey]) -> String {
    var path = ""
    for key in keys {
      if let index = key.intValue {
        path += "[\(index)]"
      } else {
        path += path.isEmpty ? key.stringValue : ".\(key.stringValue)"
      }
    }
    return path
  }

  private static func expected(_ type: any Any.Type) -> Expected {
    switch type {
    case is String.Type: .string
    case is Bool.Type: .boolean
    case is Double.Type: .number
    case is any FixedWidthInteger.Type: .wholeNumber
    case is any ExpressibleByArrayLiteral.Type: .list
    case is any ExpressibleByDictionaryLiteral.Type: .object
    default: .otherValue
    }
  }
}

extension DecodingError {
  /// Returns an error at the decoder's current position.
  static func invalidValue(
    _ codingPath: [any CodingKey], _ expected: BodyDecodingError.Expected
  ) -> DecodingError {
    let problem = BodyDecodingError.shape(
      path: BodyDecodingError.path(codingPath), mismatch: .expected(expected))
    return .dataCorrupted(
      Context(codingPath: codingPath, debugDescription: "", underlyingError: problem))
  }
}
