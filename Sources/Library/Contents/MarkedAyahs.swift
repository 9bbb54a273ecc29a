import GRDB
public import Quran

extension Library {
  /// Passes every ayah that is a favourite or has notes to a closure, in the order of the book:
  /// once for each of its notes, oldest first, or once without a note. It is one transaction, in
  /// which the texts are read one at a time.
  ///
  /// - Throws: A `LibraryFailure`, or an error of the closure.
  public func eachMarkedAyah(
    _ body: (_ ayah: AyahID, _ isFavorite: Bool, _ note: Note?) throws -> Void
  ) throws {
    try reading { database in
      let favorites = try database.rows("SELECT surah, ayah FROM favorite ORDER BY surah, ayah") {
        AyahID($0, surahColumn: 0, ayahColumn: 1)
      }
      let isFavorite = Set(favorites)
      var waiting = favorites[...]
      try database.eachRow("SELECT \(Note.columns) FROM note ORDER BY \(Note.order)") { row in
        guard let note = Note(row) else { return }
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
