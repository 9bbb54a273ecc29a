public import FoundationEssentials
public import Quran

/// What the reader asks of its library.
public enum LibraryRequest: Hashable, Sendable {
  /// Changes that undo takes back together.
  case commit([Change])
  /// What reading brought; nothing that undo takes back.
  case keep(ReadingSession)
  case undo
  case redo
  case notes(AyahID)
  /// Those that other devices deleted stand behind the others.
  case noteList
  /// Bring a note back that another device deleted; nothing that undo takes back, for it
  /// would not lie in the trash again.
  case restoreNote(UUID)
  case save(Draft)
  case dropDraft(UUID)
  /// Drop what is being written; undo brings it back.
  case discardDraft(Draft)
}

/// What the library answers: one reply to each request, in order, and between them
/// what happened by itself.
public enum LibraryReply: Hashable, Sendable {
  case opened(Snapshot, [Notice])
  /// There is none; all that is asked of it will be refused for this reason.
  case unavailable(LibraryFailure)
  /// Another process changed it.
  case refreshed(Snapshot)
  /// Sync changed this.
  case changed(Commit)
  case noticed(Notice)
  /// What was asked is done, and changed this. Undo and redo change nothing where
  /// there is nothing to take back.
  case done(LibraryRequest, Commit)
  case refused(LibraryRequest, LibraryFailure)
  case notes(AyahID, [Note])
  case noteList([NoteSummary])
}
