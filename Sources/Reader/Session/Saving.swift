public import Library
import Messages
import Quran

/// What was saved, and the schedule of the attempts to save after the library refused to.
struct SavingState {
  /// The place where reading continues, as this reader read it from the library or last saved it;
  /// nil if it is not in the library. Another reader may have saved another one since.
  var place: AyahID?
  /// The jump list as this reader read it from the library or last saved it; see `JumpList.stored`.
  var jumps = ""
  /// When the next attempt is made, in milliseconds since 1970, UTC.
  var retryTime: Int64 = 0
  /// The time between two attempts, in milliseconds; it grows with each refusal.
  var retryPause: Int64 = 0
  /// The failure that was shown last, so that it is shown once; nil if the next one is shown in any
  /// case.
  var reportedFailure: LibraryFailure?
}

extension Model {
  /// The time without events after which the changes made by reading are saved, in milliseconds, so
  /// that a killed terminal loses only the last moments.
  static let idleSaveDelay = 500

  /// Returns the requests that save the changes made by reading and the texts being written, and
  /// marks them as sent.
  public mutating func saveRequests() -> [LibraryRequest] {
    guard libraryState.isOpen, libraryState.refusal == nil else { return [] }
    if hasUnsavedPlace, let place = place.ayah {
      libraryState.record { $0.device[DeviceKey.position] = .some(place.description) }
      saving.place = place
    }
    if hasUnsavedJumps {
      let jumps = jumps.stored
      libraryState.record { $0.device[DeviceKey.jumps] = .some(jumps) }
      saving.jumps = jumps
    }
    var requests: [LibraryRequest] = []
    if let request = libraryState.saveRequest(at: now) { requests.append(request) }
    if let draft = editor?.draftToSave(at: now) { requests.append(.save(draft)) }
    requests += drafts.unsaved.map { .save($0) }
    drafts.unsaved = []
    return requests
  }

  /// Whether `saveRequests` returns any request.
  public var hasUnsavedChanges: Bool {
    guard libraryState.isOpen, libraryState.refusal == nil else { return false }
    return hasUnsavedPlace || hasUnsavedJumps || !libraryState.unsaved.isEmpty
      || editor?.hasUnsavedDraft == true || !drafts.unsaved.isEmpty
  }

  private var hasUnsavedPlace: Bool {
    hasOpenedAyah && place.ayah != nil && place.ayah != saving.place
  }

  private var hasUnsavedJumps: Bool { jumps.stored != saving.jumps }

  /// Returns the time to wait before `saveRequests` is called, in milliseconds; nil if there is
  /// nothing to save. It grows after each refusal.
  public func saveDelay(at time: Int64) -> Int? {
    guard hasUnsavedChanges else { return nil }
    return max(Self.idleSaveDelay, Int(clamping: saving.retryTime - time))
  }

  /// Whether there is a note that the library has not even saved as a draft.
  var hasNoteWithoutDraft: Bool { editor?.hasUnsavedDraft == true || !drafts.unsaved.isEmpty }

  /// Whether a note is being written, or there is a draft that the library has not saved.
  public var hasUnsavedNote: Bool { editor != nil || !drafts.unsaved.isEmpty }

  /// Reports that the reader waits for unsaved changes before it ends.
  public mutating func showSaving() { showMessage(messages.keeping(key(.interrupt))) }

  /// Reports why the note on the screen could not be saved, and that leaving again loses it.
  mutating func showUnsavedNote(_ failure: LibraryFailure) {
    showError(messages.textIsNotSaved(messages.explain(failure), leave: key(.interrupt)))
  }

  /// Resets the pause between attempts after the library has saved something.
  mutating func saveSucceeded() {
    saving.retryTime = 0
    saving.retryPause = 0
    saving.reportedFailure = nil
  }

  /// Schedules another attempt, and reports each failure once.
  mutating func saveFailed(_ failure: LibraryFailure) {
    // Of several requests that fail together, only the first one counts.
    if now >= saving.retryTime {
      saving.retryPause = min(max(saving.retryPause * 2, 5000), 60_000)
      saving.retryTime = now + saving.retryPause
    }
    if saving.reportedFailure != failure {
      showError(editor == nil ? messages.explain(failure) : noteStillHere(failure))
    }
    saving.reportedFailure = failure
  }
}
