public import Editions
public import Messages

/// A request about the editions on this machine.
public enum EditionRequest: Hashable, Sendable {
  case list
  /// Downloads and installs recognised translations.
  case install([RecognisedTranslation])
  /// Installs a file.
  ///
  /// - Parameter path: the path as typed; `~` at its start is the home directory.
  case installFile(path: String)
  /// Downloads and installs newer versions of installed editions.
  case update
  /// Chooses the edition with this ID as the current one.
  case use(String)
  case remove(String)
  /// Loads an edition that is shown beside the current one.
  case load(ParallelEdition)
  /// Builds the search indexes of all editions but one.
  ///
  /// - Parameters:
  ///   - besides: the ID of the edition that is left out.
  ///   - known: the editions whose indexes the model already has.
  case index(besides: String, known: [Edition.Info])

  /// Whether the request downloads something, which takes a while and can be stopped.
  var isDownload: Bool {
    switch self {
    case .install, .update: true
    case .list, .installFile, .use, .remove, .load, .index: false
    }
  }
}

/// The editions on this machine.
public struct AvailableTexts: Sendable {
  /// All editions, the bundled one first.
  public let items: [InstalledEditions.Item]
  /// The current edition.
  public let current: Edition
  /// The reason why editions cannot be listed or the chosen one cannot be read, as a sentence; nil
  /// if there is none.
  public let problem: String?

  public init(items: [InstalledEditions.Item], current: Edition, problem: String? = nil) {
    self.items = items
    self.current = current
    self.problem = problem
  }
}

/// A reply to an `EditionRequest`, with sentences in the user's language.
public enum EditionReply: Sendable {
  /// The parallel edition that was requested; nil if it is damaged or not installed.
  case loaded(ParallelEdition, Edition?)
  /// The search indexes that were asked for; nil if they are those of the known editions.
  case indexed([SearchIndex]?)
  /// The progress of a download; further replies follow.
  ///
  /// - Parameters:
  ///   - key: QuranEnc's name of the translation that is downloaded.
  ///   - done: the number of parts that have arrived.
  ///   - total: the number of parts of all translations.
  case progress(key: String, done: Int, total: Int)
  /// One of several editions was installed; further replies follow.
  case installed(String, AvailableTexts)
  /// The request is done; the sentence is nil if there is nothing to tell.
  case done(String?, AvailableTexts)
  /// The request failed; editions that were installed before the failure remain installed.
  case refused(String, AvailableTexts)

  /// Whether this is the last reply to its request. False for all replies to `load` and `index`.
  var isLast: Bool {
    switch self {
    case .done, .refused: true
    case .loaded, .indexed, .progress, .installed: false
    }
  }
}

/// Lists, installs, chooses and removes editions for the reader.
///
/// - Parameter post: receives the replies, on any thread. `load` and `index` have at most one
///   reply; the replies to any other request end with `done` or `refused`. Each reply has the
///   state after all earlier ones.
public typealias EditionExchange =
  @Sendable (
    _ request: EditionRequest, _ messages: Messages,
    _ post: @escaping @Sendable (EditionReply) -> Void
  ) async -> Void
