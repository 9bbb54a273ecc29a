public import CloudRecords
public import FoundationEssentials
import Synchronization

/// A client of CloudKit Web Services for one signed-in user.
///
///     let client = RecordClient(address, credentials: store)
///     let page = try await client.call(RecordsQuery.self, .init(query))
///     await client.shutdown()
///
/// Requests are sent one at a time, in the order of the calls, because a response may contain a new
/// token that must be stored before the next request is sent. Long polls for notifications and
/// transfers of assets have connections of their own: they run in parallel to the calls, one poll
/// and one transfer at a time.
public final class RecordClient: RecordAPI {
  /// The service, container and environment.
  public let address: ServiceAddress

  private let credentialStore: any CredentialStore
  private let options: ClientOptions
  /// The connection for calls.
  private let calls: Transport
  /// The connection for long polls.
  private let polls: Transport
  /// The connection for assets.
  private let assets: Transport
  private let lock = AsyncLock()
  private let session = Mutex(Session())

  /// The state that calls share. Only the call that holds `lock` accesses it.
  private struct Session {
    /// When the next request may be sent, in the time of the clock of `calls`.
    var nextStart = Duration.zero
    /// A token rotation that could not be stored.
    var unstoredRotation: Rotation?
  }

  /// A new token and the token that it replaces.
  private struct Rotation {
    var previous: String?
    var newest: String
  }

  /// Creates a client. It connects when the first request is sent.
  public init(
    _ address: ServiceAddress, credentials: any CredentialStore,
    options: ClientOptions = ClientOptions()
  ) {
    self.address = address
    credentialStore = credentials
    self.options = options
    calls = Transport(options)
    polls = Transport(options)
    assets = Transport(options)
  }

  /// Cancels all running calls. All later calls fail with `.cancelled`.
  public func shutdown() async {
    async let polls: Void = polls.shutdown()
    async let assets: Void = assets.shutdown()
    await calls.shutdown()
    await polls
    await assets
  }

  // MARK: Calls

  /// Sends a request, after the earlier calls. If the service asks for a sign-in although the store
  /// has a newer token by then, sends the request once more with that token.
  ///
  /// - Parameter witness: See `RecordAPI`.
  /// - Throws: A `CallFailure` if there is no successful response.
  public func call<E: Endpoint>(
    _ endpoint: E.Type, _ request: E.Request, witness: String?
  ) async throws(CallFailure) -> ServiceResponse<E.Response> {
    let body = E.route.method == .post ? try Self.encoded(request) : nil
    let operations = (request as? RecordsModify.Request)?.operations.count ?? 1
    return try await lock.withLock { () async throws(CallFailure) in
      try await waitForTurn(operations)
      let credentials = try await readCredentials()
      do throws(CallFailure) {
        return try await send(endpoint, body, credentials, witness)
      } catch {
        guard case .service(let refusal) = error, refusal.code == .authenticationRequired else {
          throw error
        }
        // Another process may have received a newer token in the meantime.
        let newest = try await readCredentials()
        guard let token = newest.webAuthToken, !token.isEmpty, token != credentials.webAuthToken
        else { throw error }
        try await waitForTurn(operations)
        return try await send(endpoint, body, newest, witness)
      }
    }
  }

  private static func encoded(_ request: some Encodable) throws(CallFailure) -> Data {
    do {
      return try Wire.encode(request)
    } catch {
      // This is the error that a service would send if JSON could represent the number.
      throw .service(ServiceError(.badRequest, reason: "a number is not finite"))
    }
  }

  private func send<E: Endpoint>(
    _ endpoint: E.Type, _ body: Data?, _ credentials: Credentials, _ witness: String?
  ) async throws(CallFailure) -> ServiceResponse<E.Response> {
    // Without this check, a cancelled transfer would wait until it is its turn.
    guard !Task.isCancelled else { throw .cancelled }
    // Every service provides users/caller in the public database.
    let database: DatabaseScope = E.route == .usersCaller ? .public : .private
    let path = E.route.path(address.container, address.environment, database)
    let request = Transport.Request(
      url(path, credentials), server: address.url, body: body, witness: witness)
    let response = try await calls.send(request, within: options.requestTimeout) { head in
      await self.storeToken(of: head, replacing: credentials.webAuthToken)
    }
    guard let response else { throw .responseLost(.timedOut) }
    return ServiceResponse(
      try response.decoded(E.Response.self), history: response.head.history,
      serviceID: response.head.serviceID)
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

  /// Waits until the request may be sent.
  private func waitForTurn(_ operations: Int) async throws(CallFailure) {
    let start = session.withLock { $0.nextStart }
    do { try await calls.clock.sleep(until: start) } catch { throw .cancelled }
    let pause = Duration.seconds(Double(operations) / options.operationsPerSecond)
    session.withLock { $0.nextStart = calls.clock.now + pause }
  }

  // MARK: The session

  /// Ends the session on a record service, which invalidates its token. Apple's service does not
  /// have this endpoint.
  public func endSession() async throws(CallFailure) {
    try await lock.withLock { () async throws(CallFailure) in
      let credentials = try await readCredentials()
      let path =
        "/session/\(Route.version)/\(address.container)/\(address.environment.rawValue)/end"
      let request = Transport.Request(
        url(path, credentials), server: address.url, body: Data("{}".utf8))
      guard let response = try await calls.send(request, within: options.endTimeout)
      else { throw .responseLost(.timedOut) }
      _ = try response.decoded(EmptyBody.self)
    }
  }

  // MARK: Notifications

  /// Waits for a notification with one long poll.
  ///
  /// The URL is requested without tokens, because it is itself a secret and may point to another
  /// host.
  ///
  /// - Throws: A NOT_FOUND error of the service if the URL is no longer valid.
  public func notification(
    at url: String
  ) async throws(CallFailure) -> PushNotification? {
    let checked: WebURL
    do { checked = try address.check(url) } catch { throw .untrustedURL(error) }
    let request = Transport.Request(url, server: checked)
    // If the poll times out, there is no notification.
    guard let response = try await polls.send(request, within: options.pollTimeout)
    else { return nil }
    if response.isSuccess, response.body.isEmpty { return nil }
    if response.head.status == 404 {
      throw .service(response.serviceError ?? ServiceError(.notFound))
    }
    return try response.decoded(PushNotification.self)
  }

  // MARK: Assets

  /// Uploads the bytes of an asset.
  ///
  /// - Parameter url: The URL of an `assets/upload` response. It is requested without tokens,
  ///   because it is itself a secret and may point to another host.
  /// - Returns: The value to save in the field for which the URL was requested.
  public func upload(_ bytes: Data, to url: String) async throws(CallFailure) -> Asset {
    try await transfer(url, body: bytes).decoded(AssetsUpload.UploadResponse.self).singleFile
  }

  /// Downloads the bytes of an asset.
  ///
  /// - Parameter url: The `downloadURL` of an asset in a response.
  /// - Throws: `.unexpectedResponse` if there are more than 16 MiB, or another `CallFailure`.
  public func download(_ url: String) async throws(CallFailure) -> Data {
    let response = try await transfer(url, body: nil)
    guard response.isSuccess else {
      _ = try response.decoded(EmptyBody.self)
      return Data()
    }
    return response.body
  }

  private func transfer(
    _ url: String, body: Data?
  ) async throws(CallFailure) -> Transport.Response {
    let checked: WebURL
    do { checked = try address.check(url) } catch { throw .untrustedURL(error) }
    var request = Transport.Request(url, server: checked, body: body)
    request.contentType = "application/octet-stream"
    guard let response = try await assets.send(request, within: options.assetTimeout) else {
      throw .responseLost(.timedOut)
    }
    return response
  }

  // MARK: Tokens

  /// Returns the newest credentials. First stores a token that could not be stored before.
  private func readCredentials() async throws(CallFailure) -> Credentials {
    var credentials: Credentials
    do {
      credentials = try await credentialStore.read()
    } catch {
      throw Task.isCancelled ? .cancelled : .credentials(.unreadable)
    }
    guard let rotation = session.withLock({ $0.unstoredRotation }) else { return credentials }
    // If the stored token is another one, the user has signed in again.
    if credentials.webAuthToken == rotation.previous {
      guard await store(rotation) else { throw .credentials(.notStored) }
      credentials.webAuthToken = rotation.newest
    }
    session.withLock { $0.unstoredRotation = nil }
    return credentials
  }

  /// Stores the new token of a response. If that fails, the response is still valid, and storing is
  /// tried again before the next request.
  private func storeToken(of head: ResponseHead, replacing previous: String?) async {
    // A redirect may come from a proxy or portal, so its token is not stored.
    guard !(300..<400).contains(head.status),
      let newest = WebAuthToken.headers.lazy.compactMap({ head.first(name: $0) }).first,
      WebAuthToken.isWellFormed(newest), newest != previous
    else { return }
    let rotation = Rotation(previous: previous, newest: newest)
    if await !store(rotation) { session.withLock { $0.unstoredRotation = rotation } }
  }

  /// Stores a new token.
  ///
  /// - Returns: Whether it is stored.
  private func store(_ rotation: Rotation) async -> Bool {
    // A separate task stores the token even if the call is cancelled, because the previous token
    // may no longer be valid.
    await Task { [credentialStore] in
      do {
        try await credentialStore.store(webAuthToken: rotation.newest, replacing: rotation.previous)
        return true
      } catch {
        return false
      }
    }.value
  }
}

extension RecordClient: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// A description without the tokens.
  public var description: String {
    "RecordClient(\(address.origin), \(address.container), \(address.environment.rawValue))"
  }
  /// The same as `description`.
  public var debugDescription: String { description }
  /// A mirror without children, so that no dump shows the tokens.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
