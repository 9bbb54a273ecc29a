import FoundationEssentials

/// A row that a statement returns. Do not use it after the next row was read.
///
///     let name: String = try row[0]
///     let parent: String? = try row["parent"]
protocol SQLRow {
  /// The number of columns.
  var count: Int { get }
  /// Returns the position of a column.
  ///
  /// - Throws: a `StorageFailure` if there is no column of this name.
  func position(of name: String) throws -> Int
  func isNull(_ column: Int) -> Bool
  /// - Throws: a `StorageFailure` if the value is not an integer.
  func integer(_ column: Int) throws -> Int64
  /// - Throws: a `StorageFailure` if the value is not text.
  func text(_ column: Int) throws -> String
  /// - Throws: a `StorageFailure` if the value is not a byte string.
  func bytes(_ column: Int) throws -> Data
}

// Inlined: generic code would look up the type of each value at run time.
extension SQLRow {
  /// Reads a column by its position; the first is 0.
  ///
  /// - Throws: a `StorageFailure` if the value has another type.
  subscript<Value: SQLReadable>(column: Int) -> Value {
    @inline(__always) get throws { try Value(column, of: self) }
  }

  /// Reads a column by its name.
  ///
  /// - Throws: a `StorageFailure` if the value has another type.
  subscript<Value: SQLReadable>(name: String) -> Value {
    get throws { try Value(try position(of: name), of: self) }
  }
}

/// A type whose values can be read from a column.
protocol SQLReadable {
  /// - Throws: a `StorageFailure` if the value has another type.
  init(_ column: Int, of row: some SQLRow) throws
}

extension Int64: SQLReadable {
  @inline(__always) init(_ column: Int, of row: some SQLRow) throws {
    self = try row.integer(column)
  }
}

extension Int: SQLReadable {
  @inline(__always) init(_ column: Int, of row: some SQLRow) throws {
    self = Int(try row.integer(column))
  }
}

extension Bool: SQLReadable {
  @inline(__always) init(_ column: Int, of row: some SQLRow) throws {
    self = try row.integer(column) != 0
  }
}

extension String: SQLReadable {
  @inline(__always) init(_ column: Int, of row: some SQLRow) throws { self = try row.text(column) }
}

extension Data: SQLReadable {
  @inline(__always) init(_ column: Int, of row: some SQLRow) throws { self = try row.bytes(column) }
}

extension Optional: SQLReadable where Wrapped: SQLReadable {
  @inline(__always) init(_ column: Int, of row: some SQLRow) throws {
    self = row.isNull(column) ? nil : try Wrapped(column, of: row)
  }
}
