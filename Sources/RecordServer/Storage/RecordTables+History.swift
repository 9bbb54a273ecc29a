import CloudRecords
import GRDB

extension RecordTables {
  /// Creates the ID of the service, and computes the marks of existing zones and databases from it.
  static func addHistory(to database: Database) throws {
    let id = try ServiceID.make(in: database)
    try database.execute(sql: "INSERT INTO service (id) VALUES (?)", arguments: [id])
    let legacyMark = DatabaseFunction("legacy_mark", argumentCount: 1, pure: true) { values in
      Int64.fromDatabaseValue(values[0]).map { Mark(ofNumber: $0, givenBeforeMarksBy: id).stored }
    }
    database.add(function: legacyMark)
    defer { database.remove(function: legacyMark) }
    try database.execute(
      sql: """
        UPDATE zone SET sequence = (SELECT number FROM sequence WHERE name = '\(publicSequence)')
        WHERE owner_id IN (
          SELECT id FROM owner WHERE database = '\(DatabaseScope.public.rawValue)');
        UPDATE zone SET legacy = sequence, mark = legacy_mark(sequence);
        UPDATE owner SET legacy = sequence, mark = legacy_mark(sequence);
        INSERT INTO history
        SELECT owner_id, incarnation, sequence, mark, unixepoch() * 1000 FROM zone
        WHERE deleted = 0;
        INSERT INTO history
        SELECT id, \(History.databaseZone), sequence, mark, unixepoch() * 1000 FROM owner;
        """)
  }

  /// Adds an entry to the history of every zone for the numbers that a restore skips. The history
  /// before it remains valid.
  static func addRestore(to database: Database) throws {
    let nextMark = DatabaseFunction("next_mark", argumentCount: 1) { values in
      let former = Int64.fromDatabaseValue(values[0]).map(Mark.init(stored:))
      let source = MarkSource(random: .random(in: .min ... .max), time: 0)
      return source.mark(after: former) { $0.add("restore") }.stored
    }
    database.add(function: nextMark)
    defer { database.remove(function: nextMark) }
    try database.execute(
      sql: """
        UPDATE zone SET mark = next_mark(mark);
        INSERT INTO history
        SELECT owner_id, incarnation, sequence, mark, unixepoch() * 1000 FROM zone
        WHERE deleted = 0;
        """)
  }
}
