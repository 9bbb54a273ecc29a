import Editions
import Library
import Messages
import QuranEnc
import Text

// `quran-vi text install` and `quran-vi text update`
extension CommandContext {
  private var editionSource: EditionSource {
    EditionSource(editions, environment: environment, now: now)
  }

  /// Installs editions.
  ///
  /// - Parameters:
  ///   - names: What to install: IDs of recognised translations, QuranEnc keys of other
  ///     translations, or paths of files; `-` is standard input. If it is empty, all recognised
  ///     translations are installed.
  ///   - description: The ID, title and language that the user gives for a file.
  /// - Throws: Status 1 if there is no such edition or file, 2 if the arguments are invalid, 3 if a
  ///   file is not an edition, 4 if the service or the connection to it fails. Editions that were
  ///   installed before the failure remain installed.
  public func installTexts(
    _ names: [String], _ description: EditionSource.Description = EditionSource.Description()
  ) async throws(CommandFailure) {
    let wanted = try names.map { name throws(CommandFailure) in try wantedText(name) }
    let files = wanted.compactMap { if case .file(let path) = $0 { path } else { nil } }
    var keys = wanted.compactMap { if case .download(let key) = $0 { key } else { nil } }
    if names.isEmpty { keys = RecognisedTranslation.all.map(\.key) }
    guard description.isEmpty || (files.count == 1 && keys.isEmpty) else {
      throw CommandFailure(.usage, messages.textOptionsNeedAFile)
    }
    guard files.filter({ $0 == "-" }).count < 2 else {
      throw CommandFailure(.usage, messages.notTogether("-", "-"))
    }
    let report = EditionReport(self)
    defer { report.printJSONAfterFailure() }
    for path in files {
      let file = try InputFile(path, library: libraryPath, messages: messages)
      for outcome in try editionSource.install(file, description, messages: messages) {
        try report.add(outcome)
      }
    }
    if !keys.isEmpty { try await download(.translations(keys), report) }
    try report.printSummary()
  }

  /// Replaces editions of QuranEnc by their newest versions.
  ///
  /// - Parameter ids: The IDs of the editions; if empty, all that are installed.
  /// - Throws: Status 1 if there is no such edition, 3 if an edition cannot be read or written, 4
  ///   if the service or the connection to it fails.
  public func updateTexts(_ ids: [String]) async throws(CommandFailure) {
    var texts: [Edition.Info] = []
    if ids.isEmpty {
      texts = try convertingFailures { try editions.list() }.compactMap { try? $0.info.get() }
    } else {
      for id in ids { texts.append(try edition(id).info) }
    }
    let report = EditionReport(self)
    defer { report.printJSONAfterFailure() }
    guard texts.contains(where: { $0.quranEncKey != nil }) else {
      if asJSON { return try report.printSummary() }
      return try console.line(messages.noTextToUpdate)
    }
    try await download(.updates(texts), report)
    try report.printSummary()
  }

  // MARK: Arguments

  private enum WantedText {
    case download(key: String)
    case file(String)
  }

  /// Returns whether an argument names a translation to download or a file. A recognised
  /// translation takes precedence over a file of the same name.
  private func wantedText(_ name: String) throws(CommandFailure) -> WantedText {
    let known = RecognisedTranslation.all.first { $0.id == name || $0.key == name }
    if let known { return .download(key: known.key) }
    if name == "-" || name.contains("/") || FileState(of: name) != nil { return .file(name) }
    if RecognisedTranslation.isKey(name) { return .download(key: name) }
    let ids = RecognisedTranslation.all.map(\.id).joined(separator: ", ")
    throw CommandFailure(.notFound, messages.noSuchTextToInstall(name.sanitizedLine, ids))
  }

  // MARK: Downloads

  private func download(
    _ download: EditionSource.Download, _ report: EditionReport
  ) async throws(CommandFailure) {
    let bar = progressBar()
    var failure: CommandFailure?
    do {
      try await editionSource.download(
        download,
        finished: { outcome in
          bar.erase()
          do throws(CommandFailure) {
            try report.add(outcome)
          } catch {
            failure = failure ?? error
          }
        },
        progress: { bar.update($0.done, of: $0.total) })
    } catch {
      bar.finish()
      throw CommandFailure(error, messages: messages)
    }
    bar.finish()
    if let failure { throw failure }
  }
}

/// Reports the results of an installation: prints one line per edition when it is done or, with
/// `--json`, all results at the end.
private final class EditionReport {
  struct Entry: Encodable {
    let id: String
    let title: String
    let version: String
    let previousVersion: String?
    let outcome: String

    init(_ outcome: EditionInstaller.Outcome) {
      (id, title, version) = (outcome.info.id, outcome.info.title, outcome.info.version)
      (self.outcome, previousVersion) =
        switch outcome {
        case .installed: ("installed", nil)
        case .updated(_, let previous): ("updated", previous)
        case .unchanged: ("unchanged", nil)
        case .kept: ("kept", nil)
        }
    }
  }

  private let context: CommandContext
  /// The ID of the current edition before the installation.
  private let former: String
  private var outcomes: [EditionInstaller.Outcome] = []
  private var isComplete = false

  init(_ context: CommandContext) {
    self.context = context
    former = context.editions.current().edition.info.id
  }

  func add(_ outcome: EditionInstaller.Outcome) throws(CommandFailure) {
    outcomes.append(outcome)
    if !context.asJSON { try context.console.line(context.messages.sentence(of: outcome)) }
  }

  /// Prints the terms of use of a new edition, and the title of the current edition if the
  /// installation changed which edition is current. Otherwise, if the report has a single edition
  /// that is not the current one, prints how to choose it. With `--json`, prints the results.
  func printSummary() throws(CommandFailure) {
    isComplete = true
    guard !context.asJSON else { return try context.console.json(outcomes.map(Entry.init)) }
    let messages = context.messages
    let new = outcomes.compactMap { outcome in
      switch outcome {
      case .installed(let info), .updated(let info, _): info
      case .unchanged, .kept: nil
      }
    }
    if let info = new.first(where: { !$0.licence.isEmpty }) {
      try context.console.line("\(messages.termsName): \(messages.terms(of: info))")
    }
    let current = context.editions.current().edition.info
    if current.id != former {
      try context.console.line(messages.textChosen(messages.fullTitle(of: current)))
    } else if let info = outcomes.first?.info, outcomes.count == 1, info.id != current.id {
      try context.console.line(messages.textCanBeUsed(info.id))
    }
  }

  /// After a failure, prints the results until then as JSON, if there are some. The failure itself
  /// is what the command reports.
  func printJSONAfterFailure() {
    guard context.asJSON, !isComplete, !outcomes.isEmpty else { return }
    try? context.console.json(outcomes.map(Entry.init))
  }
}
