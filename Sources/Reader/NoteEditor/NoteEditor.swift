import Library
import Quran

/// A note being written.
struct NoteEditor {
  private(set) var draft: Draft
  var area: TextArea
  /// The index of the first row of `area` that is shown.
  var top = 0
  /// The text that counts as unchanged: the text of the stored note, or an empty text if the note
  /// is new, was deleted or could not be saved.
  let original: String
  /// The stored draft that this editor resumed; nil if it resumed none.
  private let resumedDraft: Draft?
  /// Whether the text has changes that the library has not saved as a draft.
  private(set) var hasUnsavedDraft: Bool
  /// Whether the editor resumed an unfinished note.
  let isResumed: Bool

  init(_ draft: Draft, original: String, isUnsaved: Bool, isResumed: Bool) {
    self.draft = draft
    self.original = original
    resumedDraft = isResumed ? draft : nil
    hasUnsavedDraft = isUnsaved
    self.isResumed = isResumed
    area = TextArea(draft.text, width: 1)
  }

  /// Whether the text is that of the draft that this editor resumed.
  var isAsResumed: Bool { area.text == resumedDraft?.text }

  var isChanged: Bool { area.byteCount != original.utf8.count || area.text != original }

  /// Returns the draft as it is now.
  func draft(at now: Int64) -> Draft {
    var draft = draft
    draft.text = area.text
    draft.changedAt = now
    return draft
  }

  /// Returns the draft that undo restores after editing is cancelled; nil if nothing is lost.
  func discarded(at now: Int64) -> Draft? {
    if isChanged { return draft(at: now) }
    return resumedDraft.flatMap { $0.text == original ? nil : $0 }
  }

  mutating func draftToSave(at now: Int64) -> Draft? {
    guard hasUnsavedDraft else { return nil }
    hasUnsavedDraft = false
    return draft(at: now)
  }

  /// Marks the draft as unsaved: the library refused it, or has to know it although its text was
  /// not changed.
  mutating func markDraftAsUnsaved() { hasUnsavedDraft = true }

  /// Marks the draft as unsaved after the text was changed, and scrolls to the cursor.
  mutating func textDidChange(height: Int) {
    markDraftAsUnsaved()
    reveal(height: height)
  }

  /// Scrolls so that the cursor is on a row that is shown.
  mutating func reveal(height: Int) {
    let row = area.cursor.row
    top = min(max(top, row - max(height, 1) + 1), row)
    top = max(min(top, area.rowCount - height), 0)
  }
}
