/// The commits that can be undone, and those that can be redone.
struct UndoStack: Sendable {
  /// The greatest number of commits that can be undone.
  static let limit = 100

  private var past: [Commit] = []
  private var future: [Commit] = []

  /// Adds a commit that can be undone. Nothing can be redone after it.
  mutating func push(_ commit: Commit) {
    past = past.suffix(Self.limit - 1) + [commit]
    future = []
  }

  /// Adapts the commits to a change that reading made after them, so that it is not a conflict:
  /// undo reverses it together with the change of the user.
  mutating func follow(_ moved: Edit) {
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

  /// Reverses the last commit.
  ///
  /// - Parameter now: Milliseconds since 1970, UTC.
  /// - Returns: What was changed; empty if there is nothing to undo.
  /// - Throws: `changedMeanwhile`, and the commit is forgotten: it can never be undone. Any other
  ///   failure leaves the stack as it was.
  mutating func undo(in library: Library, at now: Int64) throws(LibraryFailure) -> Commit {
    try Self.reverse(&past, onto: &future, in: library, at: now)
  }

  /// As `undo`, for the commit that was undone last.
  mutating func redo(in library: Library, at now: Int64) throws(LibraryFailure) -> Commit {
    try Self.reverse(&future, onto: &past, in: library, at: now)
  }

  private static func reverse(
    _ source: inout [Commit], onto target: inout [Commit], in library: Library, at now: Int64
  ) throws(LibraryFailure) -> Commit {
    guard let commit = source.popLast() else { return Commit([]) }
    do throws(LibraryFailure) {
      let reversed = try library.reverse(commit, at: now)
      target.append(reversed)
      return reversed
    } catch {
      if case .changedMeanwhile = error { throw error }
      source.append(commit)
      throw error
    }
  }
}
