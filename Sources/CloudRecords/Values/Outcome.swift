/// One entry of an answer's list of zones or subscriptions: it, or why it failed.
///
/// An entry is an error if, and only if, it has a `serverErrorCode`.
public enum Outcome<Value: Codable & Hashable & Sendable>: Hashable, Sendable {
  case success(Value)
  case failure(ServiceError)

  public var value: Value? { if case .success(let value) = self { value } else { nil } }
  public var error: ServiceError? { if case .failure(let error) = self { error } else { nil } }

  public func get() throws(ServiceError) -> Value {
    switch self {
    case .success(let value): return value
    case .failure(let error): throw error
    }
  }
}

extension Outcome: Codable {
  public init(from decoder: any Decoder) throws {
    self =
      try ServiceError.isPresent(in: decoder)
      ? .failure(ServiceError(from: decoder)) : .success(Value(from: decoder))
  }

  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .success(let value): try value.encode(to: encoder)
    case .failure(let error): try error.encode(to: encoder)
    }
  }
}
