/// The indexes of a field.
public struct Indexes: OptionSet, Hashable, Sendable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// Equality.
  public static let queryable = Indexes(rawValue: 1 << 0)
  /// Tokens of a text.
  public static let searchable = Indexes(rawValue: 1 << 1)
  /// Ranges and order.
  public static let sortable = Indexes(rawValue: 1 << 2)

  /// The indexes by name, in the order in which CloudKit exports them.
  static let names: [(index: Indexes, name: String)] = [
    (.queryable, "QUERYABLE"), (.searchable, "SEARCHABLE"), (.sortable, "SORTABLE"),
  ]
}

extension Indexes: CustomStringConvertible {
  /// As a schema has it: `QUERYABLE SORTABLE`.
  public var description: String {
    Self.names.filter { contains($0.index) }.map(\.name).joined(separator: " ")
  }
}
