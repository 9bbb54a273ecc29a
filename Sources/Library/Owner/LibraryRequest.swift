public import FoundationEssentials
public import Quran

/// A request to a library. See `RequestHandler`.
public enum LibraryRequest: Hashable, Sendable {
  /// Makes changes that undo reverses together. If all of them are changes of settings, undo does
  /// not reverse them.
  case commit([Change])
  /// Stores what reading changed. Undo does not reverse it, except for the progress of a surah that
  /// the undone commit had changed before: see `UndoStack.amend`.
  case saveReading(ReadingChanges)
  /// Reverses the last commit.
  case undo
  /// Reverses the last undo.
  case redo
  /// Reads the notes of an ayah.
  case notes(AyahID)
  /// Reads the notes that have these IDs.
  case notesWithIDs([UUID])
  /// Reads all notes for a list. Notes in the trash follow the others.
  case noteList
  /// Reads all notes with their whole texts, without those in the trash.
  case allNotes
  /// Restores a note from the trash. Undo does not reverse it.
  case restoreNote(UUID)
  /// Stores a draft.
  case save(Draft)
  /// Deletes a draft. Undo does not reverse it.
  case deleteDraft(UUID)
  /// Deletes a draft. Undo restores it.
  case discardDraft(Draft)
}

/// A reply to a request, or an event. There is one reply to each request, in the order of the
/// requests.
public enum LibraryReply: Hashable, Sendable {
  /// The library was opened.
  case opened(Snapshot, [Notice])
  /// The library cannot be opened. All requests are refused for this reason.
  case unavailable(LibraryFailure)
  /// Another process changed the library.
  case refreshed(Snapshot)
  /// Sync changed the library.
  case changed(Commit)
  /// The check of the file in the background found damage.
  case noticed(Notice)
  /// The request was carried out. The commit is empty if nothing was changed, for example because
  /// there was nothing to undo or redo.
  case done(LibraryRequest, Commit)
  /// The request was not carried out.
  case refused(LibraryRequest, LibraryFailure)
  /// The notes of an ayah, oldest first.
  case notes(AyahID, [Note])
  /// The notes that have the requested IDs. IDs of notes that do not exist are ignored.
  case notesWithIDs([Note])
  /// All notes, in the order of the book, then those in the trash.
  case noteList([NoteSummary])
  /// All notes in the order of the book.
  case allNotes([Note])
}
