/// The reason why the body of a request or response could not be decoded.
///
///     operations[3].record.fields.text.value: expected a string
public enum BodyDecodingError: Error, Hashable, Sendable {
  /// The body is not well-formed JSON, or exceeds the bounds.
  case json(JSONBounds.Problem)
  /// The JSON does not have the expected structure.
  ///
  /// - Parameters:
  ///   - path: The path to the value, for example `operations[3].record`; empty for the whole body.
  ///   - complaint: What is wrong with the value: `is missing`, `expected a string`.
  case shape(path: String, complaint: String)
}

extension BodyDecodingError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .json(let problem): problem.description
    case .shape("", let complaint): "the body: \(complaint)"
    case .shape(let path, let complaint): "\(path): \(complaint)"
    }
  }
}

extension BodyDecodingError {
  /// The error of the server's response: LIMIT_EXCEEDED if the body is too large, otherwise
  /// BAD_REQUEST.
  ///
  /// A request that cannot be decoded fails as a whole and changes nothing, even if only one of its
  /// operations is malformed: such an operation may not have a record name under which its error
  /// could be reported. An operation that can be decoded but breaks a rule fails alone. Apple does
  /// not document these cases; the behavior is this project's choice.
  public var serviceError: ServiceError {
    switch self {
    case .json(.tooLong): ServiceError(.limitExceeded, reason: description)
    default: ServiceError(.badRequest, reason: description)
    }
  }

  /// Creates a problem with the path and the expectation from an error of a decoder.
  init(_ error: any Error) {
    switch error {
    case let problem as JSONBounds.Problem:
      self = .json(problem)
    case DecodingError.typeMismatch(let type, let context),
      DecodingError.valueNotFound(let type, let context):
      self = .shape(
        path: Self.path(context.codingPath), complaint: "expected \(Self.noun(for: type))")
    case DecodingError.keyNotFound(let key, let context):
      self = .shape(path: Self.path(context.codingPath + [key]), complaint: "is missing")
    case DecodingError.dataCorrupted(let context):
      // An error of this module has an underlying `BodyDecodingError`. Foundation's own errors do
      // not. Because the text is known to be JSON, Foundation's error can only be about a number
      // that exceeds the range of Double.
      self =
        context.underlyingError as? BodyDecodingError
        ?? .shape(path: Self.path(context.codingPath), complaint: "expected numbers of 64 bits")
    default:
      self = .shape(path: "", complaint: "cannot be read")
    }
  }

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

  private static func noun(for type: any Any.Type) -> String {
    switch type {
    case is String.Type: "a string"
    case is Bool.Type: "true or false"
    case is Double.Type: "a number"
    case is any FixedWidthInteger.Type: "a whole number"
    case is any ExpressibleByArrayLiteral.Type: "a list"
    case is any ExpressibleByDictionaryLiteral.Type: "an object"
    default: "another value"
    }
  }
}

extension DecodingError {
  /// Returns an error at the decoder's current position.
  ///
  /// - Parameter complaint: As in `BodyDecodingError.shape`, for example `expected a whole number`.
  static func invalidValue(_ codingPath: [any CodingKey], _ complaint: String) -> DecodingError {
    let problem = BodyDecodingError.shape(
      path: BodyDecodingError.path(codingPath), complaint: complaint)
    return .dataCorrupted(
      Context(codingPath: codingPath, debugDescription: complaint, underlyingError: problem))
  }
}
