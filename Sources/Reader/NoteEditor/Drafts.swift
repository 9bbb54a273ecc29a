import FoundationEssentials
import Library
import Messages
import Quran

/// The drafts, and the note that is about to be edited.
struct DraftState {
  /// The note that is opened for editing once the library has sent its text.
  var requested: NoteRequest?
  /// The draft that is offered once, as soon as the message line is free.
  var offered: Draft?
  /// Whether the message that was shown last offers `offered`.
  var isOffered = false
  /// Drafts that are not in the editor and that the library has not saved yet.
  var unsaved: [Draft] = []
  /// The position to return to when a note that was opened from a list is closed.
  var returnPoint: ReturnPoint?
}

/// A note whose text is requested from the library, to be edited.
struct NoteRequest: Hashable {
  let ayah: AyahID
  /// The ID of the note. If it is nil, the newest draft whose note was deleted is resumed. Without
  /// such a draft, the only note of the ayah is edited; several notes are shown to choose from.
  var id: UUID?
  let isExternal: Bool
  /// The stored draft to resume. If it is nil, the newest draft of the note is resumed, if there is
  /// one.
  var draft: Draft?
}

/// The state that is restored when a note that was opened from a list is closed.
struct ReturnPoint: Hashable {
  let position: TextPosition
  let place: ReadingPlace
  let jumps: JumpList
  let browsing: Browsing
  let hasOpenedAyah: Bool
}

extension Model {
  mutating func resumeDraft(_ draft: Draft, externally isExternal: Bool) -> [Effect] {
    guard canChange() else { return [] }
    guard draft.base != nil else {
      return openEditor(draft, original: "", isResumed: true, externally: isExternal)
    }
    drafts.requested = NoteRequest(
      ayah: draft.ayah, id: draft.noteID, isExternal: isExternal, draft: draft)
    return [.library(.notes(draft.ayah))]
  }

  /// Offers an unfinished note if the message line is free. In the list of notes, it is a row.
  mutating func showDraftOffer() {
    guard message == nil, overlay == nil, editor == nil, drafts.requested == nil,
      !isNoteListFocused, libraryState.refusal == nil, let draft = drafts.offered
    else { return }
    showMessage(messages.draftOffer("\(draft.ayah)", key(.editNote)))
    drafts.isOffered = true
  }

  /// Whether the message line offers a draft now.
  var isShowingDraftOffer: Bool { drafts.isOffered && drafts.offered != nil && message != nil }

  /// Ends the offer of a draft.
  mutating func withdrawDraftOffer() {
    drafts.offered = nil
    drafts.isOffered = false
  }

  /// Opens the editor with a note that could not be saved.
  ///
  /// - Returns: false if the changes neither add nor edit a note.
  mutating func reopen(_ changes: [Change]) -> Bool {
    func draft(_ note: UUID, _ ayah: AyahID, _ text: NoteText, base: NoteText?) -> Draft {
      switch changes.last {
      case .discardDraft(let draft): return draft
      case .deleteDraft(let id):
        return Draft(
          id: id, noteID: note, ayah: ayah, base: base, text: text.text, changedAt: now)
      default:
        return Draft(
          id: newID(), noteID: note, ayah: ayah, base: base, text: text.text, changedAt: now)
      }
    }
    switch changes.first {
    case .addNote(let id, let ayah, let text): reopen(draft(id, ayah, text, base: nil))
    case .editNote(let id, let ayah, let text, let base): reopen(draft(id, ayah, text, base: base))
    default: return false
    }
    return true
  }

  /// Whether the editor may open in place of an overlay: one in which nothing is typed or asked.
  private func canBeReplaced(_ overlay: Overlay?) -> Bool {
    switch overlay {
    case nil, .notes, .footnotes: true
    default: false
    }
  }

  mutating func reopen(_ draft: Draft) {
    libraryState.reopenDraft(draft.id)
    // If another note or something else is being written, this one is saved as a draft.
    guard editor == nil, canBeReplaced(overlay) else {
      drafts.unsaved.append(draft)
      return
    }
    _ = openEditor(draft, original: "", isUnsaved: true)
  }
}
