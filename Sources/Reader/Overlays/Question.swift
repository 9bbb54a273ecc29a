import FoundationEssentials
import Library
import Messages
import Quran
import Sync
import Terminal
import Text

/// A question that the user answers before something is done: with yes or no, or with the keys that
/// it names.
enum Question: Hashable {
  case restart(SurahNumber)
  case leaveNote
  case dropPlan
  case acceptDeletions(MassDeletion)
  case answerRestored(SyncAccount.Restoration)
  case restoreNote(UUID, AyahID)
  case removeText(id: String, title: String)

  /// Whether the question is shown over the sync page, to which both answers return.
  fileprivate var isOnSyncPage: Bool {
    switch self {
    case .acceptDeletions, .answerRestored: true
    case .restart, .leaveNote, .dropPlan, .restoreNote, .removeText: false
    }
  }
}

extension Model {
  mutating func handleQuestion(_ key: Key, _ question: Question) -> [Effect] {
    if question == .leaveNote { return handleLeavingNote(key) }
    guard let answer = keys.action(for: key, in: .question) else { return [] }
    overlay = question.isOnSyncPage ? .page(.sync, 0) : nil
    switch (answer, question) {
    case (.yes, .restart(let surah)): return restart(surah)
    case (.yes, .dropPlan): return setPlan(days: nil)
    case (.yes, .acceptDeletions(let deletion)): return [.sync(.answer(.accept(deletion)))]
    case (.yes, .answerRestored(let restoration)): return [.sync(.answerRestored(restoration))]
    case (.yes, .restoreNote(let id, _)): return [.library(.restoreNote(id))]
    case (.yes, .removeText(let id, _)): return [.texts(.remove(id))]
    case (.no, _), (_, .leaveNote): return []
    }
  }

  /// A key that does not answer the question is one of the text, so that nothing typed is lost after
  /// an Esc by mistake.
  private mutating func handleLeavingNote(_ key: Key) -> [Effect] {
    overlay = nil
    switch keys.action(for: key, in: .leavingNote) {
    case .save: return saveNote()
    case .discard:
      showMessage(messages.noteDiscarded(self.key(.undo)))
      return closeEditor(droppingDraft: true)
    case nil: return handleEditor(key)
    }
  }

  func draw(_ question: Question, on canvas: inout Canvas, _ geometry: Geometry) {
    if question.isOnSyncPage { draw(.sync, 0, on: &canvas) }
    draw(Message(text: text(of: question), isError: true), on: &canvas, lastRow: geometry.status)
    canvas.cursor = nil
  }

  private func text(of question: Question) -> String {
    let (yes, no) = (key(.yes, in: .question), key(.no, in: .question))
    let initials: KeyContext<Answer> =
      messages.language == .vietnamese ? .vietnameseQuestion : .question
    let (yesInitial, noInitial) = (key(.yes, in: initials), key(.no, in: initials))
    switch question {
    case .restart(let surah):
      return messages.askRestart(surah.surah.transliteration, yes: yes, no: no)
    case .leaveNote:
      return messages.askLeaveNote(
        save: key(.save, in: .leavingNote), discard: key(.discard, in: .leavingNote),
        cancel: key(.close, in: .overlay))
    case .dropPlan: return messages.askDropPlan(yes: yes, no: no)
    case .acceptDeletions: return messages.askAcceptDeletions(yes: yesInitial, no: noInitial)
    case .answerRestored(.keepService):
      return messages.askKeepService(yes: yesInitial, no: noInitial)
    case .answerRestored: return messages.askKeepRestored(yes: yesInitial, no: noInitial)
    case .restoreNote(_, let ayah):
      return messages.askRestoreNote("\(ayah)", yes: yesInitial, no: noInitial)
    case .removeText(_, let title):
      return messages.askRemoveText(title, yes: yesInitial, no: noInitial)
    }
  }
}
