public import Library
import Messages
import Quran

// What goes to the library, and what comes back.
extension Model {
  /// Shows changes at once and has them committed; or says why that cannot be.
  mutating func commit(_ changes: [Change]) -> [Effect] {
    guard canChange() else { return [] }
    let request = LibraryRequest.commit(changes)
    libraryState.sent(request, at: now)
    return [.library(request)]
  }

  /// Whether the library takes changes; says why where it does not, and has the key that asked
  /// wait where it is being opened.
  mutating func canChange() -> Bool {
    if let refusal = libraryState.refusal, !isOpening {
      complain(messages.explain(refusal))
      return false
    }
    isLibraryWanted = isOpening
    return libraryState.isOpen
  }

  /// Whether the library is still being opened.
  var isOpening: Bool { !libraryState.isOpen && libraryState.refusal?.isForMoments ?? true }

  /// Takes what the library answers.
  ///
  /// - Parameter time: as for `update`.
  public mutating func received(_ reply: LibraryReply, at time: Int64) -> [Effect] {
    now = time
    switch reply {
    case .opened(let snapshot, let notices):
      libraryState.refusal = nil
      libraryState.open(snapshot)
      for notice in notices { take(notice) }
      takeSettings()
      takePlace()
      offeredDraft = libraryState.shown.drafts.last
      offerDraft()
      let isNew =
        libraryState.refusal == nil && libraryState.shown.device[DeviceKey.importOffered] == nil
      return (tab == .notes ? [.library(.noteList)] : []) + (isNew ? [.findDump] : [])
        + takeHeld()
    case .unavailable(let failure):
      libraryState.refusal = failure
      place.begin(at: nil, cursor: hasBegun ? reading.cursor : nil)
      complain(messages.explain(failure))
      // The library is opened as soon as another process lets it go.
      if !failure.isForMoments { dropHeld() }
    case .noticed(let notice):
      take(notice)
    case .refreshed(let snapshot):
      let settings = libraryState.shown.settings
      keepingSelection { $0.libraryState.open(snapshot) }
      if libraryState.shown.settings != settings { takeSettings() }
      typeset()
      return refreshNotes()
    case .changed(let commit):
      let settings = libraryState.shown.settings
      keepingSelection { $0.libraryState.changed(commit) }
      if libraryState.shown.settings != settings { takeSettings() }
      typeset()
      return commit.changesNotes ? refreshNotes() : []
    case .done(let request, let commit):
      keepingSelection { $0.libraryState.answered(request, commit) }
      tell(request, commit)
      typeset()
      return commit.changesNotes ? refreshNotes() : []
    case .refused(let request, let failure):
      libraryState.answered(request, nil)
      refused(request, failure)
    case .notes(let ayah, let notes):
      return take(notes, of: ayah)
    case .noteList(let list):
      keepingSelection { $0.noteList = list }
    }
    return []
  }

  /// What is selected in a list stays so, wherever its row goes; where it is gone, the
  /// next one takes its place.
  mutating func keepingSelection(_ change: (inout Model) -> Void) {
    let note = selectedNote?.id
    let favorite = tab == .favorites ? selectedAyah : nil
    change(&self)
    if let row = noteList?.firstIndex(where: { $0.id == note }) {
      lists[.notes, default: ListState()].selection = row
    }
    if let row = libraryState.favorites.firstIndex(where: { $0.ayah == favorite }) {
      lists[.favorites, default: ListState()].selection = row
    }
    revealSelection()
  }

  mutating func take(_ notice: Notice) {
    if case .unchangeable(let failure) = notice { libraryState.refusal = failure }
    complain(messages.explain(notice))
  }

  private mutating func tell(_ request: LibraryRequest, _ commit: Commit) {
    switch request {
    case .restoreNote:
      if commit.isEmpty {
        say(messages.noteIsThereAlready)
      } else {
        say(messages.restored(describe(commit)))
      }
    case .undo, .redo:
      let isUndo = request == .undo
      // What counts as read was just changed by hand.
      if commit.edits.contains(where: { $0.thing.kind == "progress" }) {
        arrived(at: reading.cursor)
      }
      guard !commit.isEmpty else {
        say(isUndo ? messages.nothingToUndo : messages.nothingToRedo)
        return
      }
      say(isUndo ? messages.undone(describe(commit)) : messages.redone(describe(commit)))
      if let edit = commit.draft {
        // The key that goes on with it is in the message.
        offeredDraft = edit.isKept ? edit.draft : nil
        isOfferingDraft = edit.isKept
      }
    case .keep, .save:
      keepingWorks()
    case .commit(let changes):
      guard case .editNote(let id, let ayah, _, _) = changes.first, let edit = commit.edits.first,
        edit.thing != .note(id)
      else { return }
      say(messages.noteKeptBeside("\(ayah)"))
    default:
      break
    }
  }

  private func describe(_ commit: Commit) -> String {
    if let edit = commit.draft {
      return edit.isKept
        ? messages.draftIsThere("\(edit.draft.ayah)", key(.editNote))
        : messages.draftIsGone("\(edit.draft.ayah)")
    }
    guard commit.count == 1, let edit = commit.edits.first else {
      return messages.things(commit.count)
    }
    switch (edit.before, edit.after) {
    case (nil, .favorite(let favorite)): return messages.favoriteIsThere("\(favorite.ayah)")
    case (.favorite(let favorite), nil): return messages.favoriteIsGone("\(favorite.ayah)")
    case (nil, .note(let note)): return messages.noteIsThere("\(note.ayah)")
    case (.note(let note), nil): return messages.noteIsGone("\(note.ayah)")
    case (.note(let note), _): return messages.noteIsAsItWas("\(note.ayah)")
    case (_, .progress(let progress)):
      let percent = progress.lastReadAyah * 100 / progress.totalAyahs
      return messages.progressIs(progress.surah.surah.transliteration, percent)
    default: return messages.name(of: edit.thing)
    }
  }

  mutating func refused(_ request: LibraryRequest, _ failure: LibraryFailure) {
    let reason = messages.explain(failure)
    switch request {
    case .commit(let changes):
      // What was written is on the screen again, not lost.
      if reopen(changes) { complain(messages.noteStillHere(reason)) } else { complain(reason) }
    case .discardDraft(let draft):
      reopen(draft)
      complain(messages.noteStillHere(reason))
    case .keep(let reading):
      keepingFailed(failure)
      libraryState.keepAgain(reading)
    case .save(let draft):
      keepingFailed(failure)
      if editor?.draft.id == draft.id {
        editor?.draftWasRefused()
      } else {
        rescued.append(draft)
      }
    case .notes:
      wantedNote = nil
      complain(reason)
    default:
      complain(reason)
    }
    typeset()
    revealSelection()
  }
}

extension Commit {
  fileprivate var changesNotes: Bool { edits.contains { $0.thing.kind == "note" } }
}
