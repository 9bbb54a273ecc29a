import Library
import Quran

/// A note being written.
struct NoteEditor {
  private(set) var draft: Draft
  var area: TextArea
  /// The first row shown.
  var top = 0
  /// The text before anything was typed.
  let original: String
  /// The stored draft that this editor resumed; nil if it resumed none.
  private let begun: Draft?
  /// Whether something was typed that the library does not keep as the draft.
  private(set) var hasUnkeptDraft: Bool
  /// Whether it goes on with what was begun before.
  let isResumed: Bool

  init(_ draft: Draft, original: String, isUnkept: Bool, isResumed: Bool, width: Int) {
    self.draft = draft
    self.original = original
    begun = isResumed ? draft : nil
    hasUnkeptDraft = isUnkept
    self.isResumed = isResumed
    area = TextArea(draft.text, width: max(width, 1))
  }

  var isChanged: Bool { area.byteCount != original.utf8.count || area.text != original }

  /// The draft as it is now.
  func draft(at now: Int64) -> Draft {
    Draft(
      id: draft.id, ayah: draft.ayah, basedOn: draft.basedOn, text: area.text, changedAt: now)
  }

  /// The draft to offer for undo when editing is cancelled; nil if there is nothing to lose.
  func discarded(at now: Int64) -> Draft? {
    if isChanged { return draft(at: now) }
    return begun.flatMap { $0.text == original ? nil : $0 }
  }

  mutating func takeUnkeptDraft(at now: Int64) -> Draft? {
    guard hasUnkeptDraft else { return nil }
    hasUnkeptDraft = false
    return draft(at: now)
  }

  /// The library did not take it: it is tried again.
  mutating func draftWasRefused() { hasUnkeptDraft = true }

  /// Something was typed.
  mutating func typed(height: Int) {
    hasUnkeptDraft = true
    reveal(height: height)
  }

  /// Keeps the cursor among the rows shown.
  mutating func reveal(height: Int) {
    let row = area.cursor.row
    top = min(max(top, row - max(height, 1) + 1), row)
    top = max(min(top, area.rowCount - height), 0)
  }
}
