public import CloudRecords
import Synchronization

/// The work that a request causes beyond its operations: the rows that its query looks at, and the
/// subscriptions that its changes fire. It is known only afterwards, and is charged to the client
/// then.
public final class RequestWork: Sendable {
  /// The rows that a query looks at. A query that exceeds this limit is refused; most queries
  /// return a short page before that (`QueryRun.rowLimit`).
  let rows = RowBudget(limit: 500_000)
  private let fanOut = Atomic(0)
  private let requireRoom: @Sendable (_ bytes: Int) throws(ServiceError) -> Void

  /// The number of rows that a request may look at without being charged for them. A page of
  /// records with a few filters stays below it.
  static let includedRows = 2000
  /// The number of further rows that are charged as one operation.
  static let rowsPerOperation = 200
  /// The amount of fan-out that is charged as one operation.
  static let fanOutPerOperation = 20
  /// The number of comparisons of a change with a filter that are one unit of fan-out.
  static let comparisonsPerUnit = 100

  /// - Parameter requireRoom: makes room for a large response of this size, or throws if there is
  ///   none.
  public init(
    requireRoom: @escaping @Sendable (_ bytes: Int) throws(ServiceError) -> Void = { _ in }
  ) {
    self.requireRoom = requireRoom
  }

  /// Makes room for a response. Call it before changes are committed.
  func requireRoom(forResponse bytes: Int) throws(ServiceError) {
    if bytes > BodyBudget.smallResponse { try requireRoom(bytes) }
  }

  /// Adds subscriptions that were read and notifications that were queued.
  func addFanOut(_ count: Int) { fanOut.add(count, ordering: .relaxed) }

  /// The number of operations that are charged for the work.
  var operations: Int {
    max(0, rows.spent - Self.includedRows) / Self.rowsPerOperation
      + fanOut.load(ordering: .relaxed) / Self.fanOutPerOperation
  }
}
