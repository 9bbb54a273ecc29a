/// The reasons why a schema was refused. Nothing was changed.
public struct SchemaRefusal: Error, Hashable, Sendable {
  /// A sentence for each refused change.
  public let reasons: [String]

  public init(reasons: [String]) {
    self.reasons = reasons
  }
}
