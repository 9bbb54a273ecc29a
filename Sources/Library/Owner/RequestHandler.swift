import FoundationEssentials

/// Carries out requests to a library, one after the other, with an undo stack.
public struct RequestHandler: Sendable {
  /// The library, or why there is none.
  private let library: Result<Library, LibraryFailure>
  private var undoStack = UndoStack()

  /// Creates a handler with an empty undo stack.
  ///
  /// - Parameter library: The library, or the reason why there is none. All requests are refused
  ///   then.
  public init(_ library: Result<Library, LibraryFailure>) {
    self.library = library
  }

  /// Runs a task with the library, for example the import of a file.
  ///
  /// - Parameter work: Returns its commit, which undo reverses.
  public mutating func run(_ work: (Result<Library, LibraryFailure>) -> Commit) -> Commit {
    let commit = work(library)
    if !commit.isEmpty { undoStack.push(commit) }
    return commit
  }

  /// Carries out a request.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - now: Milliseconds since 1970, UTC.
  /// - Returns: The reply; `refused` if the request failed.
  public mutating func perform(_ request: LibraryRequest, at now: Int64) -> LibraryReply {
    do {
      let library = try library.get()
      switch request {
      case .commit(let changes):
        let commit = try library.commit(changes, at: now)
        // Undo does not reverse changes of settings: the user presses the same key again for that.
        if commit.edits.contains(where: { $0.thing.kind != .setting }) { undoStack.push(commit) }
        return .done(request, commit)
      case .saveReading(let reading):
        let commit = try library.save(reading, at: now)
        for edit in commit.edits { undoStack.amend(with: edit) }
        return .done(request, commit)
      case .undo:
        return .done(request, try undoStack.undo(in: library, at: now))
      case .redo:
        return .done(request, try undoStack.redo(in: library, at: now))
      case .notes(let ayah):
        return .notes(ayah, try library.notes(of: ayah))
      case .notesWithIDs(let ids):
        return .notesWithIDs(try library.notes(withIDs: ids))
      case .noteList:
        return .noteList(try library.noteList() + library.restorableTrash().map(NoteSummary.init))
      case .allNotes:
        return .allNotes(try library.allNotes())
      case .restoreNote(let id):
        return .done(request, try library.restoreNote(id, at: now))
      case .save(let draft):
        try library.save(draft)
        return .done(request, Commit([]))
      case .deleteDraft(let id):
        try library.deleteDraft(id)
        return .done(request, Commit([]))
      case .discardDraft(let draft):
        let commit = try library.discard(draft)
        undoStack.push(commit)
        return .done(request, commit)
      }
    } catch {
      return .refused(request, error)
    }
  }
}
