import CPostgreSQL
import Glibc

/// The parameters of a connection, with libpq's names. A later parameter overrides an earlier one
/// of the same name, so an address can change those that come before it.
///
/// The time limits are in seconds, `tcp_user_timeout` is in milliseconds. A server that is
/// read-only, as a replica is until it is promoted, counts as one that cannot be reached.
struct PostgreSQLConnectionParameters {
  /// The settings of each connection.
  ///
  /// The statements are written for a fixed order of joins and for certain indexes, which they can
  /// name only on SQLite. Plans must not change with the statistics of tables, which differ between
  /// owners.
  ///
  /// A process that is frozen or cut off in a transaction holds locks. The server ends such a
  /// transaction after 15 seconds, and no other transaction waits for a lock for more than 10.
  private static let settings = """
    -c join_collapse_limit=1 -c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off \
    -c enable_bitmapscan=off -c jit=off -c max_parallel_workers_per_gather=0 \
    -c client_min_messages=error -c default_transaction_isolation=read\\ committed \
    -c idle_in_transaction_session_timeout=15000 -c lock_timeout=10000 \
    -c tcp_keepalives_idle=15 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3
    """

  /// How long libpq waits for each server while it opens a connection.
  private static let connectLimit = (key: "connect_timeout", value: "5")

  private var parameters: [(key: String, value: String)]

  init(_ address: String) {
    parameters = [
      Self.connectLimit, ("tcp_user_timeout", "15000"), ("keepalives_idle", "15"),
      ("keepalives_interval", "5"), ("keepalives_count", "3"),
      ("target_session_attrs", "read-write"), ("dbname", address), ("client_encoding", "UTF8"),
      ("options", Self.settings), ("fallback_application_name", "record-service"),
    ]
  }

  /// Adds parameters whose values libpq has returned.
  mutating func append(_ values: [(key: String, value: UnsafeMutablePointer<CChar>?)]) {
    parameters += values.compactMap { key, value in
      guard let value, value.pointee != 0 else { return nil }
      return (key, String(cString: value))
    }
  }

  /// Limits the time for opening a connection, even if the address has another limit.
  mutating func limitConnecting() { parameters.append(Self.connectLimit) }

  /// Calls a function of libpq with the parameters. `dbname` may be an address, whose parts are
  /// then taken from it.
  func with<Value>(
    _ function: (UnsafePointer<UnsafePointer<CChar>?>, UnsafePointer<UnsafePointer<CChar>?>, CInt)
      -> Value
  ) -> Value {
    withCStrings(parameters.map(\.key)) { keys in
      withCStrings(parameters.map(\.value)) { values in function(keys, values, 1) }
    }
  }
}

/// Calls a closure with strings as a null-terminated array of C strings.
private func withCStrings<Value>(
  _ strings: [String], _ body: ([UnsafePointer<CChar>?]) -> Value
) -> Value {
  let copies = strings.map { strdup($0) }
  defer { for copy in copies { free(copy) } }
  return body(copies.map { UnsafePointer($0) } + [nil])
}
