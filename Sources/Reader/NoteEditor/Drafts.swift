import FoundationEssentials
import Library
import Messages
import Quran

/// The notes that are unfinished or about to be edited.
struct DraftState {
  /// The note that is opened for editing once the library has sent its text.
  var requested: NoteRequest?
  /// The unfinished note that is offered as soon as the message line is free.
  var offered: Draft?
  /// Whether `offered` was offered.
  var isOffered = false
  /// Drafts that are on no screen and that the library has not saved yet.
  var unsaved: [Draft] = []
  /// The position to return to when a note that was opened from a list is closed.
  var returnPoint: ReturnPoint?
}

/// A note whose text is requested from the library, to be edited.
struct NoteRequest: Hashable {
  let ayah: AyahID
  /// Nil for the only note of the ayah.
  var id: UUID?
  let isExternal: Bool
  /// The unfinished text of the note, if there is one.
  var draft: Draft?
}

/// A position, and whether reading counts there.
struct ReturnPoint: Hashable {
  let reading: Reading
  let place: ReadingPlace
  let browsing: Browsing
  let hasBegun: Bool
}

extension Model {
  mutating func resumeDraft(_ draft: Draft, externally isExternal: Bool) -> [Effect] {
    guard draft.basedOn != nil else {
      return openEditor(draft, original: "", isResumed: true, externally: isExternal)
    }
    drafts.requested = NoteRequest(
      ayah: draft.ayah, id: draft.id, isExternal: isExternal, draft: draft)
    return [.library(.notes(draft.ayah))]
  }

  /// Offers an unfinished note if the message line is free.
  mutating func showDraftOffer() {
    guard message == nil, overlay == nil, editor == nil, let draft = drafts.offered else { return }
    drafts.isOffered = true
    showMessage(messages.draftOffer("\(draft.ayah)", key(.editNote)))
  }

  /// Whether the message line offers a draft now.
  var isShowingDraftOffer: Bool { drafts.isOffered && drafts.offered != nil && message != nil }

  /// Opens the editor with a note that could not be saved.
  ///
  /// - Returns: false if the changes are not those of a note.
  mutating func reopen(_ changes: [Change]) -> Bool {
    let draft: Draft
    switch changes.first {
    case .addNote(let id, let ayah, let text):
      draft = Draft(id: id, ayah: ayah, basedOn: nil, text: text.text, changedAt: now)
    case .editNote(let id, let ayah, let text, let basis):
      draft = Draft(id: id, ayah: ayah, basedOn: basis, text: text.text, changedAt: now)
    default:
      return false
    }
    reopen(draft)
    return true
  }

  mutating func reopen(_ draft: Draft) {
    libraryState.openDraft(draft.id)
    // If another note is being written, this one is saved as a draft.
    guard editor == nil else {
      drafts.unsaved.append(draft)
      return
    }
    _ = openEditor(draft, original: "", isUnsaved: true)
  }
}
