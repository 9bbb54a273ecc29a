import Commands
import ConfigFile
import Dispatch
import Editions
import Glibc
import Library
import Messages
import Quran
import Reader
import Sync
import Terminal

extension Paths {
  /// A finder that searches the directories where users save dumps of the iOS app.
  var dumpFinder: DumpFinder {
    let downloads = home.map { $0 + "/Downloads" }
    return DumpFinder(
      directories: [".", downloads, importDirectory].compactMap { $0 }, home: home)
  }
}

/// Opens the reader in full-screen or plain mode. If standard output is not a terminal, prints the
/// requested ayahs instead.
struct ReaderLauncher {
  /// The reference to open, as typed; empty for the list of surahs.
  var reference: [String]
  var isPlain = false
  var usesMouse = true
  var showsPaths = false

  func run() throws {
    let environment = Invocation.environment
    let paths = Invocation.paths
    let context = Invocation.context()
    let console = context.console
    let library = context.libraryPath
    guard !showsPaths else {
      for (name, path) in [
        ("library", library), ("config ", paths.configFile),
        ("data   ", paths.data),
      ] {
        try console.line("\(name) \(path ?? messages.noHome)")
      }
      return
    }
    let ayah = try opening()
    let readsCommands = isPlain && reference.isEmpty && StandardInput.isPipeOrFile
    guard console.isTerminal || readsCommands else {
      return try printAsked(context)
    }
    try context.checkSpecifiedDirectory()
    let isPlain =
      isPlain || environment["ACCESSIBLE"] == "1"
      || ["", "dumb"].contains(environment["TERM"] ?? "")
    if !isPlain, try openScreen(ayah, library, paths) { return }
    let own = PlainLibrary(
      path: library, now: Invocation.now,
      onDelay: { Invocation.warn(messages.waitingForLibrary) })
    var reader = PlainReader(
      edition: try context.edition(nil), messages: messages, console: console, library: own,
      opening: ayah,
      otherEditions: {
        context.editions.others(than: context.editions.current().edition.info.id)
      },
      files: files(paths, library), findDump: { paths.dumpFinder.find() },
      now: Invocation.now)
    let sync = library.map { startSync($0, own.owner, environment) { _ in } }
    let stopSignals = sync.map(suspendingSyncOnStop)
    defer {
      stopSignals?.cancel()
      sync?.finish()
      _ = sync?.waitForEnd(milliseconds: 2000)
    }
    var lines = LineReader()
    try reader.run { lines.next() }
  }

  private func opening() throws -> AyahID? {
    guard !reference.isEmpty else { return nil }
    do {
      return try QuranReference(parsing: reference.joined(separator: " ")).ayahs.lowerBound
    } catch {
      throw CommandFailure(error, messages: messages)
    }
  }

  /// Prints the requested ayahs, or a usage message if there are none, to an output that is not a
  /// terminal.
  private func printAsked(_ context: CommandContext) throws {
    guard isPlain || !reference.isEmpty else {
      return try context.console.verbatim(messages.usageSummary(Invocation.version) + "\n")
    }
    let asked = reference.isEmpty ? ["1"] : [reference.joined(separator: " ")]
    try context.read(
      context.ayahs(asked), editions: [context.edition(nil)], isPlain: isPlain)
  }

  /// Runs the full-screen reader. Returns false if the terminal cannot show it.
  private func openScreen(
    _ ayah: AyahID?, _ library: String?, _ paths: Paths
  ) throws -> Bool {
    var environment = Invocation.environment
    let (configuration, problems) = Configuration.load(path: paths.configFile)
    if let delay = configuration.escapeDelay, environment["ESCDELAY"] == nil {
      environment["ESCDELAY"] = String(delay)
    }
    // Finding and validating the text takes longer than anything else here, so it runs on another
    // thread. It must not depend on the locale, which `TerminalDevice` sets at the same time.
    let current = Task.detached(priority: .userInitiated) { Invocation.editions.current() }
    let screen: TerminalDevice
    do throws(TerminalDevice.Failure) {
      screen = try TerminalDevice(
        environment: environment, mouse: usesMouse && configuration.mouse)
    } catch {
      switch error {
      case .noTerminal: throw CommandFailure(.usage, messages.noTerminal)
      case .noUTF8Locale: Invocation.warn(messages.noUTF8Locale)
      case .cannotDraw(let term): Invocation.warn(messages.cannotDraw(term: term))
      }
      return false
    }
    let session = ReaderSession(
      libraryPath: library, wake: screen.wake,
      services: services(environment, configuration, paths, library))
    let (keys, _) = KeyTable.standard.remapped(configuration.keys)
    let (edition, problem) = try waitFor { await current.value }
    var machine = MachineFacts()
    machine.libraryPath = library
    machine.configurationPath = paths.configFile
    machine.problems =
      messages.explain(problems, keys: configuration.keys)
      + (problem.map { [messages.explain($0)] } ?? [])
    machine.offersTexts =
      edition.info.isBundled
      && Invocation.editions.defaultEdition(language: InstalledEditions.defaultLanguage)
        .info.isBundled
    machine.arabic = ArabicSetting(configuration.arabic, environment)
    let model = Model(
      edition: edition, messages: messages, size: screen.size, opening: ayah, keys: keys,
      machine: machine, isLanguageFixed: Invocation.isLanguageChosen)
    do {
      try session.run(model, on: screen)
      screen.close()
    } catch {
      screen.close()
      throw CommandFailure(.badData, messages.explain(error))
    }
    return true
  }

  private func files(_ paths: Paths, _ library: String?) -> FileTransfer {
    FileTransfer(
      { Invocation.editions.current().edition }, home: paths.home, library: library,
      now: Invocation.now)
  }

  private func services(
    _ environment: [String: String], _ configuration: Configuration, _ paths: Paths,
    _ library: String?
  ) -> ReaderSession.Services {
    let editor = ExternalEditor(environment: environment, command: configuration.editor)
    var services = ReaderSession.Services()
    services.copy = { Clipboard(environment: environment)?.set($0) ?? false }
    services.edit = { draft in
      let file = library.map { EditorFile(draft, library: $0) }
      do throws(ExternalEditor.Failure) {
        let edited = try editor.edit(
          draft.text, fileName: file?.name ?? "note.txt", directoryPrefix: file?.directoryPrefix)
        return ReaderSession.EditorOutput(.text(edited.text), file: edited)
      } catch {
        switch error {
        case .notStarted(let code): return ReaderSession.EditorOutput(.notStarted(code))
        case .notText(let file): return ReaderSession.EditorOutput(.notText(path: file))
        case .failed(let status, let file?):
          guard let edited = ExternalEditor.recoverText(from: file) else {
            return ReaderSession.EditorOutput(.notText(path: file))
          }
          return ReaderSession.EditorOutput(.failed(status, written: edited.text), file: edited)
        case .failed(let status, nil):
          return ReaderSession.EditorOutput(.failed(status, written: nil))
        }
      }
    }
    services.editorName = editor.name
    services.now = Invocation.now
    services.files = fileExchange(files(paths, library))
    services.editions = editionExchange(
      TextTransfer(
        Invocation.editions, environment: environment, home: paths.home, library: library,
        now: Invocation.now))
    services.listFiles = { FileCompletion(home: paths.home).paths(beginningWith: $0) }
    services.findDump = { paths.dumpFinder.find() }
    services.sync = { owner, post in library.map { startSync($0, owner, environment, post) } }
    services.isSignedOut = {
      let credentials = library.flatMap { try? CredentialFile(beside: $0).load() }
      return credentials.map { $0.webAuthToken == nil } ?? false
    }
    return services
  }

  /// Suspends sync each time before Ctrl-z stops this process, so that a stopped process holds no
  /// locks. Resumes sync when the process continues.
  private func suspendingSyncOnStop(_ sync: SyncSession) -> any DispatchSourceSignal {
    let source = DispatchSource.makeSignalSource(signal: SIGTSTP, queue: .global())
    source.setEventHandler {
      sync.suspend(milliseconds: 1000)
      Self.stop()
      sync.resume()
    }
    source.activate()
    return source
  }

  /// Stops this process as Ctrl-z does by default, until it is continued.
  private static func stop() {
    var (byDefault, previous) = (sigaction(), sigaction())
    byDefault.__sigaction_handler.sa_handler = SIG_DFL
    // Dispatch has a handler for the signal and blocks it in its threads.
    sigaction(SIGTSTP, &byDefault, &previous)
    var (signals, blocked) = (sigset_t(), sigset_t())
    sigemptyset(&signals)
    sigaddset(&signals, SIGTSTP)
    pthread_sigmask(SIG_UNBLOCK, &signals, &blocked)
    raise(SIGTSTP)
    pthread_sigmask(SIG_SETMASK, &blocked, nil)
    sigaction(SIGTSTP, &previous, nil)
  }

  private func startSync(
    _ path: String, _ owner: LibraryOwner, _ environment: [String: String],
    _ post: @escaping @Sendable (SyncStatus) -> Void
  ) -> SyncSession {
    SyncSession(
      path: path, owner: owner, processEnvironment: environment,
      now: Invocation.now, post: post)
  }
}

extension ReaderLauncher {
  /// Recognizes arguments that need no parser: none at all, or a reference that begins with a
  /// number. Using the parser would double the startup time. Returns nil for all other arguments,
  /// which can be a command.
  init?(arguments: [String]) {
    guard arguments.first?.first?.isNumber ?? true else { return nil }
    guard arguments.allSatisfy({ !$0.hasPrefix("-") }) else { return nil }
    self.init(reference: arguments)
  }
}

private func fileExchange(_ files: FileTransfer) -> FileExchange {
  { request, library, messages, progress in
    do throws(CommandFailure) {
      switch request {
      case .importFile(let path):
        let file = try files.importFile(
          path, into: library, messages: messages, onProgress: progress)
        return .imported(
          file.commit, summary: file.summary, report: file.report, file.snapshot)
      case .exportFile(let path, let ayahs):
        return .exported(
          try files.exportFile(
            path, ayahs: ayahs, library, messages: messages, onProgress: progress))
      }
    } catch {
      return .refused(error.message)
    }
  }
}

extension ArabicSetting {
  /// Creates the setting for a terminal, without a choice of the user.
  init(_ configured: Configuration.Arabic, _ environment: [String: String]) {
    self.init(
      terminal: ArabicDisplay.terminalKind(for: environment),
      isKnownToReorder: ArabicDisplay(for: environment) == .terminal,
      configured: ArabicMode(rawValue: configured.rawValue))
  }
}

private func editionExchange(_ texts: TextTransfer) -> EditionExchange {
  { request, messages, post in
    let receive: @Sendable (TextTransfer.Event) -> Void = { post(EditionReply($0)) }
    switch request {
    case .list: texts.list(messages, post: receive)
    case .install(let translations):
      await texts.install(translations, messages, post: receive)
    case .installFile(let path): texts.installFile(path, messages, post: receive)
    case .update: await texts.update(messages, post: receive)
    case .use(let id): texts.use(id, messages, post: receive)
    case .remove(let id): texts.remove(id, messages, post: receive)
    case .load(.arabic): post(.loaded(.arabic, Invocation.editions.arabicEdition()))
    case .index(let id, let known):
      let others = Invocation.editions.others(than: id)
      let isKnown = Set(others.map(\.info)) == Set(known)
      post(.indexed(isKnown ? nil : others.map(SearchIndex.init)))
    case .load(.text(let id)):
      post(.loaded(.text(id), try? Invocation.editions.edition(id)))
    }
  }
}

extension EditionReply {
  fileprivate init(_ event: TextTransfer.Event) {
    switch event {
    case .progress(let key, let done, let total):
      self = .progress(key: key, done: done, total: total)
    case .installed(let text, let available): self = .installed(text, AvailableTexts(available))
    case .ended(.success(let text), let available): self = .done(text, AvailableTexts(available))
    case .ended(.failure(let failure), let available):
      self = .refused(failure.message, AvailableTexts(available))
    }
  }
}

extension AvailableTexts {
  fileprivate init(_ texts: TextTransfer.Available) {
    self.init(items: texts.items, current: texts.current, problem: texts.problem)
  }
}
