/// Copies the rows of a table from one database to another.
struct TableCopy {
  let table: TableShape
  let source: any SQLConnection
  let target: any SQLConnection

  /// The number of rows that are read and inserted together. No more rows are in memory.
  static let rowsAtOnce = 64

  /// Replaces the rows of the target by those of the source, reads them again, and compares both.
  ///
  /// - Parameter rowDone: called for each row when it was copied, and when it was compared.
  /// - Returns: the number of rows.
  /// - Throws: `MoveFailure.differs` if the rows are not the same; a `StorageFailure`.
  func run(_ rowDone: () -> Void) throws -> Int {
    // The migrations have added rows for a new service.
    try target.run("DELETE FROM \(table.name)", [])
    var sent = RowDigest()
    var rows: [[SQLValue]] = []
    try source.forEachRow(of: table) { row in
      sent.add(row)
      rows.append(row)
      if rows.count == Self.rowsAtOnce {
        try insert(rows)
        rows.removeAll(keepingCapacity: true)
      }
      rowDone()
    }
    try insert(rows)
    var stored = RowDigest()
    try target.forEachRow(of: table) { row in
      stored.add(row)
      rowDone()
    }
    guard sent == stored else { throw MoveFailure.differs(table: table.name) }
    return sent.count
  }

  private func insert(_ rows: [[SQLValue]]) throws {
    try target.insert(
      rows, into: "\(table.name) (\(table.columnList))", atOnce: Self.rowsAtOnce)
  }

  // MARK: IDs

  /// Makes the IDs of new rows greater than all IDs that the source has assigned, even to rows that
  /// were deleted.
  func continueIDs() throws {
    guard table.hasIDs else { return }
    let last =
      switch source.dialect {
      case .sqlite:
        try source.row("SELECT seq FROM sqlite_sequence WHERE name = ?", [table.name]) {
          try $0[0] as Int64
        }
      case .postgresql:
        try source.row(
          "SELECT pg_sequence_last_value(pg_get_serial_sequence(?, 'id'))", [table.name]
        ) { try $0[0] as Int64? } ?? nil
      }
    guard let last, last > 0 else { return }
    switch target.dialect {
    case .sqlite:
      try target.run("DELETE FROM sqlite_sequence WHERE name = ?", [table.name])
      try target.run("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", [table.name, last])
    case .postgresql:
      _ = try target.row("SELECT setval(pg_get_serial_sequence(?, 'id'), ?)", [table.name, last]) {
        try $0[0] as Int64
      }
    }
  }
}

extension SQLConnection {
  /// Calls a closure with each row of a table.
  fileprivate func forEachRow(
    of table: TableShape, _ body: ([SQLValue]) throws -> Void
  ) throws {
    let select = "SELECT \(table.columnList) FROM \(table.name)"
    func forEachRow(_ sql: String) throws -> Int {
      var count = 0
      try self.forEachRow(sql, [], lifetime: .transaction) { row in
        count += 1
        try body(table.values(of: row))
        return true
      }
      return count
    }
    switch dialect {
    case .sqlite: _ = try forEachRow(select)
    case .postgresql:
      // The result of a SELECT would have all rows in memory.
      _ = try forEachRow("DECLARE rows_to_copy NO SCROLL CURSOR FOR \(select)")
      while try forEachRow("FETCH FORWARD \(TableCopy.rowsAtOnce) FROM rows_to_copy") > 0 {}
      _ = try forEachRow("CLOSE rows_to_copy")
    }
  }
}
