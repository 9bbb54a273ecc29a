import NIOConcurrencyHelpers

@testable import RecordServer

/// A database that records the statements of each transaction.
struct TracedDatabase: SQLDatabase {
  struct Statement: Sendable {
    let sql: String
    let arguments: [SQLValue]
    /// The number of rows that were read.
    var rows = 0
  }

  struct Transaction: Sendable {
    var statements: [Statement] = []
    let isReadOnly: Bool
  }

  let database: any SQLDatabase
  private let transactions = NIOLockedValueBox<[Transaction]>([])

  init(_ database: any SQLDatabase) {
    self.database = database
  }

  /// Removes and returns the transactions that were committed since the last call.
  func removeAll() -> [Transaction] {
    transactions.withLockedValue { transactions in
      defer { transactions = [] }
      return transactions
    }
  }

  func read<Value: Sendable>(
    within budget: RowBudget?, _ body: @escaping @Sendable (any SQLConnection) throws -> Value
  ) async throws -> Value {
    let (value, statements) = try await database.read(within: budget) { try Self.traced($0, body) }
    transactions.withLockedValue { $0.append(.init(statements: statements, isReadOnly: true)) }
    return value
  }

  func write<Value: Sendable>(
    for account: Int64?, _ body: @escaping @Sendable (any SQLConnection) throws -> Value
  ) async throws -> Value {
    let (value, statements) = try await database.write(for: account) { try Self.traced($0, body) }
    transactions.withLockedValue { $0.append(.init(statements: statements, isReadOnly: false)) }
    return value
  }

  private static func traced<Value>(
    _ connection: any SQLConnection, _ body: (any SQLConnection) throws -> Value
  ) rethrows -> (Value, [Statement]) {
    let traced = TracedConnection(connection)
    return (try body(traced), traced.statements)
  }
}

private final class TracedConnection: SQLConnection {
  private let connection: any SQLConnection
  var statements: [TracedDatabase.Statement] = []

  init(_ connection: any SQLConnection) {
    self.connection = connection
  }

  var dialect: SQLDialect { connection.dialect }

  private func record(_ sql: String, _ arguments: [any SQLArgument]) {
    statements.append(.init(sql: sql, arguments: arguments.map(\.sqlValue)))
  }

  func run(_ sql: String, _ arguments: [any SQLArgument]) throws {
    record(sql, arguments)
    try connection.run(sql, arguments)
  }

  func changedRows(_ sql: String, _ arguments: [any SQLArgument]) throws -> Int {
    record(sql, arguments)
    return try connection.changedRows(sql, arguments)
  }

  func forEachRow(
    _ sql: String, _ arguments: [any SQLArgument], lifetime: SQLStatementLifetime,
    _ body: (any SQLRow) throws -> Bool
  ) throws {
    record(sql, arguments)
    let index = statements.count - 1
    try connection.forEachRow(sql, arguments, lifetime: lifetime) { row in
      statements[index].rows += 1
      return try body(row)
    }
  }

  func hasTable(_ name: String) throws -> Bool { try connection.hasTable(name) }
}

/// A storage whose statements are traced.
struct TracedStorage: RecordStorage {
  let storage: any RecordStorage
  let trace: TracedDatabase
  private let transactions: SQLTransactions

  /// - Parameter database: the database of `storage`; nil for the one that `storage` has opened.
  init(_ storage: any RecordStorage, over database: (any SQLDatabase)? = nil) throws {
    self.storage = storage
    trace = TracedDatabase(try database ?? storage.sql)
    transactions = SQLTransactions(database: trace) { _ in }
  }

  func read<Value: Sendable>(
    within budget: RowBudget?, _ body: @escaping @Sendable (SQLTransaction) throws -> Value
  ) async throws -> Value {
    try await transactions.read(within: budget, body)
  }

  func write<Value: Sendable>(
    for account: Int64?, _ body: @escaping @Sendable (SQLWriteTransaction) throws -> Value
  ) async throws -> Value {
    try await transactions.write(for: account, body)
  }
}
