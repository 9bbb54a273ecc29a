import FoundationEssentials
import Library
import Quran

/// A list's selection, and the part of it that is shown.
struct ListState: Hashable {
  var selection = 0
  /// The first row shown.
  var top = 0

  /// Moves `top` so that the selection is among `height` rows, and no row of the screen is left
  /// empty as long as there are rows to show.
  mutating func reveal(height: Int, count: Int) {
    selection = min(max(selection, 0), max(count - 1, 0))
    top = min(max(top, selection - height + 1), selection)
    top = max(min(top, count - height), 0)
  }
}

/// The state of the lists.
struct Lists {
  /// The tab that was selected when the user left the text for a list. Esc in the list returns to
  /// the text and selects this tab again. Nil if the user did not come from the text.
  var textOrigin: Tab?
  /// The list from which the user opened the search, and to which Esc returns. Nil if the search
  /// was opened from the text.
  var searchOrigin: Tab?
  /// The filter of the list of surahs.
  var filter = TextField()
  /// The surah that was selected when the filter was opened; Esc selects it again.
  var surahBeforeFilter: SurahNumber?
  /// Every note; nil until the library has sent them.
  var notes: [NoteSummary]?
  /// The ID of a note that is selected when the library has sent the notes, because the user has
  /// just saved it or brought it back.
  var wantedNote: UUID?
  /// The position to which the text beside a list was scrolled; nil if it was not.
  var preview: TextPosition?
  /// The states by the raw value of the tab.
  private var states = Array(repeating: ListState(), count: Tab.allCases.count)

  subscript(tab: Tab) -> ListState {
    get { states[tab.rawValue] }
    set { states[tab.rawValue] = newValue }
  }
}
