public import Commands
import Editions
import Glibc
import Synchronization
public import Terminal

/// Runs the reader on a screen until it is quit.
///
/// The calling thread owns the screen; it sleeps until something happens, takes
/// all that did, and draws once.
public struct ReaderSession {
  private let screen: any Screen
  private let stateFile: StateFile
  /// Hands text to the desktop's clipboard, besides the terminal's.
  private let copy: (String) -> Void

  public init(
    screen: any Screen, stateFile: StateFile, copy: @escaping (String) -> Void = { _ in }
  ) {
    self.screen = screen
    self.stateFile = stateFile
    self.copy = copy
  }

  /// - Parameters:
  ///   - wakeUp: wakes the screen when the search index is ready.
  /// - Throws: why the reader's place could not be kept.
  public func run(_ model: Model, wakeUp: WakeUp) throws {
    var model = model
    var saved = model.state
    var lastSave = Self.now
    screen.show(model.view())
    // Not before the first paint: reading needs no index.
    let index = Mailbox<SearchIndex>()
    let edition = model.edition
    Task.detached(priority: .utility) {
      index.post(SearchIndex(edition))
      wakeUp.wake()
      // The names of the surahs are folded at the first use, which should not be a key.
      _ = try? Reference(parsing: "a")
    }
    while true {
      for event in screen.events() {
        if event == .woken, let index = index.take() { model.indexed(index) }
        if event == .resized { model.resize(to: screen.size) }
        for effect in model.update(event, at: Self.now) {
          switch effect {
          case .quit:
            try stateFile.save(model.state)
            return
          case .suspend:
            try? stateFile.save(model.state)
            screen.suspend()
            model.resize(to: screen.size)
          case .redraw:
            screen.show(Canvas(size: Size(rows: 0, columns: 0)))
          case .copy(let text):
            screen.copy(text)
            copy(text)
          }
        }
      }
      screen.show(model.view())
      // So that a killed terminal costs no more than the last moments. A failure
      // is reported at the end, when the place is saved for good.
      if model.state != saved, Self.now - lastSave > 2000 {
        try? stateFile.save(model.state)
        (saved, lastSave) = (model.state, Self.now)
      }
    }
  }

  /// Milliseconds of a clock that only goes forward.
  private static var now: Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
  }
}

/// A place where one thread leaves a value for another.
private final class Mailbox<Value: Sendable>: Sendable {
  private let value = Mutex<Value?>(nil)

  func post(_ new: Value) { value.withLock { $0 = new } }

  func take() -> Value? {
    value.withLock { value in
      defer { value = nil }
      return value
    }
  }
}
