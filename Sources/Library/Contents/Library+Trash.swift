public import FoundationEssentials
import GRDB
import Quran

/// A note in the trash. Sync adds a note to the trash when another device has deleted it. In a
/// library that was restored to an earlier state, it also adds a note whose text it replaces.
public struct TrashedNote: Hashable, Sendable {
  /// The note.
  public let note: Note
  /// The time at which this device added it to the trash, in milliseconds since 1970, UTC.
  public let deletedAt: Int64
}

extension Library {
  /// How many days a note stays in the trash. Only days on which a round of sync succeeded are
  /// counted.
  public static let trashDays = 90

  /// Returns the notes in the trash, the last added first.
  public func trash() throws(LibraryFailure) -> [TrashedNote] {
    try read { try $0.trash() }
  }

  /// Returns the notes in the trash that can be restored, the last added first: without those that
  /// the library has with the same text, because they were imported or restored from a backup.
  public func restorableTrash() throws(LibraryFailure) -> [TrashedNote] {
    try read { database in
      try database.trash().filter { trashed in
        guard case .note(let note) = try database.entry(.note(trashed.note.id)) else { return true }
        return note.text != trashed.note.text
      }
    }
  }

  /// Restores a note from the trash. Sync restores it on the other devices. If the library has a
  /// note with its ID and another text, the restored note gets a new ID.
  ///
  /// - Parameter now: Milliseconds since 1970, UTC.
  /// - Returns: What was changed; empty if the note is not in the trash, or if the library has a
  ///   note with its ID and text.
  @discardableResult
  public func restoreNote(_ id: UUID, at now: Int64) throws(LibraryFailure) -> Commit {
    try write { database in
      let notes = try database.rows(
        "SELECT \(Note.columns) FROM trash WHERE id = ?", id.uuidString, make: Note.init)
      guard let note = notes.first else { return Commit([]) }
      try database.run("DELETE FROM trash WHERE id = ?", id.uuidString)
      let found = try database.entry(.note(id))
      if case .note(let same) = found, same.text == note.text { return Commit([]) }
      let back = note.with(
        id: found == nil ? id : UUID(), modifiedAt: now.advanced(past: .note(note)))
      return Commit([try database.put(.note(back), as: .note(back.id), at: now)].compactMap { $0 })
    }
  }
}

extension SyncTransaction {
  /// Counts a day for every note in the trash and every stored deletion, and deletes those that
  /// were stored for `Library.trashDays`.
  ///
  /// - Parameter now: Milliseconds since 1970, UTC.
  public func deleteExpired(at now: Int64) throws {
    try database.deleteRows(of: "trash", after: Library.trashDays, at: now)
    try database.deleteRows(of: "deletedRecord", after: Library.trashDays, at: now)
  }
}

extension Database {
  /// Returns the number of the day of a time, in UTC.
  static func day(of time: Int64) -> Int64 { time / 86_400_000 }

  /// Counts a day for every row of a table with the columns `daysCounted` and `lastDay`, and
  /// deletes the rows for which `days` days were counted.
  ///
  /// A day is counted once, and only if it is later than the last day seen. A clock that is set
  /// forward by years and back again therefore adds only one day.
  ///
  /// - Parameter now: Milliseconds since 1970, UTC.
  func deleteRows(of table: String, after days: Int, at now: Int64) throws {
    let day = Self.day(of: now)
    try run(
      """
      UPDATE \(table) SET daysCounted = daysCounted + (lastDay < ?), lastDay = ? WHERE lastDay <> ?
      """, day, day, day)
    try run("DELETE FROM \(table) WHERE daysCounted >= ?", days)
  }

  /// Returns the notes in the trash, the last added first.
  func trash() throws -> [TrashedNote] {
    try rows("SELECT \(Note.columns), deletedAt FROM trash ORDER BY deletedAt DESC, id") { row in
      Note(row).map { TrashedNote(note: $0, deletedAt: row.int64(6)) }
    }
  }

  /// Adds the notes in the trash of the library that this one replaces. A note is added even if
  /// this library has a note with its text, because the next sync may replace that note.
  func addToTrash(_ notes: [TrashedNote]) throws {
    let transaction = SyncTransaction(database: self)
    for trashed in notes { try transaction.addToTrash(trashed.note, at: trashed.deletedAt) }
  }

  /// Gives a note in the trash a new ID, so that a note with the same ID does not replace it. Does
  /// nothing if the other note contains its text.
  ///
  /// - Parameter note: The note that is about to replace it.
  func keepTrashedText(of note: Note) throws {
    let trashed = try rows(
      "SELECT \(Note.columns) FROM trash WHERE id = ?", note.id.uuidString, make: Note.init)
    guard let old = trashed.first,
      old.ayah != note.ayah || !LineMerge.holds(note.text.text, linesOf: old.text.text)
    else { return }
    let copy = old.conflictCopy(fromRecord: Note.placeholderRecordName(for: old.id))
    // If there is such a copy, it has the same text.
    try run(
      "UPDATE OR IGNORE trash SET id = ? WHERE id = ?", copy.id.uuidString, old.id.uuidString)
  }
}
