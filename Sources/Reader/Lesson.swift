import Library
import Messages

/// What a new reader is taught, in this order: the keys to begin with, among the hints of the last
/// row. A lesson ends when the user does what it teaches.
enum Lesson: Int {
  case open, mark, find

  fileprivate func isLearnt(by action: Action) -> Bool {
    switch self {
    case .open: false
    case .mark: action == .favorite || action == .newNote
    case .find: action == .goTo || action == .search || action == .help
    }
  }
}

extension Model {
  /// Begins with the lessons in a library in which nothing was ever read or marked, and goes on with
  /// them in later sessions.
  mutating func beginLessons() {
    let library = libraryState.shown
    if let finished = library.device[DeviceKey.lessons].flatMap({ Int($0) }) {
      lesson = Lesson(rawValue: finished)
    } else if library.continueReading == nil, library.favoriteCount == 0, library.noteCount == 0 {
      lesson = .open
    }
    learnToOpen()
  }

  /// Ends the lesson that teaches an action.
  mutating func learn(_ action: Action) {
    if lesson?.isLearnt(by: action) == true { endLesson() }
  }

  /// Ends the first lesson once the text is open.
  mutating func learnToOpen() {
    if lesson == .open, pane == .text { endLesson() }
  }

  private mutating func endLesson() {
    guard let finished = lesson.map({ $0.rawValue + 1 }), libraryState.isOpen else { return }
    lesson = Lesson(rawValue: finished)
    libraryState.record { $0.device[DeviceKey.lessons] = .some("\(finished)") }
  }

  /// The hints of the current lesson; nil if it does not belong to what is on the screen.
  var lessonHints: [String]? {
    guard selection == nil else { return nil }
    return switch lesson {
    case .open where pane == .list && tab == .surahs: [messages.lessonOpen(openKey)]
    case .mark where pane == .text: messages.lessonMark(key(.favorite), key(.newNote))
    case .find where pane == .text:
      messages.lessonFind(key(.goTo), key(.search), key(.help))
    default: nil
    }
  }
}
