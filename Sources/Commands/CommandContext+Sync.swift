import CloudRecords
public import Library
import Messages
import RecordClient
public import Sync
import Text

/// The options of a sign-in.
public struct SignInOptions: Sendable {
  /// Whether the user pastes a code. Otherwise the command waits for a browser on this machine.
  public var pastes: Bool
  /// Whether to accept the account without asking the user.
  public var isConfirmed: Bool
  /// Whether to merge the library into the account even if it belongs to another account.
  public var merges: Bool

  public init(pastes: Bool, isConfirmed: Bool, merges: Bool) {
    self.pastes = pastes
    self.isConfirmed = isConfirmed
    self.merges = merges
  }
}

// `quran-vi sync`
extension CommandContext {
  // MARK: Connecting

  /// Connects to a service and signs in.
  ///
  /// The address of the service is saved once the service has accepted the API token. If the user
  /// is signed in to another service, that one remains saved until the sign-in to the new one
  /// succeeds.
  ///
  /// - Parameters:
  ///   - url: The URL of the service.
  ///   - container: The name of the container, or nil for the container of the Quran reader.
  ///   - isDevelopment: Whether to use the container's development environment.
  ///   - options: The options of the sign-in.
  /// - Throws: Status 2 if an argument is invalid, or the user does not give a required answer or
  ///   cannot be asked; 3 if a file or the library fails; 4 if the service, the connection to it or
  ///   the sign-in in the browser fails; 5 if the service rejects the sign-in code.
  public func syncConnect(
    to url: String, container: String?, isDevelopment: Bool, _ options: SignInOptions
  ) async throws(CommandFailure) {
    let file = try credentialFile
    var content = CredentialFile.Content(
      origin: url, container: container ?? ClientFactory.container,
      environment: isDevelopment ? "development" : "production", apiToken: "")
    content.origin = try convertingFailures {
      try ClientFactory.address(of: content).origin
    }
    // Not passed as an argument, because other users of the machine can read arguments.
    let secret = askSecret(messages.syncAskToken) ?? ""
    guard !secret.isEmpty else { throw CommandFailure(.usage, messages.syncTokenNeeded) }
    content.apiToken = secret
    _ = try await refusal(of: content)
    _ = try openForChanges()
    // Save and report the connection only now; a sign-in to another service stays valid until the
    // new sign-in.
    let isSaved = try convertingFailures {
      try file.update { previous in
        let isSame =
          previous?.origin == content.origin && previous?.container == content.container
          && previous?.environment == content.environment
        if isSame {
          (content.webAuthToken, content.userRecordName) =
            (previous?.webAuthToken, previous?.userRecordName)
        }
        return isSame || previous?.webAuthToken == nil ? content : nil
      }
    }
    if isSaved { try say(messages.syncConnected(content.origin)) }
    try await signIn(to: content, options, file)
  }

  /// Signs in to the service again.
  ///
  /// - Throws: The same as `syncConnect`; also status 5 if the library is not connected to a
  ///   service.
  public func syncLogin(_ options: SignInOptions) async throws(CommandFailure) {
    let file = try credentialFile
    try await signIn(to: content(of: file), options, file)
  }

  /// Requests the identity of the user without a web auth token. A service that accepts the API
  /// token rejects the request with `authenticationRequired`, and sends the address of its sign-in
  /// page. Returns this error; other failures are thrown.
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

  /// Creates a client that keeps its credentials in memory only.
  ///
  /// - Parameters:
  ///   - content: The address of the service and, if `credentials` is nil, the credentials.
  ///   - credentials: The credentials to use; nil for those of `content`.
  private func client(
    _ content: CredentialFile.Content, _ credentials: InMemoryCredentials? = nil
  ) throws(CommandFailure) -> RecordClient {
    try convertingFailures {
      RecordClient(
        try ClientFactory.address(of: content),
        credentials: credentials ?? InMemoryCredentials(content),
        options: try .environment(environment))
    }
  }

  private func signIn(
    to service: CredentialFile.Content, _ options: SignInOptions, _ file: CredentialFile
  ) async throws(CommandFailure) {
    var content = service
    content.webAuthToken = try await webAuthToken(for: content, options)
    // Do not send any data before the user has confirmed the account.
    let credentials = InMemoryCredentials(content)
    let client = try client(content, credentials)
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
    // The response can contain a new token.
    content.webAuthToken = credentials.webAuthToken
    content.userRecordName = identity.userRecordName
    let name = identity.name ?? identity.userRecordName
    let account = SyncAccount(
      origin: content.origin, container: content.container, environment: content.environment,
      userRecordName: identity.userRecordName, name: name, isConfirmed: true,
      serviceID: identity.serviceID)
    let library: Library
    let lease: FileLock
    do throws(CommandFailure) {
      library = try openForChanges()
      let previous = try convertingFailures { try library.syncAccount() }
      guard try confirms(account, named: name, after: previous, options) else {
        try? await endSession(content)
        return try say(messages.nothingChanged)
      }
      // Acquire the lease first, so that no other process syncs the library before it belongs to
      // this account.
      lease = try await acquireLease(of: library)
      try convertingFailures { try file.save(content) }
    } catch {
      // The token of the session is not stored.
      try? await endSession(content)
      throw error
    }
    defer { withExtendedLifetime(lease) {} }
    try await syncing(library, account, file) { engine async throws(SyncFailure) in
      try engine.adopt(account)
      if let refusal = try await engine.prepareAccount(named: identity.name) {
        warn(messages.syncNoProfile(refusal))
      }
    }
    try say(messages.syncSignedIn(name))
    // The sign-in has succeeded; unsent changes are listed, but are not a failure.
    var report = SyncReport()
    _ = try await round(nil, library, account, file, &report)
  }

  /// Asks the user to confirm the account before the first upload.
  ///
  /// - Parameter previous: The account to which the library belongs.
  private func confirms(
    _ account: SyncAccount, named name: String, after previous: SyncAccount?,
    _ options: SignInOptions
  ) throws(CommandFailure) -> Bool {
    guard let previous else {
      return try confirms(options.isConfirmed, messages.syncAskAccount(name))
    }
    guard previous.isSame(as: account) else {
      let owner = previous.name ?? previous.userRecordName
      if options.merges { return true }
      // Never merge two accounts' libraries without a question or `--merge`.
      guard !options.isConfirmed, ask != nil else {
        throw CommandFailure(.usage, messages.syncNeedsMerge(owner))
      }
      return try confirms(false, messages.syncAskMerge(owner, name))
    }
    // A service can claim to be another one, so the user has to confirm a new address.
    return try confirms(
      options.isConfirmed,
      previous.origin == account.origin
        ? messages.syncAskAccount(name)
        : messages.syncAskMoved(name, from: previous.origin, to: account.origin))
  }

  private func webAuthToken(
    for content: CredentialFile.Content, _ options: SignInOptions
  ) async throws(CommandFailure) -> String {
    let address = try convertingFailures {
      try ClientFactory.address(of: content)
    }
    var signedOut = content
    signedOut.webAuthToken = nil
    let page = try await refusal(of: signedOut).redirectURL ?? ""
    // Apple's page uses its own callback or shows the token.
    let isOurs = page.hasPrefix(address.origin + "/")
    if !isOurs {
      do { _ = try WebSignIn.checkedRedirectURL(page, of: address) } catch {
        throw CommandFailure(.badData, messages.explainUntrusted(error))
      }
    }
    guard isOurs, !options.pastes else {
      let url =
        isOurs
        ? WebSignIn.url(
          at: address, apiToken: content.apiToken, delivery: .code,
          language: messages.language.rawValue)
        : page
      try say(messages.syncOpenPage(url), isVerbatim: true)
      // The URL of our sign-in page contains the API token, so it is not passed to a program as an
      // argument.
      if !isOurs { openPage(url) }
      guard let text = askSecret(messages.syncAskCode),
        let token = WebSignIn.token(inPastedText: text)
      else { throw CommandFailure(.usage, messages.syncNoCode) }
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
      try say(messages.syncOpenPage(url), isVerbatim: true)
      warn(messages.syncWaitingForPage)
      openPage(callback.redirectURL(to: url))
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

  /// Runs a sync round.
  ///
  /// - Parameters:
  ///   - answer: The answer to the question about many deletions; nil to stop if it comes up.
  ///     `accept(nil)` accepts as many deletions as in the question of the last round, or any
  ///     number if that round did not ask.
  ///   - restoration: The version that wins if an earlier state of the library was restored; nil to
  ///     use the earlier answer, or to stop if there is none.
  ///   - retriesParked: Whether to send parked changes again.
  /// - Throws: Status 3 if a file or the library fails, 4 if the service or the connection to it
  ///   fails, another process is syncing, a question is open or a change was not sent, 5 if the
  ///   user is not signed in.
  public func syncNow(
    _ answer: MassDeletion.Answer?, restoration: SyncAccount.Restoration? = nil,
    retriesParked: Bool
  ) async throws(CommandFailure) {
    let file = try credentialFile
    try checkSignIn(file)
    let library = try openForChanges()
    if retriesParked { try convertingFailures { try library.retryParked() } }
    let lease = try await acquireLease(of: library)
    defer { withExtendedLifetime(lease) {} }
    if let restoration { try convertingFailures { try library.chooseRestoration(restoration) } }
    var report = SyncReport()
    let left: Int
    do throws(CommandFailure) {
      let account = try account(of: library)
      var answer = answer
      if answer == .accept(nil), case .massDeletion(let counts, let isProfileGone) = account.failure
      {
        answer = .accept(MassDeletion(counts: counts, isProfileGone: isProfileGone))
      }
      left = try await round(answer, library, account, file, &report)
    } catch {
      // Report what was done and what is pending even if the round failed, if it can be read.
      _ = try? printReport(report, library, file)
      throw error
    }
    guard left == 0 else { throw CommandFailure(.service, messages.syncNotAllSent(left)) }
  }

  /// - Parameter report: The counts of the round are added to this report, even if the round fails.
  /// - Returns: The number of changes that the service does not have after the round.
  private func round(
    _ answer: MassDeletion.Answer?, _ library: Library, _ account: SyncAccount,
    _ file: CredentialFile, _ report: inout SyncReport
  ) async throws(CommandFailure) -> Int {
    try await syncing(library, account, file) { engine async throws(SyncFailure) in
      try await engine.round(answer, on: .asked, addingTo: &report)
    }
    if !asJSON {
      try console.line(
        messages.syncDone(sent: report.sent, received: report.received, deleted: report.deleted))
      if report.trashed > 0 { try console.line(messages.syncTrashed(report.trashed)) }
    }
    return try printReport(report, library, file)
  }

  /// Prints the changes that a round did not send, as JSON together with its result.
  ///
  /// - Returns: The number of changes that the service does not have.
  private func printReport(
    _ report: SyncReport, _ library: Library, _ file: CredentialFile
  ) throws(CommandFailure) -> Int {
    let content = try content(of: file)
    let facts = try convertingFailures { try SyncFacts(content, library, at: now()) }
    if asJSON {
      try console.json(object: RoundOutput(report, left: facts))
    } else {
      for line in facts.unsentLines(in: messages) { try console.line(line) }
    }
    return facts.unsentCount
  }

  /// Acquires the lease of the process that syncs.
  private func acquireLease(of library: Library) async throws(CommandFailure) -> FileLock {
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
    guard let account = try convertingFailures({ try library.syncAccount() }) else {
      throw CommandFailure(.notSignedIn, messages.syncNotConnected)
    }
    return account
  }

  /// Runs `body` with an engine for the account, and converts failures.
  private func syncing<Value: Sendable>(
    _ library: Library, _ account: SyncAccount, _ file: CredentialFile,
    _ body: (SyncEngine) async throws(SyncFailure) -> Value
  ) async throws(CommandFailure) -> Value {
    let client = try convertingFailures {
      try ClientFactory.open(file, for: account, processEnvironment: environment)
    }
    let progress = progressBar()
    let engine = SyncEngine(
      library: library, service: client, now: now,
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

  /// Prints the sync state.
  public func syncStatus() throws(CommandFailure) {
    let content = try convertingFailures { try credentialFile.load() }
    let library = try openForReading().library
    let now = now()
    let facts = try convertingFailures { try SyncFacts(content, library, at: now) }
    if asJSON { try console.json(object: StatusOutput(facts)) }
    guard content != nil else { throw CommandFailure(.notSignedIn, messages.syncNotConnected) }
    guard !asJSON else { return }
    for line in facts.status(in: messages) { try console.line(line) }
  }

  /// Signs out. The changes that the service does not have stay in the library and are sent after
  /// the next sign-in to the same account; their number is printed.
  public func syncLogout() async throws(CommandFailure) {
    let file = try credentialFile
    try await signOut(file)
    // A library that cannot be read does not prevent signing out.
    let facts = try? SyncFacts(nil, openForReading().library, at: now())
    try say(messages.syncSignedOut(unsent: facts?.unsentCount ?? 0))
  }

  /// Removes the token from the file, then ends the session on the service. If the file cannot be
  /// written, the session is not ended either.
  private func signOut(_ file: CredentialFile) async throws(CommandFailure) {
    let content = try content(of: file)
    try convertingFailures {
      try file.change { content in
        content.webAuthToken = nil
        content.userRecordName = nil
      }
    }
    if content.webAuthToken != nil { try await endSession(content) }
  }

  /// Ends the session on the service. If the service cannot be reached, the session expires by
  /// itself.
  private func endSession(_ content: CredentialFile.Content) async throws(CommandFailure) {
    let client = try client(content)
    try? await client.endSession()
    await client.shutdown()
  }

  /// Deletes all data of the account on the service, and signs out.
  ///
  /// - Parameter isConfirmed: Whether to delete the data without asking the user.
  public func syncDeleteAccount(isConfirmed: Bool) async throws(CommandFailure) {
    let file = try credentialFile
    try checkSignIn(file)
    let library = try openForChanges()
    let account = try account(of: library)
    let name = account.name ?? account.userRecordName
    guard try confirms(isConfirmed, messages.syncAskDelete(name)) else {
      return try say(messages.nothingChanged)
    }
    let lease = try await acquireLease(of: library)
    defer { withExtendedLifetime(lease) {} }
    let count: Int
    do throws(CommandFailure) {
      count = try await syncing(library, account, file) { engine async throws(SyncFailure) in
        try await engine.deleteEverything()
      }
    } catch {
      guard error.status == .service else { throw error }
      throw error.followed(by: CommandFailure(.service, messages.syncDeletionUnfinished))
    }
    try say(messages.syncDeleted(count))
    try await signOut(file)
  }

  // MARK: Questions and failures

  private var credentialFile: CredentialFile {
    get throws(CommandFailure) { CredentialFile(beside: try requiredLibraryPath) }
  }

  private func content(
    of file: CredentialFile
  ) throws(CommandFailure) -> CredentialFile.Content {
    let content = try convertingFailures { try file.load() }
    if let content { return content }
    // Report a file that is not a library before "not connected".
    _ = try openForReading()
    throw CommandFailure(.notSignedIn, messages.syncNotConnected)
  }

  /// - Throws: Status 5 if nobody is signed in.
  private func checkSignIn(_ file: CredentialFile) throws(CommandFailure) {
    guard try content(of: file).webAuthToken != nil else {
      throw CommandFailure(.notSignedIn, messages.syncSignedOutState)
    }
  }

  private func confirms(_ isConfirmed: Bool, _ question: String) throws(CommandFailure) -> Bool {
    guard !isConfirmed else { return true }
    guard let ask else { throw CommandFailure(.usage, messages.syncNeedsYes) }
    return messages.isYes(ask(messages.question(question)) ?? "")
  }
}
