import CPostgreSQL
import FoundationEssentials
import Glibc

/// A connection to a PostgreSQL server, with its prepared statements.
///
/// Statements are sent in pipeline mode
/// (https://www.postgresql.org/docs/current/libpq-pipeline-mode.html). `send` does not wait for the
/// result of its statement. The next `execute` reads that result before its own. If the first
/// statement has failed, the server skips the second one, and `execute` throws the error of the
/// first.
///
/// It is not protected against several threads. `PostgreSQLPool` gives it to one at a time.
final class PostgreSQLConnection: @unchecked Sendable {
  fileprivate let library: PostgreSQLLibrary
  private let connection: OpaquePointer
  private let pingParameters: PostgreSQLConnectionParameters
  private let silenceLimit: Duration
  /// Whether the server did not answer a ping. The connection must not be used after that: late
  /// results would be taken for those of other statements.
  private var isSilent = false
  /// The names of the prepared statements, by their SQL with `?`.
  private var names: [String: String] = [:]
  /// How many statements were prepared.
  private var preparedCount = 0
  /// The messages that were sent and whose results were not read yet, oldest first.
  private var unanswered: [Sent] = []
  /// The size of the arguments of these statements.
  private var unansweredBytes = 0

  /// A message to the server.
  private enum Sent {
    /// Executes a statement.
    case statement
    /// Prepares a statement, given as SQL with `?`.
    case preparation(String)
    /// A synchronization point. After an error, the server skips all messages up to the next one.
    case synchronization
  }

  /// The maximum number of statements before results are read.
  private static let unansweredLimit = 256
  /// The size of arguments after which results are read. libpq keeps in memory what the server has
  /// not read yet.
  private static let unansweredBytesLimit = 1 << 20
  /// How long to wait for the server before a ping is sent to it.
  static let silenceLimit = Duration.seconds(15)
  /// How often the results of everything that was sent were read.
  private(set) var synchronizations = 0

  /// - Parameters:
  ///   - address: the address of the database, as a URL or in libpq's form.
  ///   - silenceLimit: how long to wait for the server before a ping is sent to it.
  /// - Throws: a `PostgreSQLError` if the server cannot be reached or refuses the connection; a
  ///   `StorageFailure` if libpq 14 or later is not installed or cannot read the address.
  init(
    _ address: String, silenceLimit: Duration = PostgreSQLConnection.silenceLimit
  ) throws {
    guard let library = postgresql_library()?.pointee else {
      throw StorageFailure.failed(.missingPostgreSQLClient)
    }
    // libpq's message about an address that it cannot read has parts of it, such as the password.
    guard let options = library.conninfoParse(address, nil) else {
      throw StorageFailure.failed(.unreadableAddress)
    }
    defer { library.conninfoFree(options) }
    try Self.check(options)
    var parameters = PostgreSQLConnectionParameters(address)
    guard let connection = parameters.with(library.connectdbParams) else {
      throw PostgreSQLError(state: "53200", message: "")
    }
    // The address can name several servers and can have its own time limit. A ping goes to the
    // server of this connection, with our time limit.
    parameters.append([
      ("host", library.host(connection)), ("hostaddr", library.hostaddr(connection)),
      ("port", library.port(connection)),
    ])
    parameters.limitConnecting()
    pingParameters = parameters
    self.silenceLimit = silenceLimit
    self.library = library
    self.connection = connection
    guard isConnected, library.setnonblocking(connection, 1) == 0,
      library.enterPipelineMode(connection) == 1
    else { throw disconnection }
  }

  deinit { library.finish(connection) }

  fileprivate var isConnected: Bool { library.status(connection) == postgresql_connection_ok }

  /// The error of a lost connection.
  var disconnection: PostgreSQLError {
    PostgreSQLError(state: "", message: isSilent ? "" : message, isUnresponsive: isSilent)
  }

  /// The error of a statement that was not sent: the connection is lost, or libpq refuses the
  /// statement.
  private var sendingFailure: PostgreSQLError {
    guard isConnected, !isSilent else { return disconnection }
    return PostgreSQLError(state: PostgreSQLError.internalFailure, message: message)
  }

  /// Whether a transaction is open. After `endReading` has sent its end, it counts as ended.
  var isInTransaction: Bool {
    if case .synchronization? = unanswered.last { return false }
    return !unanswered.isEmpty
      || library.transactionStatus(connection) != postgresql_transaction_idle
  }

  /// Lets another thread stop the running statement.
  func cancellation() -> PostgreSQLCancellation? { PostgreSQLCancellation(library, connection) }

  /// Commits the open transaction.
  ///
  /// - Throws: a `PostgreSQLError`, also if a statement has failed before; then the server rolls
  ///   the transaction back, or it has to be rolled back.
  func commit() throws {
    guard try execute("COMMIT", lifetime: .connection).command == "COMMIT" else {
      throw PostgreSQLError(state: "25P02", message: "")
    }
  }

  /// Ends the open transaction, which has only read, without waiting until the server has done so.
  ///
  /// - Throws: a `PostgreSQLError` if the connection is lost.
  func endReading() throws {
    try send("COMMIT")
    try sendSynchronization()
    let unsent = library.flush(connection)
    guard unsent >= 0 else { throw disconnection }
    // The rest would not be sent while the connection is not used.
    if unsent > 0 { try readResults() }
  }

  /// Executes a statement, after those that were sent.
  ///
  /// - Parameters:
  ///   - sql: the statement, with a `?` for each argument.
  ///   - lifetime: `connection` prepares the statement at its first use and keeps it.
  /// - Returns: the result, whose values are in binary format.
  /// - Throws: a `PostgreSQLError` if the statement fails, or one that was sent before.
  @discardableResult
  func execute(
    _ sql: String, _ arguments: [any SQLArgument] = [],
    lifetime: SQLStatementLifetime = .transaction
  ) throws -> PostgreSQLResult {
    try send(sql, arguments, lifetime: lifetime)
    guard let result = try synchronize() else { throw disconnection }
    return result
  }

  /// Adds a statement that returns no rows to those that are sent together: libpq sends them when
  /// its buffer is full, or before results are read. The next `execute` or `synchronize` throws the
  /// error of the statement, or the next `send` that reads results because there are many.
  ///
  /// - Throws: a `PostgreSQLError` if the number of arguments is wrong, libpq refuses the
  ///   statement, the connection is lost, or a statement that was sent before has failed and its
  ///   result was read.
  func send(
    _ sql: String, _ arguments: [any SQLArgument] = [],
    lifetime: SQLStatementLifetime = .connection
  ) throws {
    guard !isSilent else { throw disconnection }
    if unanswered.count >= Self.unansweredLimit || unansweredBytes >= Self.unansweredBytesLimit {
      try synchronize()
    }
    let values = arguments.map(\.sqlValue)
    let encoded = PostgreSQLArguments(values)
    unansweredBytes += encoded.byteCount
    let isSent: Bool
    switch lifetime {
    case .connection:
      let name = try prepared(sql, values)
      isSent = encoded.withPointers { count, _, values, lengths, formats in
        library.sendQueryPrepared(connection, name, count, values, lengths, formats, 1) == 1
      }
    case .transaction:
      let sql = try Self.numbered(sql, count: values.count)
      isSent = encoded.withPointers { count, types, values, lengths, formats in
        library.sendQueryParams(connection, sql, count, types, values, lengths, formats, 1) == 1
      }
    }
    guard isSent else { throw sendingFailure }
    unanswered.append(.statement)
  }

  /// Returns the name of the prepared statement of some SQL, which is prepared at its first use.
  private func prepared(_ sql: String, _ values: [SQLValue]) throws -> String {
    if let name = names[sql] { return name }
    let name = "s\(preparedCount)"
    // The types of NULL follow from the statement.
    let types = values.map(\.type)
    guard
      library.sendPrepare(
        connection, name, try Self.numbered(sql, count: types.count), Int32(types.count), types)
        == 1
    else { throw sendingFailure }
    preparedCount += 1
    names[sql] = name
    unanswered.append(.preparation(sql))
    return name
  }

  private func sendSynchronization() throws {
    guard !isSilent, library.pipelineSync(connection) == 1 else { throw sendingFailure }
    unanswered.append(.synchronization)
  }

  /// Waits for the results of everything that was sent.
  ///
  /// - Returns: the last result; nil if there is none.
  /// - Throws: the first error.
  @discardableResult
  func synchronize() throws -> PostgreSQLResult? {
    try sendSynchronization()
    return try readResults()
  }

  /// Waits for the results of everything that was sent, as `synchronize` does.
  @discardableResult
  private func readResults() throws -> PostgreSQLResult? {
    var last: PostgreSQLResult?
    var failure: PostgreSQLError?
    defer {
      unanswered.removeAll(keepingCapacity: true)
      unansweredBytes = 0
    }
    for sent in unanswered {
      guard let result = nextResult() else { throw failure ?? disconnection }
      switch sent {
      case .synchronization:
        let isEnd = library.resultStatus(result) == postgresql_pipeline_sync
        library.clear(result)
        guard isEnd else { throw failure ?? disconnection }
      case .statement, .preparation:
        do throws(PostgreSQLError) {
          last = try PostgreSQLResult(result, of: self)
        } catch {
          failure = failure ?? error
          if case .preparation(let sql) = sent { names[sql] = nil }
        }
        // NULL follows the result of each statement. If another result follows instead, the next
        // results would be taken for those of other statements.
        if let other = nextResult() {
          library.clear(other)
          throw disconnection
        }
      }
    }
    synchronizations += 1
    if let failure { throw failure }
    return last
  }

  /// Sends what was not sent yet and waits for the next result.
  ///
  /// A server whose processes or machine are stopped keeps its connections open. Therefore the
  /// server is pinged if nothing has arrived for the time of `silenceLimit`.
  ///
  /// - Returns: nil after the result of a statement, and also if the connection is lost or the
  ///   server does not answer.
  private func nextResult() -> OpaquePointer? {
    while !isSilent {
      let unsent = library.flush(connection)
      let descriptor = library.socket(connection)
      guard unsent >= 0, descriptor >= 0, library.isBusy(connection) == 1 else {
        // There is a result, or the connection is lost: this returns at once.
        return library.getResult(connection)
      }
      let events = Int16(POLLIN) | (unsent > 0 ? Int16(POLLOUT) : 0)
      var socket = pollfd(fd: descriptor, events: events, revents: 0)
      let count = poll(&socket, 1, Int32(silenceLimit / .milliseconds(1)))
      // Also if the time is over: TLS may have read more than libpq had room for.
      guard library.consumeInput(connection) == 1 else { return library.getResult(connection) }
      if count == 0, library.isBusy(connection) == 1,
        pingParameters.with(library.pingParams) == postgresql_ping_no_response
      {
        isSilent = true
      }
    }
    return nil
  }

  /// Replaces each `?` by `$1`, `$2` and so on. No statement has a `?` in a string.
  ///
  /// - Throws: a `PostgreSQLError` if the number of arguments is another one. The server would
  ///   accept further arguments when it prepares a statement.
  private static func numbered(_ sql: String, count: Int) throws(PostgreSQLError) -> String {
    var text = ""
    var number = 0
    for part in sql.split(separator: "?", omittingEmptySubsequences: false) {
      if number > 0 { text += "$\(number)" }
      text += part
      number += 1
    }
    guard number == count + 1 else {
      throw PostgreSQLError(state: "08P01", message: "\(number - 1) arguments, not \(count)")
    }
    return text
  }

  /// The message of the last error.
  fileprivate var message: String {
    guard let message = library.errorMessage(connection) else { return "" }
    return String(cString: message).split(separator: "\n").joined(separator: " ")
  }
}

/// Stops the running statement of a connection from any thread.
final class PostgreSQLCancellation: @unchecked Sendable {
  private let library: PostgreSQLLibrary
  private let cancel: OpaquePointer

  fileprivate init?(_ library: PostgreSQLLibrary, _ connection: OpaquePointer) {
    guard let cancel = library.getCancel(connection) else { return nil }
    self.library = library
    self.cancel = cancel
  }

  deinit { library.freeCancel(cancel) }

  /// Asks the server to stop the statement, and waits until the server has received the request.
  func callAsFunction() {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { message in
      _ = library.cancel(cancel, message.baseAddress, Int32(message.count))
    }
  }
}

/// The result of a statement.
final class PostgreSQLResult {
  fileprivate let library: PostgreSQLLibrary
  fileprivate let result: OpaquePointer

  /// - Throws: a `PostgreSQLError` if the statement has failed.
  fileprivate init(
    _ result: OpaquePointer, of connection: PostgreSQLConnection
  ) throws(PostgreSQLError) {
    library = connection.library
    self.result = result
    let status = library.resultStatus(result)
    guard status == postgresql_tuples_ok || status == postgresql_command_ok else {
      throw PostgreSQLError(
        state: field(postgresql_sqlstate) ?? "",
        message: field(postgresql_message) ?? connection.message)
    }
  }

  deinit { library.clear(result) }

  /// A field of the error.
  private func field(_ field: Int32) -> String? {
    library.resultErrorField(result, field).map { String(cString: $0) }
  }

  /// The name of the command that was carried out, for some commands followed by a number of rows.
  var command: String { library.cmdStatus(result).map { String(cString: $0) } ?? "" }

  /// The number of rows that were inserted, updated or deleted.
  var changedRows: Int { library.cmdTuples(result).flatMap { Int(String(cString: $0)) } ?? 0 }

  /// The integer in the first row and column, 1 or 0 for a boolean; nil if there is no such value.
  var number: Int? { rows.first { _ in true }.flatMap { try? $0[0] as Int } }

  /// The rows.
  var rows: some Sequence<PostgreSQLRow> {
    (0..<library.ntuples(result)).lazy.map { PostgreSQLRow(result: self, row: $0) }
  }
}

/// A row of a result.
struct PostgreSQLRow: SQLRow {
  fileprivate let result: PostgreSQLResult
  fileprivate let row: Int32

  var count: Int { Int(result.library.nfields(result.result)) }

  func position(of name: String) throws -> Int {
    // `PQfnumber` would change the case of letters.
    let column = (0..<result.library.nfields(result.result)).first { column in
      result.library.fname(result.result, column).map { String(cString: $0) == name } ?? false
    }
    guard let column else { throw StorageFailure.failed(.damaged(.column(name))) }
    return Int(column)
  }

  func isNull(_ column: Int) -> Bool {
    result.library.getisnull(result.result, row, Int32(column)) == 1
  }

  func integer(_ column: Int) throws -> Int64 {
    let bytes = try value(column, [.bigint, .integer, .smallint, .boolean])
    // Big-endian; a shorter integer is extended to 64 bits with its sign. A boolean has one byte.
    let first: Int64 = bytes.count > 1 && bytes.first ?? 0 >= 0x80 ? -1 : 0
    return bytes.reduce(first) { $0 << 8 | Int64($1) }
  }

  func text(_ column: Int) throws -> String {
    String(decoding: try value(column, [.text, .varchar, .name]), as: UTF8.self)
  }

  func bytes(_ column: Int) throws -> Data { Data(try value(column, [.bytea])) }

  /// The bytes of a value that is not null and has one of some types.
  private func value(
    _ column: Int, _ types: [PostgreSQLType]
  ) throws -> UnsafeRawBufferPointer {
    let index = Int32(column)
    guard !isNull(column), let value = result.library.getvalue(result.result, row, index),
      types.contains(where: { $0.rawValue == result.library.ftype(result.result, index) })
    else {
      let name = result.library.fname(result.result, index).map { String(cString: $0) }
      throw StorageFailure.failed(.damaged(.column(name ?? "")))
    }
    return UnsafeRawBufferPointer(
      start: value, count: Int(result.library.getlength(result.result, row, index)))
  }
}

/// The OIDs of the types of values, which are the same in all versions (pg_type.dat).
private enum PostgreSQLType: Oid {
  case boolean = 16
  case bytea = 17
  case name = 19
  case bigint = 20
  case smallint = 21
  case integer = 23
  case text = 25
  case varchar = 1043
}

extension SQLValue {
  /// The OID of the type; 0 for NULL, which has the type that the statement requires.
  fileprivate var type: Oid {
    switch self {
    case .null: 0
    case .integer: PostgreSQLType.bigint.rawValue
    case .text: PostgreSQLType.text.rawValue
    case .bytes: PostgreSQLType.bytea.rawValue
    }
  }
}

/// The arguments of a statement in the binary form of the protocol.
private struct PostgreSQLArguments {
  private let types: [Oid]
  /// The bytes of all arguments one after the other.
  private var bytes: [UInt8] = []
  /// For each argument, the offset of its bytes; nil for NULL.
  private var offsets: [Int?] = []
  private var lengths: [Int32] = []

  var byteCount: Int { bytes.count }

  init(_ values: [SQLValue]) {
    types = values.map(\.type)
    for value in values {
      let start = bytes.count
      switch value {
      case .null: break
      case .integer(let integer):
        withUnsafeBytes(of: integer.bigEndian) { bytes.append(contentsOf: $0) }
      case .text(let text): bytes.append(contentsOf: text.utf8)
      case .bytes(let data): bytes.append(contentsOf: data)
      }
      offsets.append(value == .null ? nil : start)
      lengths.append(Int32(bytes.count - start))
    }
    // So that an empty argument at the end has an address, too.
    bytes.append(0)
  }

  func withPointers<Value>(
    _ body: (
      _ count: Int32, _ types: [Oid], _ values: [UnsafePointer<CChar>?], _ lengths: [Int32],
      _ formats: [Int32]
    ) throws -> Value
  ) rethrows -> Value {
    try bytes.withUnsafeBytes { bytes in
      let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
      let values = offsets.map { offset in offset.flatMap { start?.advanced(by: $0) } }
      return try body(
        Int32(types.count), types, values, lengths, types.map { _ in 1 })
    }
  }
}
