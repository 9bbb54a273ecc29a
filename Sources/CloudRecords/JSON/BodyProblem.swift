/// Why the body of a request or an answer could not be read.
///
///     operations[3].record.fields.text.value: expected a string
public enum BodyProblem: Error, Hashable, Sendable {
  /// It is no JSON, or exceeds the bounds.
  case json(JSONBounds.Problem)
  /// It is JSON of another shape.
  ///
  /// - Parameters:
  ///   - path: where, as `operations[3].record`; empty for the whole body.
  ///   - complaint: what is wrong there: `is missing`, `expected a string`.
  case shape(path: String, complaint: String)
}

extension BodyProblem: CustomStringConvertible {
  public var description: String {
    switch self {
    case .json(let problem): problem.description
    case .shape("", let complaint): "the body: \(complaint)"
    case .shape(let path, let complaint): "\(path): \(complaint)"
    }
  }
}

extension BodyProblem {
  /// What a server answers: LIMIT_EXCEEDED when the body is too large, else BAD_REQUEST.
  ///
  /// A request that is not understood fails as a whole and changes nothing, also when only
  /// one of its operations is at fault: without its shape an operation has no name to
  /// report under. An operation that is understood and breaks a rule fails alone.
  /// (cloudkit-web-services.md 7 leaves it open; the choice is ours.)
  public var serviceError: ServiceError {
    switch self {
    case .json(.tooLong): ServiceError(.limitExceeded, reason: description)
    default: ServiceError(.badRequest, reason: description)
    }
  }

  /// Makes a decoder's error precise: a path, and what was expected there.
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
      // Where it is none of ours it is Foundation's. That the text is JSON was seen before;
      // what is left is a number outside the range of Double.
      self =
        context.underlyingError as? BodyProblem
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
  /// An error at the place a decoder stands.
  ///
  /// - Parameter complaint: as in `BodyProblem.shape`: `expected a whole number`.
  static func unfit(_ codingPath: [any CodingKey], _ complaint: String) -> DecodingError {
    let problem = BodyProblem.shape(path: BodyProblem.path(codingPath), complaint: complaint)
    return .dataCorrupted(
      Context(codingPath: codingPath, debugDescription: complaint, underlyingError: problem))
  }
}
