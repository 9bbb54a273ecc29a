import Synchronization

/// How many rows the statements of a transaction may look at, and how many they have looked at.
///
/// A storage measures the work of its statements in its own way, and converts it to rows. The
/// numbers are therefore estimates.
public final class RowBudget: Sendable {
  /// The maximum number of rows.
  public let limit: Int
  private let rows = Atomic(0)

  public init(limit: Int) {
    self.limit = limit
  }

  /// The number of rows that were looked at.
  public var spent: Int { rows.load(ordering: .relaxed) }

  /// Adds rows that were looked at.
  ///
  /// - Returns: whether the limit is not exceeded yet.
  public func spend(_ count: Int) -> Bool {
    rows.add(count, ordering: .relaxed).newValue <= limit
  }
}
