public import FoundationEssentials
public import Quran
public import Words

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
  /// Take what a file holds into the library, all of which undo takes back together.
  case importFile(path: String, Language)
  /// Write all of the library to a file, of the kind that its name says.
  case exportFile(path: String, Language)
}

/// What the library answers: one reply to each request, in order, and between them
/// what happened by itself.
public enum LibraryReply: Hashable, Sendable {
  case opened(Snapshot, [Notice])
  /// There is none; all that is asked of it will be refused for this reason.
  case unavailable(LibraryFailure)
  /// Another process changed it.
  case refreshed(Snapshot)
  case noticed(Notice)
  /// What was asked is done, and changed this. Undo and redo change nothing where
  /// there is nothing to take back.
  case done(LibraryRequest, Commit)
  case refused(LibraryRequest, LibraryFailure)
  case notes(AyahID, [Note])
  case noteList([NoteSummary])
  /// A picture of how much of a file is done: no answer yet.
  case working(String)
  /// What a file brought, and all that the library holds now.
  case imported(LoadedFile, Snapshot)
  /// For the reader.
  case exported(String)
  case fileRefused(LibraryRequest, FileProblem)
}

/// Answers requests to a library one after the other, and remembers what can be undone.
public struct LibraryDesk: Sendable {
  /// The library, or why there is none.
  private let library: Result<Library, LibraryFailure>
  private let files: LibraryFiles
  private var past: [Commit] = []
  private var future: [Commit] = []

  /// Commits that can be undone.
  static let memory = 100

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
        if commit.edits.contains(where: { $0.thing.kind != "setting" }) { remember(commit) }
        return .done(request, commit)
      case .keep(let reading):
        let commit = try library.keep(reading, at: now)
        for edit in commit.edits { moveOn(edit) }
        return .done(request, commit)
      case .undo:
        guard let commit = past.popLast() else { return .done(request, Commit([])) }
        return .done(request, try reverse(commit, of: library, at: now, onto: \.future))
      case .redo:
        guard let commit = future.popLast() else { return .done(request, Commit([])) }
        return .done(request, try reverse(commit, of: library, at: now, onto: \.past))
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
        remember(commit)
        return .done(request, commit)
      case .importFile(let path, let language):
        switch files.load(path, library, language, progress) {
        case .success(let file):
          if !file.commit.isEmpty { remember(file.commit) }
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

  private mutating func remember(_ commit: Commit) {
    past = past.suffix(Self.memory - 1) + [commit]
    future = []
  }

  /// What reading moves on is no change that undo would have to respect: it takes back
  /// the reader's own as well.
  private mutating func moveOn(_ moved: Edit) {
    func follow(_ commits: inout [Commit]) {
      for index in commits.indices.reversed() {
        guard let place = commits[index].edits.lastIndex(where: { $0.thing == moved.thing }) else {
          continue
        }
        let edit = commits[index].edits[place]
        guard edit.after == moved.before else { return }
        commits[index].edits[place] = Edit(moved.thing, from: edit.before, to: moved.after)
        return
      }
    }
    follow(&past)
    follow(&future)
  }

  /// A commit that cannot be reversed for now goes back to where it came from; one whose
  /// things were changed meanwhile can never be.
  private mutating func reverse(
    _ commit: Commit, of library: Library, at now: Int64,
    onto stack: WritableKeyPath<LibraryDesk, [Commit]>
  ) throws(LibraryFailure) -> Commit {
    do {
      let reversed = try library.reverse(commit, at: now)
      self[keyPath: stack].append(reversed)
      return reversed
    } catch {
      if case .changedMeanwhile = error { throw error }
      let origin = stack == \.future ? \LibraryDesk.past : \LibraryDesk.future
      self[keyPath: origin].append(commit)
      throw error
    }
  }
}
