/// The indexes of a field.
public struct Indexes: OptionSet, Hashable, Sendable {
  /// The bits of the indexes.
  public let rawValue: UInt8

  /// Creates a set from its bits.
  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// QUERYABLE: for the comparisons that need neither of the others; see
  /// `Filter.Comparator.neededIndex`.
  public static let queryable = Indexes(rawValue: 1 << 0)
  /// SEARCHABLE: for searching tokens (words) of strings.
  public static let searchable = Indexes(rawValue: 1 << 1)
  /// SORTABLE: for comparing with less than and greater than, and for sorting.
  public static let sortable = Indexes(rawValue: 1 << 2)

  /// The indexes with their names, in the order in which CloudKit exports them.
  static let names: [(index: Indexes, name: String)] = [
    (.queryable, "QUERYABLE"), (.searchable, "SEARCHABLE"), (.sortable, "SORTABLE"),
  ]
}

extension Indexes: CustomStringConvertible {
  /// The indexes in the schema language, for example `QUERYABLE SORTABLE`.
  public var description: String {
    Self.names.filter { contains($0.index) }.map(\.name).joined(separator: " ")
  }
}
