public import Editions
public import Messages
import QuranEnc
import Synchronization
import Text

/// Lists, installs, chooses and removes editions from within the reader.
public final class TextTransfer: Sendable {
  /// The editions on this machine.
  public struct Available: Sendable {
    public let items: [InstalledEditions.Item]
    /// The current edition.
    public let current: Edition
    /// The reason why editions cannot be listed, or why the chosen one is not the current one.
    public let problem: String?
  }

  /// An event of a request.
  public enum Event: Sendable {
    /// The progress of a download.
    ///
    /// - Parameters:
    ///   - key: QuranEnc's name of the translation that is downloaded.
    ///   - done: The number of responses that have arrived, for all translations of the request.
    ///   - total: The number of responses for all translations of the request.
    case progress(key: String, done: Int, total: Int)
    /// An edition was handled. The string says whether it was installed, replaced or unchanged.
    case installed(String, Available)
    /// The request ended. The string is the message for the user, or nil if there is nothing to
    /// say.
    case ended(Result<String?, CommandFailure>, Available)
  }

  private let editions: InstalledEditions
  private let environment: [String: String]
  private let home: String?
  private let library: String?
  private let now: @Sendable () -> Int64
  /// Locked while the editions are listed and the list is posted, so that lists are posted in the
  /// order in which they were made.
  private let posting = Mutex<Void>(())

  /// - Parameters:
  ///   - editions: The installed editions.
  ///   - environment: The environment variables of the process.
  ///   - home: The directory that `~` stands for.
  ///   - library: The path of the library, whose files are not installed; nil if there is none.
  ///   - now: Returns the time in milliseconds since 1970, UTC.
  public init(
    _ editions: InstalledEditions, environment: [String: String], home: String?,
    library: String?, now: @escaping @Sendable () -> Int64
  ) {
    self.editions = editions
    self.environment = environment
    self.home = home
    self.library = library
    self.now = now
  }

  private var source: EditionSource {
    EditionSource(editions, environment: environment, now: now)
  }

  // MARK: Requests

  /// Lists the editions.
  ///
  /// - Parameter post: Called with each event, on any thread. This is the same for all requests.
  public func list(_ messages: Messages, post: @escaping @Sendable (Event) -> Void) {
    end(.success(nil), messages, post)
  }

  /// Downloads and installs recognised translations.
  public func install(
    _ translations: [RecognisedTranslation], _ messages: Messages,
    post: @escaping @Sendable (Event) -> Void
  ) async {
    await download(.translations(translations.map(\.key)), messages, post)
  }

  /// Downloads and installs newer versions of the installed editions.
  public func update(_ messages: Messages, post: @escaping @Sendable (Event) -> Void) async {
    let infos = ((try? editions.list()) ?? []).compactMap { try? $0.info.get() }
    await download(.updates(infos), messages, post)
  }

  /// Installs a file.
  ///
  /// - Parameter path: The path as the user typed it; a leading `~` stands for the home directory.
  public func installFile(
    _ path: String, _ messages: Messages, post: @escaping @Sendable (Event) -> Void
  ) {
    perform(messages, post) { () throws(CommandFailure) in
      let former = editions.current().edition.info.id
      let file = try InputFile(
        regular: path.expandingTilde(home: home), library: library, messages: messages)
      let outcomes = try source.install(file, EditionSource.Description(), messages: messages)
      let sentences = outcomes.map(messages.sentence(of:))
      return (sentences + chosen(since: former, messages)).joined(separator: ". ")
    }
  }

  /// Chooses the current edition.
  public func use(_ id: String, _ messages: Messages, post: @escaping @Sendable (Event) -> Void) {
    perform(messages, post) { () throws(CommandFailure) in
      let info = try messages.convertingFailures { try editions.choose(id).info }
      return messages.textChosen(messages.fullTitle(of: info))
    }
  }

  /// Removes an installed edition.
  public func remove(
    _ id: String, _ messages: Messages, post: @escaping @Sendable (Event) -> Void
  ) {
    perform(messages, post) { () throws(CommandFailure) in
      try messages.convertingFailures { try editions.remove(id) }
      let current = messages.fullTitle(of: editions.current().edition.info)
      return messages.textRemoved(id.sanitizedLine, reading: current)
    }
  }

  // MARK: Events

  private func perform(
    _ messages: Messages, _ post: @escaping @Sendable (Event) -> Void,
    _ body: () throws(CommandFailure) -> String
  ) {
    do throws(CommandFailure) {
      end(.success(try body()), messages, post)
    } catch {
      end(.failure(error), messages, post)
    }
  }

  private func download(
    _ download: EditionSource.Download, _ messages: Messages,
    _ post: @escaping @Sendable (Event) -> Void
  ) async {
    let former = editions.current().edition.info.id
    var outcomes: [EditionInstaller.Outcome] = []
    do {
      try await source.download(
        download,
        finished: { outcome in
          outcomes.append(outcome)
          list(messages) { post(.installed(messages.sentence(of: outcome), $0)) }
        },
        progress: { post(.progress(key: $0.key, done: $0.done, total: $0.total)) })
    } catch {
      return end(.failure(CommandFailure(error, messages: messages)), messages, post)
    }
    let sentences = [messages.summary(of: outcomes)] + chosen(since: former, messages)
    end(.success(sentences.joined(separator: ". ")), messages, post)
  }

  /// Returns a sentence that names the current edition, or an empty array if it is still the former
  /// one.
  private func chosen(since former: String, _ messages: Messages) -> [String] {
    let current = editions.current().edition.info
    return current.id == former ? [] : [messages.textChosen(messages.fullTitle(of: current))]
  }

  private func end(
    _ result: Result<String?, CommandFailure>, _ messages: Messages,
    _ post: @escaping @Sendable (Event) -> Void
  ) {
    list(messages) { post(.ended(result, $0)) }
  }

  private func list(_ messages: Messages, _ post: (Available) -> Void) {
    posting.withLock { _ in
      let (current, choiceProblem) = editions.current()
      var problem = choiceProblem
      var items: [InstalledEditions.Item] = []
      do throws(EditionFileFailure) {
        items = try editions.list()
      } catch {
        items = [InstalledEditions.bundledItem]
        problem = error
      }
      post(
        Available(items: items, current: current, problem: problem.map(messages.explain)))
    }
  }
}

extension Messages {
  /// Returns the results of the installation of several editions as a sentence.
  fileprivate func summary(of outcomes: [EditionInstaller.Outcome]) -> String {
    var (new, replaced): ([String], [String]) = ([], [])
    for outcome in outcomes {
      switch outcome {
      case .installed(let info): new.append(info.id)
      case .updated(let info, _): replaced.append(info.id)
      case .unchanged, .kept: break
      }
    }
    return textsSummary(
      installed: new.joined(separator: ", "), replaced: replaced.joined(separator: ", "))
  }

  /// Returns the result of the installation of an edition as a sentence.
  func sentence(of outcome: EditionInstaller.Outcome) -> String {
    let info = outcome.info
    return switch outcome {
    case .installed: textInstalled(info.id, credit(of: info))
    case .updated(_, let previous): textUpdated(info.id, credit(of: info), previous: previous)
    case .unchanged: textIsCurrent(info.id, credit(of: info))
    case .kept: textKept(info.id, credit(of: info))
    }
  }
}
