/// What keeps text from being lost. A simulation breaks one rule at a time to show that
/// it would notice.
struct SyncRules: Hashable, Sendable {
  /// Whether an edit wins over a deletion that had not seen it.
  var editOutlivesDeletion = true
  /// Whether what the server held before is looked at, to tell who changed something.
  var comparesWithBase = true
  /// Whether an answer leaves changes alone that were made after its request.
  var countsGenerations = true
  /// Whether what a listing does not have is looked up before it counts as deleted.
  var looksUpMissing = true

  // MARK: A service whose files were put back

  /// Whether only what succeeded is taken from an answer that tells of a fork.
  var takesOnlySuccesses = true
  /// Whether it is written down that everything has to be listed after a fork.
  var remembersFork = true
  /// Whether what is absent after a fork is created again.
  var createsAbsentAgain = true
  /// Whether, after a fork, a record is created again when its tombstone names another version
  /// than ours, or none.
  var createsUnseenAgain = true
  /// Whether, after a fork, a tombstone that names our version is applied.
  var acceptsSeenDeletions = true
  /// Whether, after a fork, an unknown version is merged without a base.
  var forgetsBaseAfterFork = true
  /// Whether, after a fork, a former version of the record is used as the merge base.
  var knowsFormerVersions = true
  /// Whether deletions that were lost in a fork are sent again.
  var remembersDeletions = true
}
