import CloudRecords
public import Library
import RecordClient
public import Sync
import Text
import Words

/// `quran-vi sync`: connects a library to a service, and makes the two agree.
public struct SyncCommand {
  public enum Action: Sendable {
    /// - Parameters:
    ///   - url: of the service.
    ///   - container: nil for that of the Quran reader.
    ///   - isDevelopment: whether it is the container's development environment.
    case connect(url: String, container: String?, isDevelopment: Bool, SignIn)
    case login(SignIn)
    case status
    /// - Parameters:
    ///   - answer: to the question of many deletions; nil to be asked.
    ///   - restoration: what counts where an earlier state of the library was put back; nil to be
    ///     asked.
    ///   - retriesParked: whether what was parked is tried again.
    case now(
      _ answer: MassDeletion.Answer?, restoration: SyncAccount.Restoration? = nil,
      retriesParked: Bool)
    case logout
    case deleteAccount(isConfirmed: Bool)
  }

  public struct SignIn: Sendable {
    /// Whether a code is pasted instead of waiting for the browser.
    public var pastes: Bool
    /// Whether it is not to be asked whose account it is.
    public var isConfirmed: Bool

    public init(pastes: Bool, isConfirmed: Bool) {
      self.pastes = pastes
      self.isConfirmed = isConfirmed
    }
  }

  /// What is outside the program.
  public struct Outside {
    public var environment: [String: String]
    /// Asks, and reads a line; nil where there is nobody to ask.
    public var ask: ((String) -> String?)?
    /// Asks without showing what is typed, or reads it from the input.
    public var askSecret: (String) -> String?
    /// Shows a page in a browser, if there is one.
    public var openPage: (String) -> Void

    public init(
      environment: [String: String], ask: ((String) -> String?)?,
      askSecret: @escaping (String) -> String?, openPage: @escaping (String) -> Void
    ) {
      self.environment = environment
      self.ask = ask
      self.askSecret = askSecret
      self.openPage = openPage
    }
  }

  private let action: Action
  private let asJSON: Bool
  private let access: LibraryAccess
  private let outside: Outside
  private let progress: ProgressBar

  public init(
    _ action: Action, asJSON: Bool, access: LibraryAccess, outside: Outside,
    progress: ProgressBar = .hidden
  ) {
    self.action = action
    self.asJSON = asJSON
    self.access = access
    self.outside = outside
    self.progress = progress
  }

  private var words: Words { access.words }

  /// - Throws: status 2 where nobody can be asked; 3 where a file or the library fails; 4 where
  ///   the service, or the way to it, does; 5 where nobody is signed in.
  public func run(_ console: Console) async throws(CommandFailure) {
    guard let path = access.path else { throw CommandFailure(.noPlace, words: words) }
    let file = CredentialFile(beside: path)
    switch action {
    case .connect(let url, let container, let isDevelopment, let signIn):
      try await connect(
        CredentialFile.Content(
          origin: url, container: container ?? Connection.container,
          environment: isDevelopment ? "development" : "production", apiToken: ""), file, console)
      try await login(signIn, file, console)
    case .login(let signIn): try await login(signIn, file, console)
    case .status: try status(file, console)
    case .now(let answer, let restoration, let retriesParked):
      try await now(answer, restoration, retriesParked: retriesParked, file, console)
    case .logout: try await logout(file, console)
    case .deleteAccount(let isConfirmed):
      try await deleteAccount(isConfirmed: isConfirmed, file, console)
    }
  }

  // MARK: Connecting

  /// Keeps where the service is, once it takes the API token.
  private func connect(
    _ wanted: CredentialFile.Content, _ file: CredentialFile, _ console: Console
  ) async throws(CommandFailure) {
    var content = wanted
    content.origin = try explainingWay { () throws(Connection.Problem) in
      try Connection.address(of: wanted).origin
    }
    // Not by an argument: those can be read by everyone on this machine.
    let secret = outside.askSecret(words.syncAskToken) ?? ""
    guard !secret.isEmpty else { throw CommandFailure(.usage, words.syncTokenNeeded) }
    content.apiToken = secret
    _ = try await refusal(of: content)
    _ = try access.openForChanges()
    try explainingFile { () throws(CredentialFile.Problem) in try file.save(content) }
    try console.line(words.syncConnected(content.origin))
  }

  /// Asks without a web auth token who is signed in: a service that takes the API token says
  /// where to sign in.
  private func refusal(
    of content: CredentialFile.Content
  ) async throws(CommandFailure) -> ServiceError {
    let client = try client(content)
    defer { Task { await client.shutdown() } }
    do {
      _ = try await client.identity()
    } catch .service(let error) where error.code == .authenticationRequired {
      return error
    } catch {
      throw CommandFailure(.call(error), words: words)
    }
    return ServiceError(.authenticationRequired)
  }

  /// A client that keeps nothing in a file.
  private func client(
    _ content: CredentialFile.Content, _ credentials: HeldCredentials? = nil
  ) throws(CommandFailure) -> RecordClient {
    do {
      return RecordClient(
        try Connection.address(of: content),
        credentials: credentials ?? HeldCredentials(content),
        options: try .environment(outside.environment))
    } catch let problem as Connection.Problem {
      throw CommandFailure(.usage, words.explain(problem))
    } catch let problem as ClientOptions.Problem {
      throw CommandFailure(.usage, words.explain(.environment(problem)))
    } catch {
      throw CommandFailure(.badData, "\(error)")
    }
  }

  private func login(
    _ signIn: SignIn, _ file: CredentialFile, _ console: Console
  ) async throws(CommandFailure) {
    var content = try content(of: file)
    content.webAuthToken = try await webAuthToken(for: content, signIn, console)
    // Nothing of the library is sent before its reader said whose account it is.
    let held = HeldCredentials(content)
    let client = try client(content, held)
    let identity = try await explainingCall { () async throws(CallFailure) in
      try await client.identity()
    }
    let (user, name) = (identity.userRecordName, identity.name)
    await client.shutdown()
    // The answer may have handed over another one.
    content.webAuthToken = held.webAuthToken
    content.userRecordName = user
    let shown = name ?? user
    let library = try access.openForChanges()
    let account = SyncAccount(
      origin: content.origin, container: content.container, environment: content.environment,
      userRecordName: user, name: shown, isConfirmed: true, serviceID: identity.serviceID)
    let former = try access.explaining { try library.syncAccount() }
    guard try agrees(signIn.isConfirmed, question(about: account, named: shown, after: former))
    else {
      return try console.line(words.nothingChanged)
    }
    // The library is this account's before anybody else may sync it.
    let lease = try await lease(of: library)
    defer { withExtendedLifetime(lease) {} }
    try explainingFile { () throws(CredentialFile.Problem) in try file.save(content) }
    try await syncing(library, account, file) { engine async throws(SyncFailure) in
      try engine.adopt(account)
      if let refusal = try await engine.prepare(named: name) {
        access.warn(words.syncNoProfile(refusal))
      }
    }
    try console.line(words.syncSignedIn(shown))
    try await round(nil, library, account, file, console)
  }

  /// What is asked before the first upload.
  ///
  /// - Parameter former: the account that the library belongs to.
  private func question(
    about account: SyncAccount, named name: String, after former: SyncAccount?
  ) -> String {
    guard let former else { return words.syncAskAccount(name) }
    guard former.isSame(as: account) else {
      return words.syncAskMerge(former.name ?? former.userRecordName, name)
    }
    // Whoever runs a service can claim to be another one: only the reader knows.
    return former.origin == account.origin
      ? words.syncAskAccount(name)
      : words.syncAskMoved(name, from: former.origin, to: account.origin)
  }

  private func webAuthToken(
    for content: CredentialFile.Content, _ signIn: SignIn, _ console: Console
  ) async throws(CommandFailure) -> String {
    let address = try explainingWay { () throws(Connection.Problem) in
      try Connection.address(of: content)
    }
    var signedOut = content
    signedOut.webAuthToken = nil
    let page = try await refusal(of: signedOut).redirectURL ?? ""
    // Apple's page has a callback of its own, or shows the token.
    let isOurs = page.hasPrefix(address.origin + "/")
    if !isOurs {
      do { _ = try SignInPage.checked(page, of: address) } catch {
        throw CommandFailure(.badData, words.syncUntrustedURL("\(error)"))
      }
    }
    guard isOurs, !signIn.pastes else {
      let url =
        isOurs
        ? SignInPage.url(
          at: address, apiToken: content.apiToken, way: .code, language: words.language.rawValue)
        : page
      try console.verbatim(words.syncOpenPage(url) + "\n")
      // The address of ours has the API token in it, which nobody else is to see.
      if !isOurs { outside.openPage(url) }
      guard let token = outside.askSecret(words.syncAskCode).flatMap(SignInPage.pasted) else {
        throw CommandFailure(.usage, words.syncNoCode)
      }
      return token
    }
    do {
      let callback = try await SignInCallback(
        page: .init(
          title: words.syncPageTitle, sentence: words.syncPageSentence,
          language: words.language.rawValue))
      let url = SignInPage.url(
        at: address, apiToken: content.apiToken, way: .callback(callback.callbackURL),
        language: words.language.rawValue)
      try console.verbatim(words.syncOpenPage(url) + "\n")
      access.warn(words.syncWaitingForPage)
      outside.openPage(callback.leading(to: url))
      return try await callback.token()
    } catch let failure as CommandFailure {
      throw failure
    } catch {
      throw CommandFailure(.service, words.syncSignInFailed("\(error)"))
    }
  }

  // MARK: Syncing

  private func now(
    _ answer: MassDeletion.Answer?, _ restoration: SyncAccount.Restoration?, retriesParked: Bool,
    _ file: CredentialFile, _ console: Console
  ) async throws(CommandFailure) {
    _ = try content(of: file)
    let library = try access.openForChanges()
    if retriesParked {
      do { try library.retryParked() } catch { throw CommandFailure(error, words: words) }
    }
    let lease = try await lease(of: library)
    defer { withExtendedLifetime(lease) {} }
    if let restoration { try access.explaining { try library.answer(restoration) } }
    try await round(answer, library, try account(of: library), file, console)
  }

  private func round(
    _ answer: MassDeletion.Answer?, _ library: Library, _ account: SyncAccount,
    _ file: CredentialFile, _ console: Console
  ) async throws(CommandFailure) {
    let report = try await syncing(library, account, file) { engine async throws(SyncFailure) in
      try await engine.round(answer)
    }
    if asJSON {
      try console.json(object: RoundOutput(report))
    } else {
      try console.line(
        words.syncDone(sent: report.sent, received: report.received, deleted: report.deleted))
      if let error = try access.explaining({ try library.outboxSummary() }).lastError {
        access.warn(words.explainWaiting(error))
      }
      try list(try access.explaining { try library.pendingChanges(isParked: true) }, console)
    }
  }

  /// Becomes the one process that syncs.
  private func lease(of library: Library) async throws(CommandFailure) -> FileLock {
    do throws(FileLock.Failure) {
      return try await SyncLease.takeOver(library.path)
    } catch {
      throw switch error {
      case .held: CommandFailure(.service, words.syncElsewhere)
      case .cannotCreate(let code):
        CommandFailure(.badData, words.fileNotWritten(SyncLease.path(of: library.path), code))
      }
    }
  }

  private func account(of library: Library) throws(CommandFailure) -> SyncAccount {
    guard let account = try access.explaining({ try library.syncAccount() }) else {
      throw CommandFailure(.notSignedIn, words.syncNotConnected)
    }
    return account
  }

  /// Runs what syncs.
  private func syncing<Value: Sendable>(
    _ library: Library, _ account: SyncAccount, _ file: CredentialFile,
    _ body: (SyncEngine) async throws(SyncFailure) -> Value
  ) async throws(CommandFailure) -> Value {
    let environment = outside.environment
    let client = try explainingWay { () throws(Connection.Problem) in
      try Connection.open(file, for: account, environment: environment)
    }
    let progress = progress
    let engine = SyncEngine(
      library: library, service: client, now: access.now,
      onProgress: { step in
        switch step {
        case .receiving(let count): progress.update(count, of: 0)
        case .sending(let done, let total): progress.update(done, of: total)
        }
      })
    let result: Result<Value, SyncFailure>
    do { result = .success(try await body(engine)) } catch { result = .failure(error) }
    progress.finish()
    await client.shutdown()
    switch result {
    case .success(let value): return value
    case .failure(.massDeletion(let question)):
      throw CommandFailure(
        .service, words.explain(question) + " " + words.syncDeletionChoice)
    case .failure(.restored):
      throw CommandFailure(.service, words.syncRestored + " " + words.syncRestoredChoice)
    case .failure(let failure): throw CommandFailure(failure, words: words)
    }
  }

  // MARK: How it is

  private func status(_ file: CredentialFile, _ console: Console) throws(CommandFailure) {
    let content = try content(of: file)
    let library = try access.openForReading().library
    let (account, outbox, unread) = try access.explaining {
      (try library.syncAccount(), try library.outboxSummary(), try library.unreadRecords())
    }
    let parked = try access.explaining { try library.pendingChanges(isParked: true) }
    if asJSON {
      return try console.json(
        object: StatusOutput(
          service: content.origin, container: content.container,
          environment: content.environment, account: account?.name,
          isSignedIn: content.webAuthToken != nil, syncedAt: account?.syncedAt,
          restoration: account?.restoration?.rawValue,
          pending: outbox.count, lastError: outbox.lastError,
          parked: parked.map {
            .init(kind: $0.thing.kind, key: $0.thing.key, reason: $0.parked ?? "")
          },
          unread: unread.map { .init(name: $0.name, type: $0.type, problem: $0.problem) }))
    }
    try console.line(words.syncService(content.origin))
    if let account { try console.line(words.syncAccount(account.name ?? account.userRecordName)) }
    if content.webAuthToken == nil { try console.line(words.syncSignedOutState) }
    switch account?.restoration {
    case nil: break
    case .asked: try console.lines([words.syncRestored, words.syncRestoredChoice])
    case .keepRestored: try console.line(words.syncRestorationAnswered(keepsRestored: true))
    case .keepService: try console.line(words.syncRestorationAnswered(keepsRestored: false))
    }
    let time = account?.syncedAt.map { LocalTime($0).description }
    try console.line(words.syncLast(time))
    try console.line(words.syncPending(outbox.count))
    if let error = outbox.lastError { try console.line(words.explainWaiting(error)) }
    if !unread.isEmpty { try console.line(words.syncUnread(unread.count)) }
    try list(parked, console)
  }

  private func list(_ parked: [PendingChange], _ console: Console) throws(CommandFailure) {
    for change in parked {
      try console.line(
        words.syncParked("\(change.thing.kind) \(change.thing.key)", change.parked ?? ""))
    }
  }

  private func logout(_ file: CredentialFile, _ console: Console) async throws(CommandFailure) {
    try await signOut(file)
    try console.line(words.syncSignedOut)
  }

  private func signOut(_ file: CredentialFile) async throws(CommandFailure) {
    let content = try content(of: file)
    if content.webAuthToken != nil {
      let client = try client(content)
      // A service that cannot be reached lets it run out.
      try? await client.endSession()
      await client.shutdown()
    }
    try explainingFile { () throws(CredentialFile.Problem) in
      try file.change { content in
        content.webAuthToken = nil
        content.userRecordName = nil
      }
    }
  }

  private func deleteAccount(
    isConfirmed: Bool, _ file: CredentialFile, _ console: Console
  ) async throws(CommandFailure) {
    _ = try content(of: file)
    let library = try access.openForChanges()
    let account = try account(of: library)
    let name = account.name ?? account.userRecordName
    guard try agrees(isConfirmed, words.syncAskDelete(name)) else {
      return try console.line(words.nothingChanged)
    }
    let lease = try await lease(of: library)
    defer { withExtendedLifetime(lease) {} }
    let count = try await syncing(library, account, file) { engine async throws(SyncFailure) in
      try await engine.deleteEverything()
    }
    try await signOut(file)
    try console.line(words.syncDeleted(count))
  }

  // MARK: Asking and failing

  private func content(
    of file: CredentialFile
  ) throws(CommandFailure) -> CredentialFile.Content {
    let content = try explainingFile { () throws(CredentialFile.Problem) in try file.load() }
    guard let content else { throw CommandFailure(.notSignedIn, words.syncNotConnected) }
    return content
  }

  private func agrees(_ isConfirmed: Bool, _ question: String) throws(CommandFailure) -> Bool {
    guard !isConfirmed else { return true }
    guard let ask = outside.ask else { throw CommandFailure(.usage, words.syncNeedsYes) }
    return words.isYes(ask(question) ?? "")
  }

  private func explainingFile<Value>(
    _ body: () throws(CredentialFile.Problem) -> Value
  ) throws(CommandFailure) -> Value {
    do { return try body() } catch { throw CommandFailure(.badData, words.explain(error)) }
  }

  private func explainingWay<Value>(
    _ body: () throws(Connection.Problem) -> Value
  ) throws(CommandFailure) -> Value {
    do { return try body() } catch { throw CommandFailure(.usage, words.explain(error)) }
  }

  private func explainingCall<Value>(
    _ body: () async throws(CallFailure) -> Value
  ) async throws(CommandFailure) -> Value {
    do { return try await body() } catch { throw CommandFailure(.call(error), words: words) }
  }
}

extension CommandFailure {
  fileprivate init(_ failure: SyncFailure, words: Words) {
    switch failure {
    case .library(let failure): self.init(failure, words: words)
    case .signedOut, .unconfirmed: self.init(.notSignedIn, words.explain(failure))
    case .call(.service(let error)) where error.code == .authenticationRequired:
      self.init(.notSignedIn, words.explain(failure))
    case .call, .massDeletion, .historyForked, .restored:
      self.init(.service, words.explain(failure))
    }
  }
}
