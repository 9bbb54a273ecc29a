import Library

/// The progress screen, and how reading is counted.
struct ProgressState {
  /// The rows of the screen while it is shown.
  var rows: [ProgressRow] = []
  var browsing = Browsing.off
  /// Whether an ayah did not count and the reason was not explained yet.
  var isExplanationDue = false
  /// The ayahs that were counted as read on a day, by `AyahID.index`.
  var counted: (day: Day?, ayahs: Set<Int>) = (nil, [])
}

/// Whether the ayahs that the cursor passes count as read.
enum Browsing: Hashable {
  /// They count.
  case off
  /// They do not count after a jump, until the next unread ayah is read.
  case arrived
  /// They do not count until the user switches browsing off.
  case chosen
}
