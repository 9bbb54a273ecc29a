import FoundationEssentials
import Library
import Messages
import Quran
import Sync
import Terminal

extension Model {
  /// What is asked before it is done.
  enum Question: Hashable {
    case restart(SurahNumber)
    case leaveNote
    case dropPlan
    case acceptDeletions(MassDeletion)
    case answerRestored(SyncAccount.Restoration)
    case restoreNote(UUID, AyahID)
  }

  mutating func answer(_ key: Key, _ question: Question) -> [Effect] {
    let isYes = key == "y" || key == "Y" || key == "c" || key == "C"
    let isNo = key == "n" || key == "N" || key == "k" || key == "K"
    switch question {
    case .restart(let surah):
      guard isYes || isNo else { return [] }
      overlay = nil
      return isYes ? restart(surah) : []
    case .dropPlan:
      guard isYes || isNo else { return [] }
      overlay = nil
      return isYes ? setPlan(days: nil) : []
    case .acceptDeletions(let deletion):
      guard isYes || isNo else { return [] }
      overlay = .page(.sync, 0)
      return isYes ? [.sync(.answer(.accept(deletion)))] : []
    case .answerRestored(let restoration):
      guard isYes || isNo else { return [] }
      overlay = .page(.sync, 0)
      return isYes ? [.sync(.answerRestored(restoration))] : []
    case .restoreNote(let id, _):
      guard isYes || isNo else { return [] }
      overlay = nil
      return isYes ? [.library(.restoreNote(id))] : []
    case .leaveNote:
      if isYes {
        overlay = nil
        return saveNote()
      }
      guard isNo else { return [] }
      overlay = nil
      say(messages.noteDiscarded(self.key(.undo)))
      return closeEditor(droppingDraft: true)
    }
  }

  func draw(_ question: Question, on canvas: inout Canvas, _ geometry: Geometry) {
    let text =
      switch question {
      case .restart(let surah): messages.askRestart(surah.surah.transliteration)
      case .leaveNote: messages.askLeaveNote
      case .dropPlan: messages.askDropPlan
      case .acceptDeletions: messages.askAcceptDeletions
      case .answerRestored(let restoration):
        restoration == .keepService ? messages.askKeepService : messages.askKeepRestored
      case .restoreNote(_, let ayah): messages.askRestoreNote("\(ayah)")
      }
    draw(Message(text: text, isError: true), on: &canvas, lastRow: geometry.status)
    canvas.cursor = nil
  }
}
