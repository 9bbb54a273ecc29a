import FoundationEssentials

/// A value in a statement or in a row of an SQL database.
enum SQLValue: Hashable, Sendable {
  case null
  case integer(Int64)
  case text(String)
  case bytes(Data)
}

/// A type that can be used as an argument of an SQL statement.
protocol SQLArgument {
  var sqlValue: SQLValue { get }
}

extension SQLValue: SQLArgument {
  var sqlValue: SQLValue { self }
}

extension Int64: SQLArgument {
  var sqlValue: SQLValue { .integer(self) }
}

extension Int: SQLArgument {
  var sqlValue: SQLValue { .integer(Int64(self)) }
}

/// Stored as 1 or 0.
extension Bool: SQLArgument {
  var sqlValue: SQLValue { .integer(self ? 1 : 0) }
}

extension String: SQLArgument {
  var sqlValue: SQLValue { .text(self) }
}

extension Data: SQLArgument {
  var sqlValue: SQLValue { .bytes(self) }
}

extension Optional: SQLArgument where Wrapped: SQLArgument {
  var sqlValue: SQLValue {
    // A key path here would be created anew each time.
    switch self {
    case .some(let value): value.sqlValue
    case nil: .null
    }
  }
}
