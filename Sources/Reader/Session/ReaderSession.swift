import Editions
import Glibc
public import Library
public import Terminal

/// Runs the reader until it is quit.
///
/// The calling thread owns the screen; it sleeps until something happens, takes all
/// that did, and draws once. What is asked of the library is done in the background.
public struct ReaderSession {
  private let wakeUp: WakeUp
  private let outside: Outside
  private let mailbox = Mailbox()
  private let library: LibraryOwner
  private let patience: Int

  /// Starts opening the library, while the caller sees to the terminal.
  ///
  /// - Parameters:
  ///   - libraryPath: nil where there is no place for one.
  ///   - wakeUp: wakes the screen when the library answers.
  ///   - patience: how long the first frame waits for the library, in milliseconds.
  public init(
    libraryPath: String?, wakeUp: WakeUp, outside: Outside = Outside(), patience: Int = 50
  ) {
    self.patience = patience
    self.wakeUp = wakeUp
    self.outside = outside
    library = LibraryOwner(path: libraryPath, now: outside.now) {
      [mailbox] reply in
      mailbox.post(.reply(reply))
      wakeUp.wake()
    }
  }

  /// - Throws: what could not be kept at the end.
  public func run(_ model: Model, on screen: any Screen) throws(LibraryFailure) {
    var run = Run(
      model: model, screen: screen, library: library, outside: outside, mailbox: mailbox,
      wakeUp: wakeUp)
    // The first frame shows the reader's own place and marks, unless the disk is slow.
    library.waitUntilOpen(milliseconds: patience)
    run.takeMail()
    screen.show(run.model.view())
    run.send()
    run.beginSync()
    // Not before the first paint: reading needs no index.
    let edition = model.edition
    Task.detached(priority: .utility) { [mailbox, wakeUp] in
      mailbox.post(.index(SearchIndex(edition)))
      wakeUp.wake()
      // The names of the surahs are folded at the first use, which should not be a key.
      _ = try? Reference(parsing: "a")
    }
    while !run.isOver {
      run.step()
      guard !run.isOver else { break }
      screen.show(run.model.view())
      // What was changed is on the screen first; the disk has time.
      run.send()
    }
    run.endSync()
    if !run.isAbandoned { library.close() }
    if let failure = run.failure { throw failure }
  }
}
