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
  case unsavedNote
  case acceptDeletions(MassDeletion)
  case answerRestored(SyncAccount.Restoration)
  case restoreNote(UUID, AyahID)
  case removeText(id: String, title: String)

  /// Whether the question is shown over the sync page, to which both answers return.
  fileprivate var isOnSyncPage: Bool {
    switch self {
    case .acceptDeletions, .answerRestored: true
    case .restart, .unsavedNote, .restoreNote, .removeText: false
    }
  }
}

extension Model {
  mutating func handleQuestion(_ key: Key, _ question: Question) -> [Effect] {
    if question == .unsavedNote { return handleUnsavedNote(key) }
    guard let answer = KeyContext.question.action(for: key) else { return [] }
    overlay = question.isOnSyncPage ? .page(.sync, 0) : nil
    switch (answer, question) {
    case (.yes, .restart(let surah)): return restart(surah)
    case (.yes, .acceptDeletions(let deletion)): return [.sync(.answer(.accept(deletion)))]
    case (.yes, .answerRestored(let restoration)): return [.sync(.answerRestored(restoration))]
    case (.yes, .restoreNote(let id, _)): return [.library(.restoreNote(id))]
    case (.yes, .removeText(let id, _)): return removeText(id)
    case (.no, _), (_, .unsavedNote): return []
    }
  }

  /// Handles a key while the user is asked whether to discard the text in the editor. A key that is
  /// not an answer closes the question and goes to the editor. So nothing is lost if the user
  /// pressed Esc by mistake and goes on typing.
  private mutating func handleUnsavedNote(_ key: Key) -> [Effect] {
    overlay = nil
    switch KeyContext.unsavedNote.action(for: key) {
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
    let text =
      switch question {
      case .unsavedNote:
        messages.askLeaveNote(
          save: key(.save, in: .unsavedNote), discard: key(.discard, in: .unsavedNote),
          cancel: key(.close, in: .overlay))
      case .restart(let surah): messages.askRestart(surah.surah.transliteration)
      case .acceptDeletions: messages.askAcceptDeletions
      case .answerRestored(.keepService): messages.askKeepService
      case .answerRestored: messages.askKeepRestored
      case .restoreNote(_, let ayah): messages.askRestoreNote("\(ayah)")
      case .removeText(_, let title): messages.askRemoveText(title)
      }
    guard question != .unsavedNote else { return text }
    let initials: KeyContext<Answer> =
      messages.language == .vietnamese ? .vietnameseQuestion : .question
    return messages.question(text, yes: key(.yes, in: initials), no: key(.no, in: initials))
  }
}
