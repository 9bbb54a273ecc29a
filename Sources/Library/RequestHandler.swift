import FoundationEssentials

/// Carries out requests to a library one after the other, and remembers what can be undone.
public struct RequestHandler: Sendable {
  /// The library, or why there is none.
  private let library: Result<Library, LibraryFailure>
  private let files: LibraryFiles
  private var undoStack = UndoStack()

  public init(_ library: Result<Library, LibraryFailure>, files: LibraryFiles = .none) {
    self.library = library
    self.files = files
  }

  /// - Parameters:
  ///   - now: milliseconds since 1970, UTC.
  ///   - progress: takes a picture of how much of a file is done, now and then.
  public mutating func answer(
    _ request: LibraryRequest, at now: Int64,
    progress: @escaping @Sendable (String) -> Void = { _ in }
  ) -> LibraryReply {
    do {
      let library = try library.get()
      switch request {
      case .commit(let changes):
        let commit = try library.commit(changes, at: now)
        // How it looks is changed by the same key that changed it.
        if commit.edits.contains(where: { $0.thing.kind != "setting" }) { undoStack.push(commit) }
        return .done(request, commit)
      case .keep(let reading):
        let commit = try library.keep(reading, at: now)
        for edit in commit.edits { undoStack.follow(edit) }
        return .done(request, commit)
      case .undo:
        return .done(request, try undoStack.undo(in: library, at: now))
      case .redo:
        return .done(request, try undoStack.redo(in: library, at: now))
      case .notes(let ayah):
        return .notes(ayah, try library.notes(of: ayah))
      case .noteList:
        return .noteList(try library.noteList() + library.trash().map(NoteSummary.init))
      case .restoreNote(let id):
        return .done(request, try library.restoreNote(id, at: now))
      case .save(let draft):
        try library.save(draft)
        return .done(request, Commit([]))
      case .dropDraft(let id):
        try library.dropDraft(id)
        return .done(request, Commit([]))
      case .discardDraft(let draft):
        let commit = try library.discard(draft)
        undoStack.push(commit)
        return .done(request, commit)
      case .importFile(let path, let language):
        switch files.load(path, library, language, progress) {
        case .success(let file):
          if !file.commit.isEmpty { undoStack.push(file.commit) }
          return .imported(file, try library.snapshot())
        case .failure(let problem):
          return .fileRefused(request, problem)
        }
      case .exportFile(let path, let language):
        switch files.save(path, library, language, progress) {
        case .success(let text): return .exported(text)
        case .failure(let problem): return .fileRefused(request, problem)
        }
      }
    } catch {
      return .refused(request, error)
    }
  }
}
