public import Library
public import Messages

/// What the reader asks of a file.
public enum FileRequest: Hashable, Sendable {
  /// Take what the file holds into the library, all of which undo takes back together.
  ///
  /// - Parameter path: as it was typed; a `~` at its start is the home.
  case load(path: String)
  /// Write all of the library to a file, of the kind that its name says.
  case save(path: String)
}

/// What comes of a `FileRequest`, in the reader's language.
public enum FileAnswer: Sendable {
  /// A picture of how much is done: no answer yet.
  case working(String)
  case loaded(ImportedFile)
  case saved(String)
  case refused(String)
}

/// What a file brought.
public struct ImportedFile: Sendable {
  /// What changed, for undo.
  public let commit: Commit
  /// The same in a line, and the whole report.
  public let summary: String
  public let report: [String]
  /// What the library holds now.
  public let snapshot: Snapshot

  public init(commit: Commit, summary: String, report: [String], snapshot: Snapshot) {
    self.commit = commit
    self.summary = summary
    self.report = report
    self.snapshot = snapshot
  }
}

/// Reads and writes files for the reader. The kinds of files are known by others.
public struct FileExchange: Sendable {
  /// - Parameters:
  ///   - library: the library, or why there is none.
  ///   - progress: takes a picture of how much is done, now and then.
  public typealias Work =
    @Sendable (
      _ request: FileRequest, _ library: Result<Library, LibraryFailure>, _ messages: Messages,
      _ progress: @escaping @Sendable (String) -> Void
    ) -> FileAnswer

  let answer: Work

  public init(_ answer: @escaping Work) {
    self.answer = answer
  }

  /// Where there are no files.
  public static var none: FileExchange { FileExchange { _, _, _, _ in .refused("") } }

  /// Has the library's owner carry out a request.
  ///
  /// - Parameter post: takes answers, on the library's queue.
  func send(
    _ request: FileRequest, to owner: LibraryOwner, _ messages: Messages,
    post: @escaping @Sendable (FileAnswer) -> Void
  ) {
    owner.run { library in
      let answer = answer(request, library, messages) { post(.working($0)) }
      post(answer)
      return answer.commit
    }
  }
}

extension FileAnswer {
  /// What it changed.
  var commit: Commit { if case .loaded(let file) = self { file.commit } else { Commit([]) } }
}
