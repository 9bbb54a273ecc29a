public import Editions
public import Messages

/// A request about the texts of the Quran on this machine.
public enum TextRequest: Hashable, Sendable {
  case list
  /// Downloads and installs recognised translations.
  case install([RecognisedTranslation])
  /// Installs a file.
  ///
  /// - Parameter path: the path as typed; `~` at its start is the home directory.
  case installFile(path: String)
  /// Downloads and installs newer versions of installed texts.
  case update
  /// Chooses the text that is read.
  case use(String)
  case remove(String)
  /// Loads a text that is shown beside the one that is read.
  case load(Companion)
  /// Builds the search indexes of all texts but one. There is no answer if they are known.
  ///
  /// - Parameters:
  ///   - besides: the ID of the text that is left out.
  ///   - known: the texts whose indexes are there.
  case index(besides: String, known: [Edition.Info])

  /// Whether the request downloads something, which takes a while and can be stopped.
  var isDownload: Bool {
    switch self {
    case .install, .update: true
    case .list, .installFile, .use, .remove, .load, .index: false
    }
  }
}

/// The texts on this machine.
public struct AvailableTexts: Sendable {
  /// All texts, the bundled one first.
  public let items: [InstalledEditions.Item]
  /// The text that is read.
  public let current: Edition
  /// The reason why texts cannot be listed or the chosen one cannot be read, as a sentence; nil if
  /// there is none.
  public let problem: String?

  public init(items: [InstalledEditions.Item], current: Edition, problem: String? = nil) {
    self.items = items
    self.current = current
    self.problem = problem
  }
}

/// An answer to a `TextRequest`, with sentences in the user's language.
public enum TextAnswer: Sendable {
  /// The companion that was asked for; nil if it is not installed or damaged.
  case loaded(Companion, Edition?)
  /// The search indexes that were asked for.
  case indexed([SearchIndex])
  /// The progress of a download; further answers follow.
  ///
  /// - Parameters:
  ///   - key: QuranEnc's name of the translation that is downloaded.
  ///   - done: the number of parts that have arrived.
  ///   - total: the number of parts of all texts.
  case progress(key: String, done: Int, total: Int)
  /// One of several texts was installed; further answers follow.
  case installed(String, AvailableTexts)
  /// The request is done; without a sentence if there is nothing to tell.
  case done(String?, AvailableTexts)
  /// The request failed; texts that were installed before remain so.
  case refused(String, AvailableTexts)
}

/// Lists, installs, chooses and removes texts for the reader. Where texts come from is known to the
/// function that it is made with.
public struct TextExchange: Sendable {
  /// - Parameter post: receives the answers, the last one being `done` or `refused`, on any thread.
  ///   An answer has the state after all earlier ones.
  public typealias Work =
    @Sendable (
      _ request: TextRequest, _ messages: Messages, _ post: @escaping @Sendable (TextAnswer) -> Void
    ) async -> Void

  let perform: Work

  public init(_ perform: @escaping Work) {
    self.perform = perform
  }

  /// An exchange that knows the bundled text only.
  public static var none: TextExchange {
    TextExchange { _, _, post in post(.done(nil, AvailableTexts(items: [], current: .bundled))) }
  }
}
