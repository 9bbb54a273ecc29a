public import Library
import Messages
import Quran

extension Model {
  /// How long nothing happens before what reading brought is kept, in milliseconds: a
  /// killed terminal costs no more than the last moments.
  static let calm = 500

  /// What reading brought, and the texts being written, to be kept now.
  public mutating func takeUnkept() -> [LibraryRequest] {
    guard libraryState.isOpen, libraryState.refusal == nil else { return [] }
    if isElsewhereThanKept, let position = place.ayah?.description {
      libraryState.keep { $0.device[DeviceKey.position] = .some(position) }
    }
    var requests: [LibraryRequest] = []
    if let request = libraryState.takeUnkept(at: now) { requests.append(request) }
    if let draft = editor?.takeUnkeptDraft(at: now) { requests.append(.save(draft)) }
    requests += rescued.map { .save($0) }
    rescued = []
    return requests
  }

  /// Whether `takeUnkept` has anything to take.
  public var hasUnkept: Bool {
    guard libraryState.isOpen, libraryState.refusal == nil else { return false }
    return isElsewhereThanKept || !libraryState.unkept.isEmpty || editor?.hasUnkeptDraft == true
      || !rescued.isEmpty
  }

  private var isElsewhereThanKept: Bool {
    hasBegun
      && place.ayah.map { libraryState.shown.device[DeviceKey.position] != $0.description } ?? false
  }

  /// How long to wait before `takeUnkept`, in milliseconds; nil where there is nothing to
  /// take. After a refusal longer and longer.
  public func patienceWithUnkept(at time: Int64) -> Int? {
    guard hasUnkept else { return nil }
    return max(Self.calm, Int(clamping: keepsAgainAt - time))
  }

  /// Whether there is a text of which the library has not even a draft.
  var hasTextAtRisk: Bool { editor?.hasUnkeptDraft == true || !rescued.isEmpty }

  /// Whether there is a text that only this screen has.
  public var hasUnsavedText: Bool { editor != nil || !rescued.isEmpty }

  /// The reader leaves, and something is still on its way.
  public mutating func sayKeeping() { say(messages.keeping(key(.interrupt))) }

  /// The library took something again.
  mutating func keepingWorks() {
    keepsAgainAt = 0
    keepingPause = 0
    toldFailure = nil
  }

  /// Something is not kept: it is tried again after a while, and each reason told once.
  mutating func keepingFailed(_ failure: LibraryFailure) {
    // Of several that fail together the first counts.
    if now >= keepsAgainAt {
      keepingPause = min(max(keepingPause * 2, 5000), 60_000)
      keepsAgainAt = now + keepingPause
    }
    if toldFailure != failure { complain(messages.explain(failure)) }
    toldFailure = failure
  }
}
