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
}
