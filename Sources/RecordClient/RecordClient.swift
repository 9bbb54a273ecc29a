public import CloudRecords
import FoundationEssentials
import Synchronization

/// Talks to a service of CloudKit Web Services for one signed-in reader.
///
///     let client = RecordClient(address, credentials: keeper)
///     let page = try await client.call(RecordsQuery.self, .init(query))
///     await client.shutdown()
///
/// Calls go one after the other, in the order in which they were made: an answer may hand over
/// a new token, and it is kept before the next request is sent. Notifications are waited for
/// beside them.
public final class RecordClient: RecordCalling {
  public let address: ServiceAddress

  private let keeper: any CredentialStore
  private let options: ClientOptions
  private let calls: Transport
  private let polls: Transport
  private let ticker: Ticker
  private let lock = AsyncLock()
  private let session = Mutex(Session())

  /// What goes from one call to the next. Only the call whose turn it is touches it.
  private struct Session {
    var pace = Pace()
    /// A token that could not be kept.
    var unkept: Rotation?
  }

  /// A token and the one that it takes the place of.
  private struct Rotation {
    var former: String?
    var newest: String
  }

  public init(
    _ address: ServiceAddress, credentials: any CredentialStore,
    options: ClientOptions = ClientOptions()
  ) {
    self.address = address
    keeper = credentials
    self.options = options
    calls = Transport(options)
    polls = Transport(options)
    ticker = Ticker(options.clock)
  }

  /// Ends what is under way; every call from now on is `.cancelled`.
  public func shutdown() async {
    async let polls: Void = polls.shutdown()
    await calls.shutdown()
    await polls
  }

  // MARK: Calls

  public func call<E: Endpoint>(
    _ endpoint: E.Type, _ request: E.Request, witness: String?
  ) async throws(CallFailure) -> Reply<E.Answer> {
    let body = E.route.method == .post ? try Self.encoded(request) : nil
    let operations = (request as? RecordsModify.Request)?.operations.count ?? 1
    return try await lock.withLock { () async throws(CallFailure) in
      try await keepPace(operations)
      let credentials = try await readCredentials()
      do throws(CallFailure) {
        return try await send(endpoint, body, credentials, witness)
      } catch {
        guard case .service(let refusal) = error, refusal.code == .authenticationRequired else {
          throw error
        }
        // Another process may have got a newer token meanwhile.
        let newest = try await readCredentials()
        guard let token = newest.webAuthToken, !token.isEmpty, token != credentials.webAuthToken
        else { throw error }
        try await keepPace(operations)
        return try await send(endpoint, body, newest, witness)
      }
    }
  }

  private static func encoded(_ request: some Encodable) throws(CallFailure) -> Data {
    do {
      return try Wire.encode(request)
    } catch {
      // What a service would say, if JSON could say such a number.
      throw .service(ServiceError(.badRequest, reason: "a number is not finite"))
    }
  }

  private func send<E: Endpoint>(
    _ endpoint: E.Type, _ body: Data?, _ credentials: Credentials, _ witness: String?
  ) async throws(CallFailure) -> Reply<E.Answer> {
    // A transfer that is cancelled before its turn would wait for it.
    guard !Task.isCancelled else { throw .cancelled }
    // Who is signed in is asked of the public database, where every service tells it.
    let database: DatabaseScope = E.route == .usersCaller ? .public : .private
    let path = E.route.path(address.container, address.environment, database)
    let request = Transport.Request(
      url(path, credentials), at: address.url, body: body, witness: witness)
    let answer = try await answer(to: request, by: calls, within: options.requestTimeout) { head in
      await self.keepToken(in: head, after: credentials.webAuthToken)
    }
    guard let answer else { throw .answerLost(.tooSlow) }
    return Reply(
      try answer.decoded(E.Answer.self), history: answer.head.history,
      serviceID: answer.head.serviceID)
  }

  private func url(_ path: String, _ credentials: Credentials) -> String {
    let parameters = [
      ("ckAPIToken", credentials.apiToken),
      (WebAuthToken.parameters[0], credentials.webAuthToken ?? ""),
    ]
    let query = parameters.filter { !$0.1.isEmpty }
      .map { "\($0.0)=\(PercentEncoding.encode($0.1))" }.joined(separator: "&")
    return address.origin + path + (query.isEmpty ? "" : "?" + query)
  }

  private func keepPace(_ operations: Int) async throws(CallFailure) {
    let start = session.withLock { $0.pace.start }
    do { try await ticker.sleep(until: start) } catch { throw .cancelled }
    session.withLock {
      $0.pace.take(operations, at: ticker.now, perSecond: options.operationsPerSecond)
    }
  }

  // MARK: The session

  /// Ends the session on a service that can do that: ours. Its token is good for nothing then.
  public func endSession() async throws(CallFailure) {
    try await lock.withLock { () async throws(CallFailure) in
      let credentials = try await readCredentials()
      let path =
        "/session/\(Route.version)/\(address.container)/\(address.environment.rawValue)/end"
      let request = Transport.Request(
        url(path, credentials), at: address.url, body: Data("{}".utf8))
      guard
        let answer = try await answer(to: request, by: calls, within: options.endTimeout)
      else { throw .answerLost(.tooSlow) }
      _ = try answer.decoded(Nothing.self)
    }
  }

  // MARK: Notifications

  /// The URL is used as it is, without any token: it is a secret by itself, and may lead to
  /// another host.
  public func notification(
    at url: String
  ) async throws(CallFailure) -> PushNotification? {
    let checked: WebURL
    do { checked = try address.check(url) } catch { throw .untrustedURL(error) }
    let request = Transport.Request(url, at: checked)
    // One that says nothing for so long has nothing to say.
    guard let answer = try await answer(to: request, by: polls, within: options.pollTimeout)
    else { return nil }
    if answer.isSuccess, answer.body.isEmpty { return nil }
    if answer.head.status == 404 { throw .service(answer.serviceError ?? ServiceError(.notFound)) }
    return try answer.decoded(PushNotification.self)
  }

  /// - Returns: nil when time was up.
  private func answer(
    to request: Transport.Request, by transport: Transport, within limit: Duration,
    onHead: @escaping @Sendable (AnswerHead) async -> Void = { _ in }
  ) async throws(CallFailure) -> Transport.Answer? {
    let result = await ticker.within(limit) { () async in
      do throws(CallFailure) {
        return Result<Transport.Answer, CallFailure>.success(
          try await transport.send(request, onHead: onHead))
      } catch {
        return .failure(error)
      }
    }
    return try result?.get()
  }

  // MARK: Tokens

  /// The credentials to send: the newest that there are.
  private func readCredentials() async throws(CallFailure) -> Credentials {
    var credentials: Credentials
    do {
      credentials = try await keeper.read()
    } catch {
      throw Task.isCancelled ? .cancelled : .credentials(.unreadable)
    }
    guard let rotation = session.withLock({ $0.unkept }) else { return credentials }
    // If another token stands there, somebody signed in anew.
    if credentials.webAuthToken == rotation.former {
      guard await keep(rotation) else { throw .credentials(.notStored) }
      credentials.webAuthToken = rotation.newest
    }
    session.withLock { $0.unkept = nil }
    return credentials
  }

  /// Keeps the token that an answer hands over. Should that fail the answer is good all the
  /// same, and it is tried again before the next request.
  private func keepToken(in head: AnswerHead, after former: String?) async {
    // A redirect may come from something in between.
    guard !(300..<400).contains(head.status),
      let newest = WebAuthToken.headers.lazy.compactMap({ head.first(name: $0) }).first,
      WebAuthToken.isWellFormed(newest), newest != former
    else { return }
    let rotation = Rotation(former: former, newest: newest)
    if await !keep(rotation) { session.withLock { $0.unkept = rotation } }
  }

  /// - Returns: whether it is kept.
  private func keep(_ rotation: Rotation) async -> Bool {
    // In a task of its own: the former token may be dead, so a cancelled call keeps it too.
    await Task { [keeper] in
      do {
        try await keeper.keep(webAuthToken: rotation.newest, after: rotation.former)
        return true
      } catch {
        return false
      }
    }.value
  }
}

extension RecordClient: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String {
    "RecordClient(\(address.origin), \(address.container), \(address.environment.rawValue))"
  }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: []) }
}
