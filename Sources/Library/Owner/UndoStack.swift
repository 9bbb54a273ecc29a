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

  /// Updates the commits after reading changed a thing that one of them had changed. Undo then
  /// reverses both changes instead of failing with `changedMeanwhile`.
  mutating func amend(with later: Edit) {
    func amend(_ commits: inout [Commit]) {
      for index in commits.indices.reversed() {
        guard let last = commits[index].edits.lastIndex(where: { $0.thing == later.thing }) else {
          continue
        }
        let edit = commits[index].edits[last]
        guard edit.after == later.before else { return }
        commits[index].edits[last] = Edit(later.thing, from: edit.before, to: later.after)
        return
      }
    }
    amend(&past)
    amend(&future)
  }

  /// Reverses the last commit.
  ///
  /// - Parameter now: Milliseconds since 1970, UTC.
  /// - Returns: What was changed; empty if there is nothing to undo.
  /// - Throws: `changedMeanwhile` if a thing was changed after the commit. The commit is then
  ///   forgotten: it can never be undone. Any other failure leaves the stack as it was.
  mutating func undo(in library: Library, at now: Int64) throws(LibraryFailure) -> Commit {
    try Self.reverse(&past, onto: &future, in: library, at: now)
  }

  /// Reverses the last undo. The parameter, the result and the errors are the same as for `undo`.
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
