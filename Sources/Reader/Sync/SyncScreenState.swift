import Sync

/// The state of sync as the screens show it.
struct SyncScreenState {
  var status = SyncStatus()
  /// Whether the library is connected to a service, but nobody is signed in.
  var isSignedOut = false
  /// Whether the user asked for a sync and waits for its outcome.
  var isRequested = false
  /// The issue that was shown last, so that it is shown once.
  var reportedIssue: SyncIssue?
}
