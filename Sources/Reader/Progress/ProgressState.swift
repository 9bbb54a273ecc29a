import Library

/// The state of the progress screen, and of the counting of ayahs as read.
struct ProgressState {
  /// The rows of the screen while it is shown.
  var rows: [ProgressRow] = []
  var browsing = Browsing.off
  /// Whether to explain browsing, because an ayah did not count. It is explained once in each
  /// library.
  var isExplanationDue = false
  /// The ayahs that were counted as read on a day, as `AyahID.index`, so that each counts once a
  /// day.
  var counted: (day: Day?, ayahs: Set<Int>) = (nil, [])
}

/// Whether the ayahs that the cursor passes count as read.
enum Browsing: Hashable {
  /// They count.
  case off
  /// They do not count after a jump, until the cursor passes the ayah after the last one read in
  /// its surah, which counts.
  case afterJump
  /// They do not count until the user switches browsing off.
  case byUser
}
