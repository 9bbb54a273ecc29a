/// Why a schema is not taken. Nothing was changed.
public struct SchemaRefusal: Error, Hashable, Sendable {
  /// A sentence for each change that is refused.
  public let reasons: [String]

  public init(reasons: [String]) {
    self.reasons = reasons
  }
}
