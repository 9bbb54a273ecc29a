import GRDB
public import Quran

extension Library {
  /// Hands on every ayah that is a favourite or has notes, in the order of the book: once
  /// for each of its notes, oldest first, or once without one. All is as it was at one
  /// moment, and the texts are read one at a time.
  ///
  /// - Throws: a `LibraryFailure`, or what `body` throws.
  public func eachMarkedAyah(
    _ body: (_ ayah: AyahID, _ isFavorite: Bool, _ note: Note?) throws -> Void
  ) throws {
    try reading { database in
      let favorites = try Row.fetchAll(
        database, sql: "SELECT surah, ayah FROM favorite ORDER BY surah, ayah"
      ).compactMap { AyahID($0, 0, 1) }
      let isFavorite = Set(favorites)
      var waiting = favorites[...]
      let rows = try Row.fetchCursor(
        database, sql: "SELECT \(Note.columns) FROM note ORDER BY surah, ayah, createdAt, id")
      while let row = try rows.next() {
        guard let note = Note(row: row) else { continue }
        while let favorite = waiting.first, favorite <= note.ayah {
          if favorite < note.ayah { try body(favorite, true, nil) }
          waiting.removeFirst()
        }
        try body(note.ayah, isFavorite.contains(note.ayah), note)
      }
      for favorite in waiting { try body(favorite, true, nil) }
    }
  }
}
