import FoundationEssentials
import Library
import Messages
import Quran

extension Model {
  /// A note that is opened for editing once its text is here.
  struct WantedNote: Hashable {
    let ayah: AyahID
    /// Nil for the ayah's only one.
    var id: UUID?
    let isExternal: Bool
    /// What was written of it before.
    var draft: Draft?
  }

  mutating func resume(_ draft: Draft, externally isExternal: Bool) -> [Effect] {
    guard draft.basedOn != nil else {
      return write(draft, original: "", isResumed: true, externally: isExternal)
    }
    wantedNote = WantedNote(
      ayah: draft.ayah, id: draft.id, isExternal: isExternal, draft: draft)
    return [.library(.notes(draft.ayah))]
  }

  /// A note that was not finished is offered in the message line, once that is free.
  mutating func offerDraft() {
    guard message == nil, overlay == nil, editor == nil, let draft = offeredDraft else { return }
    isOfferingDraft = true
    say(messages.draftOffer("\(draft.ayah)", key(.editNote)))
  }

  /// Whether the message line offers a draft now.
  var isOffering: Bool { isOfferingDraft && offeredDraft != nil && message != nil }

  /// A note that could not be saved is on the screen again.
  ///
  /// - Returns: whether the changes were those of a note.
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
    // Another note is being written meanwhile: this one goes to the drafts.
    guard editor == nil else {
      rescued.append(draft)
      return
    }
    _ = write(draft, original: "", isUnkept: true)
  }
}
