import Editions
import Glibc
public import Library
import Synchronization
public import Terminal

/// Runs the reader on a screen until it is quit.
///
/// The calling thread owns the screen; it sleeps until something happens, takes
/// all that did, and draws once.
public struct ReaderSession {
  private let screen: any Screen
  private let stateFile: StateFile
  /// Hands text to the desktop's clipboard, besides the terminal's; false where
  /// there is none.
  private let copy: (String) -> Bool

  public init(
    screen: any Screen, stateFile: StateFile, copy: @escaping (String) -> Bool = { _ in false }
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
    var saved = model.stateAtStart
    var tried = saved
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
    func keepPlace() throws {
      try stateFile.update(from: saved, to: model.state)
      saved = model.state
    }
    while true {
      // A killed terminal costs no more than the last moments. A failure is
      // reported at the end, when the place is saved for good.
      let events = screen.events(within: model.state == tried ? nil : Self.calm)
      if events.isEmpty {
        tried = model.state
        try? keepPlace()
      }
      for event in events {
        if event == .woken, let index = index.take() { model.indexed(index) }
        for effect in model.update(event, at: Self.now) {
          switch effect {
          case .quit:
            try keepPlace()
            return
          case .suspend:
            try? keepPlace()
            screen.suspend()
            _ = model.update(.resized(screen.size), at: Self.now)
          case .redraw:
            screen.show(Canvas(size: Size(rows: 0, columns: 0)))
          case .copy(let text):
            let isCopied = [screen.copy(text), copy(text)].contains(true)
            if !isCopied { model.copyingFailed() }
          }
        }
      }
      screen.show(model.view())
    }
  }

  /// How long nothing happens before the place is saved, in milliseconds.
  private static let calm = 1000

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
