/// An item of a list in a response, for example of zones or subscriptions: a value or an error.
///
/// An item is an error if and only if it has a `serverErrorCode` or an `extensionErrorCode`. The
/// body of a response can also be decoded as an item.
public enum ItemResult<Value: Codable & Hashable & Sendable>: Hashable, Sendable {
  /// The requested value.
  case success(Value)
  /// The error of this item.
  case failure(ServiceError)

  /// The value; nil if the item is an error.
  public var value: Value? { if case .success(let value) = self { value } else { nil } }
  /// The error; nil if the item is a value.
  public var error: ServiceError? { if case .failure(let error) = self { error } else { nil } }

  /// Returns the value.
  ///
  /// - Throws: The error, if the item is one.
  public func get() throws(ServiceError) -> Value {
    switch self {
    case .success(let value): return value
    case .failure(let error): throw error
    }
  }
}

extension ItemResult: Codable {
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
