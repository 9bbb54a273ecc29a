import Library
import Messages

/// A step of the introduction for new users. The last row shows the keys of the current lesson,
/// until the user has used one of them. The lessons follow each other in the order of the cases.
enum Lesson: Int {
  case open, annotate, find

  /// Whether an action completes the lesson. `learnToOpen` completes the first one.
  fileprivate func isLearnt(by action: Action) -> Bool {
    switch self {
    case .open: false
    case .annotate: action == .favorite || action == .newNote
    case .find: action == .goTo || action == .search || action == .help
    }
  }
}

extension Model {
  /// Starts the first lesson if the library is empty: nothing was read, and there are no favourites
  /// and no notes. If lessons were completed in an earlier session, starts the next one.
  mutating func beginLessons() {
    let library = libraryState.shown
    if let finished = library.device[DeviceKey.lessons].flatMap({ Int($0) }) {
      lesson = Lesson(rawValue: finished)
    } else if library.continueReading == nil, library.favoriteCount == 0, library.noteCount == 0 {
      lesson = .open
    }
    learnToOpen()
  }

  /// Completes the current lesson if it teaches this action.
  mutating func learn(_ action: Action) {
    if lesson?.isLearnt(by: action) == true { endLesson() }
  }

  /// Completes the first lesson if the user has opened the text.
  mutating func learnToOpen() {
    if lesson == .open, pane == .text { endLesson() }
  }

  private mutating func endLesson() {
    guard let finished = lesson.map({ $0.rawValue + 1 }), libraryState.isOpen else { return }
    lesson = Lesson(rawValue: finished)
    libraryState.record { $0.device[DeviceKey.lessons] = .some("\(finished)") }
  }

  /// The hints of the current lesson; nil if its keys do not work on the current screen.
  var lessonHints: [String]? {
    guard selection == nil, search.highlighted == nil, libraryState.refusal == nil else {
      return nil
    }
    return switch lesson {
    case .open where pane == .list && tab == .surahs && list.count > 0:
      [messages.lessonOpen(openKey)]
    case .annotate where pane == .text: messages.lessonAnnotate(key(.favorite), key(.newNote))
    case .find where pane == .text:
      messages.lessonFind(key(.goTo), key(.search), key(.help))
    default: nil
    }
  }
}
