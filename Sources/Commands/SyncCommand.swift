import CloudRecords
public import Library
import Messages
import RecordClient
public import Sync
import Text

/// `quran-vi sync`: connects a library to a service and syncs it.
public struct SyncCommand {
  /// An action of the command.
  public enum Action: Sendable {
    /// Connects to a service and signs in.
    ///
    /// - Parameters:
    ///   - url: The URL of the service.
    ///   - container: The container, or nil for that of the Quran reader.
    ///   - isDevelopment: Whether to use the container's development environment.
    case connect(url: String, container: String?, isDevelopment: Bool, SignIn)
    /// Signs in to the service again.
    case login(SignIn)
    /// Prints the sync state.
    case status
    /// Runs a sync round.
    ///
    /// - Parameters:
    ///   - answer: The answer to the question about many deletions, or nil to be asked.
    ///   - restoration: The version that wins if an earlier state of the library was restored, or
    ///     nil to be asked.
    ///   - retriesParked: Whether to send parked changes again.
    case now(
      _ answer: MassDeletion.Answer?, restoration: SyncAccount.Restoration? = nil,
      retriesParked: Bool)
    /// Signs out.
    case logout
    /// Deletes all data of the account on the service, and signs out.
    case deleteAccount(isConfirmed: Bool)
  }

  /// The options of a sign-in.
  public struct SignIn: Sendable {
    /// Whether the user pastes a code, so that no browser on this machine is awaited.
    public var pastes: Bool
    /// Whether to skip the question whether the account is the right one.
    public var isConfirmed: Bool
    /// Whether to merge a library that belongs to another account into this one.
    public var merges: Bool

    public init(pastes: Bool, isConfirmed: Bool, merges: Bool = false) {
      self.pastes = pastes
      self.isConfirmed = isConfirmed
      self.merges = merges
    }
  }

  /// The environment of the command: functions that interact with the user.
  public struct Outside {
    /// The environment variables of the process.
    public var environment: [String: String]
    /// Shows a question and reads a line; nil if the user cannot be asked.
    public var ask: ((String) -> String?)?
    /// Asks for a secret without echo, or reads it from standard input if that is not a terminal.
    public var askSecret: (String) -> String?
    /// Opens a page in a browser, if there is one.
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

  /// Creates the command.
  ///
  /// - Parameters:
  ///   - action: The action of the command.
  ///   - asJSON: Whether to print JSON.
  ///   - access: The library.
  ///   - outside: The environment and the interaction with the user.
  ///   - progress: Shows the progress of a sync round.
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

  private var messages: Messages { access.messages }

  /// Runs the command.
  ///
  /// - Throws: Status 2 if the user must be asked but cannot be, 3 if a file or the library fails,
  ///   4 if the service or the connection to it fails, 5 if the user is not signed in.
  public func run(_ console: Console) async throws(CommandFailure) {
    guard let path = access.path else { throw CommandFailure(.noPlace, messages: messages) }
    let file = CredentialFile(beside: path)
    switch action {
    case .connect(let url, let container, let isDevelopment, let signIn):
      let content = try await connect(
        CredentialFile.Content(
          origin: url, container: container ?? Connection.container,
          environment: isDevelopment ? "development" : "production", apiToken: ""), file, console)
      try await login(content, signIn, file, console)
    case .login(let signIn): try await login(content(of: file), signIn, file, console)
    case .status: try status(file, console)
    case .now(let answer, let restoration, let retriesParked):
      try await now(answer, restoration, retriesParked: retriesParked, file, console)
    case .logout: try await logout(file, console)
    case .deleteAccount(let isConfirmed):
      try await deleteAccount(isConfirmed: isConfirmed, file, console)
    }
  }

  // MARK: Connecting

  /// Saves the address of the service once the service has accepted the API token. If the user is
  /// signed in to another service, that one remains saved until the sign-in to the new one
  /// succeeds.
  private func connect(
    _ wanted: CredentialFile.Content, _ file: CredentialFile, _ console: Console
  ) async throws(CommandFailure) -> CredentialFile.Content {
    var content = wanted
    content.origin = try explainingWay { () throws(Connection.Problem) in
      try Connection.address(of: wanted).origin
    }
    // Not passed as an argument, because other users of the machine can read arguments.
    let secret = outside.askSecret(messages.syncAskToken) ?? ""
    guard !secret.isEmpty else { throw CommandFailure(.usage, messages.syncTokenNeeded) }
    content.apiToken = secret
    _ = try await refusal(of: content)
    _ = try access.openForChanges()
    let former = try explainingFile { () throws(CredentialFile.Problem) in try file.load() }
    let isSame =
      former?.origin == content.origin && former?.container == content.container
      && former?.environment == content.environment
    if isSame {
      (content.webAuthToken, content.userRecordName) =
        (former?.webAuthToken, former?.userRecordName)
    }
    // Save and report the connection only now; a sign-in to another service stays valid until the
    // new sign-in.
    if isSame || former?.webAuthToken == nil {
      try explainingFile { () throws(CredentialFile.Problem) in try file.save(content) }
      try console.line(messages.syncConnected(content.origin))
    }
    return content
  }

  /// Requests the identity of the user without a web auth token. A service that accepts the API
  /// token responds with the address of its sign-in page.
  private func refusal(
    of content: CredentialFile.Content
  ) async throws(CommandFailure) -> ServiceError {
    let client = try client(content)
    let failure: CallFailure?
    do throws(CallFailure) {
      _ = try await client.identity()
      failure = nil
    } catch {
      failure = error
    }
    await client.shutdown()
    switch failure {
    case .service(let error) where error.code == .authenticationRequired:
      return error
    case .unreachable(let problem), .responseLost(let problem):
      // There is no connection yet, so the usual message that changes will be sent later would be
      // wrong.
      throw CommandFailure(
        .service, messages.syncNoServiceThere(content.origin, messages.explain(problem)))
    case let failure?: throw CommandFailure(.call(failure), messages: messages)
    case nil: return ServiceError(.authenticationRequired)
    }
  }

  /// Creates a client that does not save credentials to a file.
  private func client(
    _ content: CredentialFile.Content, _ credentials: HeldCredentials? = nil
  ) throws(CommandFailure) -> RecordClient {
    do {
      return RecordClient(
        try Connection.address(of: content),
        credentials: credentials ?? HeldCredentials(content),
        options: try .environment(outside.environment))
    } catch let problem as Connection.Problem {
      throw CommandFailure(.usage, messages.explain(problem))
    } catch let problem as ClientOptions.Problem {
      throw CommandFailure(.usage, messages.explain(.environment(problem)))
    } catch {
      throw CommandFailure(.badData, messages.unexpectedFailure)
    }
  }

  /// - Parameter service: The service to sign in to.
  private func login(
    _ service: CredentialFile.Content, _ signIn: SignIn, _ file: CredentialFile,
    _ console: Console
  ) async throws(CommandFailure) {
    var content = service
    content.webAuthToken = try await webAuthToken(for: content, signIn, console)
    // Do not send any data before the user has confirmed the account.
    let held = HeldCredentials(content)
    let client = try client(content, held)
    let identity: CallerIdentity
    do throws(CallFailure) {
      identity = try await client.identity()
      await client.shutdown()
    } catch {
      await client.shutdown()
      if case .service(let error) = error, error.code == .authenticationRequired {
        throw CommandFailure(.notSignedIn, messages.syncWrongCode)
      }
      throw CommandFailure(.call(error), messages: messages)
    }
    let (user, name) = (identity.userRecordName, identity.name)
    // The response can contain a new token.
    content.webAuthToken = held.webAuthToken
    content.userRecordName = user
    let shown = name ?? user
    let library = try access.openForChanges()
    let account = SyncAccount(
      origin: content.origin, container: content.container, environment: content.environment,
      userRecordName: user, name: shown, isConfirmed: true, serviceID: identity.serviceID)
    let former = try access.explaining { try library.syncAccount() }
    guard try agrees(signIn, to: account, named: shown, after: former) else {
      return try console.line(messages.nothingChanged)
    }
    // Acquire the lease first, so that no other process syncs the library before it belongs to this
    // account.
    let lease = try await lease(of: library)
    defer { withExtendedLifetime(lease) {} }
    try explainingFile { () throws(CredentialFile.Problem) in try file.save(content) }
    try await syncing(library, account, file) { engine async throws(SyncFailure) in
      try engine.adopt(account)
      if let refusal = try await engine.prepare(named: name) {
        access.warn(messages.syncNoProfile("\(refusal)"))
      }
    }
    try console.line(messages.syncSignedIn(shown))
    // The sign-in has succeeded; unsent changes are listed, but are not a failure.
    _ = try await round(nil, library, account, file, console)
  }

  /// Asks the user to confirm the account before the first upload.
  ///
  /// - Parameter former: The account to which the library belongs.
  private func agrees(
    _ signIn: SignIn, to account: SyncAccount, named name: String, after former: SyncAccount?
  ) throws(CommandFailure) -> Bool {
    guard let former else { return try agrees(signIn.isConfirmed, messages.syncAskAccount(name)) }
    guard former.isSame(as: account) else {
      let owner = former.name ?? former.userRecordName
      if signIn.merges { return true }
      // Never merge two accounts' libraries without a question or `--merge`.
      guard !signIn.isConfirmed, outside.ask != nil else {
        throw CommandFailure(.usage, messages.syncNeedsMerge(owner))
      }
      return try agrees(false, messages.syncAskMerge(owner, name))
    }
    // A service can claim to be another one, so the user has to confirm a new address.
    return try agrees(
      signIn.isConfirmed,
      former.origin == account.origin
        ? messages.syncAskAccount(name)
        : messages.syncAskMoved(name, from: former.origin, to: account.origin))
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
    // Apple's page uses its own callback or shows the token.
    let isOurs = page.hasPrefix(address.origin + "/")
    if !isOurs {
      do { _ = try WebSignIn.checked(page, of: address) } catch {
        throw CommandFailure(.badData, messages.explainUntrusted(error))
      }
    }
    guard isOurs, !signIn.pastes else {
      let url =
        isOurs
        ? WebSignIn.url(
          at: address, apiToken: content.apiToken, delivery: .code,
          language: messages.language.rawValue)
        : page
      try console.verbatim(messages.syncOpenPage(url) + "\n")
      // The URL of our sign-in page contains the API token, so it is not passed to a program as an
      // argument.
      if !isOurs { outside.openPage(url) }
      guard let token = outside.askSecret(messages.syncAskCode).flatMap(WebSignIn.pasted) else {
        throw CommandFailure(.usage, messages.syncNoCode)
      }
      return token
    }
    do {
      let callback = try await SignInCallback(
        page: .init(
          title: messages.syncPageTitle, sentence: messages.syncPageSentence,
          language: messages.language.rawValue))
      let url = WebSignIn.url(
        at: address, apiToken: content.apiToken, delivery: .callback(callback.callbackURL),
        language: messages.language.rawValue)
      try console.verbatim(messages.syncOpenPage(url) + "\n")
      access.warn(messages.syncWaitingForPage)
      outside.openPage(callback.redirectURL(to: url))
      return try await callback.token()
    } catch let problem as SignInProblem {
      throw CommandFailure(.service, messages.syncSignInFailed(messages.explain(problem)))
    } catch let failure as CommandFailure {
      throw failure
    } catch {
      throw CommandFailure(.service, messages.unexpectedFailure)
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
      do { try library.retryParked() } catch { throw CommandFailure(error, messages: messages) }
    }
    let lease = try await lease(of: library)
    defer { withExtendedLifetime(lease) {} }
    if let restoration { try access.explaining { try library.answer(restoration) } }
    let left: Int
    do throws(CommandFailure) {
      left = try await round(answer, library, try account(of: library), file, console)
    } catch {
      // Report the pending changes even if the round failed, if they can be read.
      _ = try? tell(SyncReport(), library, file, console)
      throw error
    }
    guard left == 0 else { throw CommandFailure(.service, messages.syncNotAllSent(left)) }
  }

  /// - Returns: The number of changes that the service does not have after the round.
  private func round(
    _ answer: MassDeletion.Answer?, _ library: Library, _ account: SyncAccount,
    _ file: CredentialFile, _ console: Console
  ) async throws(CommandFailure) -> Int {
    let report = try await syncing(library, account, file) { engine async throws(SyncFailure) in
      try await engine.round(answer, on: .asked)
    }
    if !asJSON {
      try console.line(
        messages.syncDone(sent: report.sent, received: report.received, deleted: report.deleted))
      if report.trashed > 0 { try console.line(messages.syncTrashed(report.trashed)) }
    }
    return try tell(report, library, file, console)
  }

  /// Prints the result of a round and the changes that it did not send.
  ///
  /// - Returns: The number of changes that the service does not have.
  @discardableResult
  private func tell(
    _ report: SyncReport, _ library: Library, _ file: CredentialFile, _ console: Console
  ) throws(CommandFailure) -> Int {
    let content = try content(of: file)
    let facts = try access.explaining { try SyncFacts(content, library, at: access.now()) }
    if asJSON {
      try console.json(object: RoundOutput(report, left: facts))
    } else {
      for line in facts.leftBehind(in: messages) { try console.line(line) }
    }
    return facts.unsentCount
  }

  /// Acquires the lease of the process that syncs.
  private func lease(of library: Library) async throws(CommandFailure) -> FileLock {
    do throws(FileLock.Failure) {
      return try await SyncLease.acquireAskingHolder(for: library.path)
    } catch {
      throw switch error {
      case .held: CommandFailure(.service, messages.syncElsewhere)
      case .cannotCreate(let code):
        CommandFailure(.badData, messages.fileNotWritten(SyncLease.path(of: library.path), code))
      }
    }
  }

  private func account(of library: Library) throws(CommandFailure) -> SyncAccount {
    guard let account = try access.explaining({ try library.syncAccount() }) else {
      throw CommandFailure(.notSignedIn, messages.syncNotConnected)
    }
    return account
  }

  /// Runs `body` with an engine for the account, and converts failures.
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
        .service, messages.explain(question) + " " + messages.syncDeletionChoice)
    case .failure(.restored):
      throw CommandFailure(.service, messages.syncRestored + " " + messages.syncRestoredChoice)
    case .failure(let failure): throw CommandFailure(failure, messages: messages)
    }
  }

  // MARK: Status and signing out

  private func status(_ file: CredentialFile, _ console: Console) throws(CommandFailure) {
    let content = try content(of: file)
    let library = try access.openForReading().library
    let now = access.now()
    let facts = try access.explaining { try SyncFacts(content, library, at: now) }
    if asJSON { return try console.json(object: StatusOutput(facts, at: now)) }
    for line in facts.status(in: messages) { try console.line(line) }
  }

  private func logout(_ file: CredentialFile, _ console: Console) async throws(CommandFailure) {
    try await signOut(file)
    try console.line(messages.syncSignedOut)
  }

  /// Removes the token from the file, then ends the session on the service. If the file cannot be
  /// written, the session is not ended either.
  private func signOut(_ file: CredentialFile) async throws(CommandFailure) {
    let content = try content(of: file)
    try explainingFile { () throws(CredentialFile.Problem) in
      try file.change { content in
        content.webAuthToken = nil
        content.userRecordName = nil
      }
    }
    guard content.webAuthToken != nil else { return }
    let client = try client(content)
    // If the service cannot be reached, the session expires by itself.
    try? await client.endSession()
    await client.shutdown()
  }

  private func deleteAccount(
    isConfirmed: Bool, _ file: CredentialFile, _ console: Console
  ) async throws(CommandFailure) {
    _ = try content(of: file)
    let library = try access.openForChanges()
    let account = try account(of: library)
    let name = account.name ?? account.userRecordName
    guard try agrees(isConfirmed, messages.syncAskDelete(name)) else {
      return try console.line(messages.nothingChanged)
    }
    let lease = try await lease(of: library)
    defer { withExtendedLifetime(lease) {} }
    let count = try await syncing(library, account, file) { engine async throws(SyncFailure) in
      try await engine.deleteEverything()
    }
    try console.line(messages.syncDeleted(count))
    try await signOut(file)
  }

  // MARK: Questions and failures

  private func content(
    of file: CredentialFile
  ) throws(CommandFailure) -> CredentialFile.Content {
    let content = try explainingFile { () throws(CredentialFile.Problem) in try file.load() }
    if let content { return content }
    // Report a file that is not a library before "not connected".
    _ = try access.openForReading()
    throw CommandFailure(.notSignedIn, messages.syncNotConnected)
  }

  private func agrees(_ isConfirmed: Bool, _ question: String) throws(CommandFailure) -> Bool {
    guard !isConfirmed else { return true }
    guard let ask = outside.ask else { throw CommandFailure(.usage, messages.syncNeedsYes) }
    return messages.isYes(ask(question) ?? "")
  }

  private func explainingFile<Value>(
    _ body: () throws(CredentialFile.Problem) -> Value
  ) throws(CommandFailure) -> Value {
    do { return try body() } catch { throw CommandFailure(.badData, messages.explain(error)) }
  }

  private func explainingWay<Value>(
    _ body: () throws(Connection.Problem) -> Value
  ) throws(CommandFailure) -> Value {
    do { return try body() } catch { throw CommandFailure(.usage, messages.explain(error)) }
  }
}

extension CommandFailure {
  fileprivate init(_ failure: SyncFailure, messages: Messages) {
    switch failure {
    case .library(let failure): self.init(failure, messages: messages)
    case .signedOut, .unconfirmed: self.init(.notSignedIn, messages.explain(failure))
    case .call(.service(let error)) where error.code == .authenticationRequired:
      self.init(.notSignedIn, messages.explain(failure))
    case .call, .endlessPages, .unfinishedPages, .historyForked, .massDeletion, .restored:
      self.init(.service, messages.explain(failure))
    }
  }
}
