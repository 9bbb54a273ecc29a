import Glibc
public import Library
public import Terminal

/// Runs the reader until the user quits.
///
/// The calling thread owns the screen. It sleeps until something happens, handles all events, and
/// draws once. Requests to the library are performed in the background.
public struct ReaderSession {
  private let wakeUp: WakeUp
  private let services: Services
  private let mailbox = Mailbox()
  private let library: LibraryOwner
  private let patience: Int

  /// Starts to open the library, while the caller sets up the terminal.
  ///
  /// - Parameters:
  ///   - libraryPath: the file of the library; nil if there is no place for one.
  ///   - wakeUp: wakes the screen when the library replies.
  ///   - patience: the time that the first frame waits for the library, in milliseconds.
  ///   - watchesFile: whether changes by other processes are noticed.
  public init(
    libraryPath: String?, wakeUp: WakeUp, services: Services = Services(), patience: Int = 50,
    watchesFile: Bool = true
  ) {
    self.patience = patience
    self.wakeUp = wakeUp
    self.services = services
    library = LibraryOwner(path: libraryPath, watchesFile: watchesFile, now: services.now) {
      [mailbox] reply in
      mailbox.post(.reply(reply))
      wakeUp.wake()
    }
  }

  /// - Throws: the reason why changes could not be saved at the end.
  public func run(_ model: Model, on screen: any Screen) throws(LibraryFailure) {
    var run = SessionRun(
      model: model, screen: screen, library: library, services: services, mailbox: mailbox,
      wakeUp: wakeUp)
    // The first frame shows the user's place and marks, unless the disk is slow.
    library.waitUntilOpen(milliseconds: patience)
    run.handleMail()
    screen.show(run.model.view())
    run.send()
    run.beginSync()
    // The index is built after the first frame, since reading does not need it.
    run.buildIndex()
    while !run.isOver {
      run.step()
      guard !run.isOver else { break }
      screen.show(run.model.view())
      // Changes are drawn before they are sent to the library.
      run.send()
    }
    run.endSync()
    if !run.isAbandoned { library.close() }
    if let failure = run.failure { throw failure }
  }
}
