public import FoundationEssentials
import GRDB

/// A note that another device deleted.
public struct TrashedNote: Hashable, Sendable {
  public let note: Note
  /// Milliseconds since 1970, UTC.
  public let deletedAt: Int64
}

extension Library {
  /// How many days a note that another device deleted stays in the trash. Only days on which a round
  /// of sync ended are counted.
  public static let trashDays = 90

  /// The notes that other devices deleted, the last deleted first.
  public func trash() throws(LibraryFailure) -> [TrashedNote] {
    try read { database in
      try Row.fetchAll(
        database,
        sql: "SELECT \(Note.columns), deletedAt FROM trash ORDER BY deletedAt DESC, id"
      ).compactMap { row in
        Note(row: row).map { TrashedNote(note: $0, deletedAt: row[6]) }
      }
    }
  }

  /// Brings a note back from the trash, for other devices as well. Where it came back by itself
  /// with another text, its own is kept as another note of the ayah.
  ///
  /// - Parameter now: milliseconds since 1970, UTC.
  /// - Returns: what changed; empty where no such note lies there.
  @discardableResult
  public func restoreNote(_ id: UUID, at now: Int64) throws(LibraryFailure) -> Commit {
    try write { database in
      let row = try Row.fetchOne(
        database, sql: "SELECT \(Note.columns) FROM trash WHERE id = ?",
        arguments: [id.uuidString])
      guard let row, let note = Note(row: row) else { return Commit([]) }
      try database.execute(sql: "DELETE FROM trash WHERE id = ?", arguments: [id.uuidString])
      let found = try database.entry(.note(id))
      if case .note(let same) = found, same.text == note.text { return Commit([]) }
      let back = Note(
        id: found == nil ? id : UUID(), ayah: note.ayah, text: note.text,
        createdAt: note.createdAt, modifiedAt: now.later(than: .note(note)))
      return Commit([try database.put(.note(back), as: .note(back.id), at: now)].compactMap { $0 })
    }
  }
}

extension SyncTransaction {
  /// Counts a day for every note in the trash, and deletes those that have been there for
  /// `Library.trashDays`.
  ///
  /// A day is counted once, and only if it is later than the last day seen: a clock that is set
  /// forward by years and back again costs one day.
  ///
  /// - Parameter now: Milliseconds since 1970, UTC.
  public func emptyTrash(at now: Int64) throws {
    let day = now / 86_400_000
    try database.run(
      """
      UPDATE trash SET daysCounted = daysCounted + (lastDay < ?), lastDay = ? WHERE lastDay <> ?
      """, .int(day), .int(day), .int(day))
    try database.run("DELETE FROM trash WHERE daysCounted >= ?", .int(Library.trashDays))
  }
}
