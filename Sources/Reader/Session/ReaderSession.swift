import Glibc
public import Library
public import Terminal

/// Runs the reader until the user quits.
///
/// The calling thread owns the screen. It sleeps until something happens, handles all events, and
/// draws once. Requests to the library are performed in the background.
public struct ReaderSession {
  private let services: Services
  private let eventQueue: EventQueue
  private let library: LibraryOwner
  private let openTimeout: Int

  /// Starts to open the library, while the caller makes the model.
  ///
  /// - Parameters:
  ///   - libraryPath: the file of the library; nil if there is no place for one.
  ///   - wake: wakes the screen when the library replies.
  ///   - openTimeout: the time that the first frame waits for the library, and after that for the
  ///     texts that it shows, in milliseconds.
  ///   - watchesFile: whether changes by other processes are noticed.
  public init(
    libraryPath: String?, wake: @escaping @Sendable () -> Void, services: Services = Services(),
    openTimeout: Int = 50, watchesFile: Bool = true
  ) {
    self.openTimeout = openTimeout
    self.services = services
    eventQueue = EventQueue(wake: wake)
    library = LibraryOwner(path: libraryPath, watchesFile: watchesFile, now: services.now) {
      [eventQueue] in eventQueue.post(.reply($0))
    }
  }

  /// Runs the reader on a screen until the user quits.
  ///
  /// - Throws: the reason why changes could not be saved at the end.
  public func run(_ model: Model, on screen: any Screen) throws(LibraryFailure) {
    var model = model
    model.settings.hasColors = screen.hasColors
    var loop = ReaderEventLoop(
      model: model, screen: screen, library: library, services: services, eventQueue: eventQueue)
    // The first frame shows the user's place, favourites and notes, unless the disk is slow.
    library.waitUntilOpen(milliseconds: openTimeout)
    loop.run(loadingEditionsWithin: openTimeout)
    if !loop.isAbandoned { library.close() }
    if let failure = loop.failure { throw failure }
  }
}
