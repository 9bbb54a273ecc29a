/// An error of a PostgreSQL server or of the connection to it.
struct PostgreSQLError: Error {
  /// The SQLSTATE: five letters and digits
  /// (https://www.postgresql.org/docs/current/errcodes-appendix.html); empty if the connection is
  /// lost or was not established.
  let state: String
  /// The message, without details such as values.
  let message: String
  /// Whether the connection was given up because the server does not answer.
  var isUnresponsive = false

  /// The state of an error of libpq that is not one of the connection: `internal_error`.
  static let internalFailure = "XX000"

  /// Whether the server has answered that a statement has failed. The server then skips the
  /// statements that were sent after it. Errors of class 08 do not count, because they can also
  /// come from a proxy.
  var isAnswer: Bool { !state.isEmpty && !state.hasPrefix("08") }

  /// Whether the transaction was rolled back because of others and succeeds when it is repeated:
  /// `serialization_failure` and `deadlock_detected`.
  var isConflict: Bool { ["40001", "40P01"].contains(state) }

  /// Whether another transaction has inserted a row with the same key: `unique_violation`. A
  /// repeated transaction sees that row.
  var isDuplicate: Bool { state == "23505" }

  /// Whether the statement was stopped, on request or by its time limit: `query_canceled`.
  var isStopped: Bool { state == "57014" }

  /// Whether there is no usable connection: it is lost, was refused, or the server is starting or
  /// stopping, has become read-only, or has ended a transaction that did nothing for too long.
  var isDisconnection: Bool {
    ["", "08000", "08001", "08003", "08004", "08006", "25006", "25P03", "53300"].contains(state)
      || state.hasPrefix("57P")
  }
}

extension StorageFailure {
  init(_ error: PostgreSQLError) {
    self =
      switch error.state {
      case _ where error.isUnresponsive: .unresponsive
      case _ where error.isDisconnection: .disconnected(message: error.message)
      case _ where error.isConflict: .busy
      // Lock timeouts.
      case "55P03": .busy
      case "53100": .full
      case _ where error.isStopped: .cancelled
      default: .failed(.postgresql(state: error.state, message: error.message))
      }
  }
}
