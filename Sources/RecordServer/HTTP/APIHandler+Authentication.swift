import CloudRecords
import FoundationEssentials
import HTTPTypes
import Hummingbird

// The caller of a request, its body, and who is charged for it.
extension APIHandler {
  /// The number of bytes up to which a body is read before the request is authenticated. A header
  /// field may have as many.
  private static let shortBytes = 16_384

  /// Reads the body of a request before the request is authenticated, if the body is short. The
  /// session is then checked after the whole request was read, and need not be checked again.
  ///
  /// - Returns: nil if the body is not short; it is read after the authentication.
  func shortBody(of request: Request, _ context: HTTPContext) async throws -> Data? {
    guard let length = request.headers[.contentLength].flatMap({ Int($0) }),
      1...Self.shortBytes ~= length
    else { return nil }
    do {
      return try await request.bytes(upTo: Self.shortBytes)
    } catch let error as ServiceError {
      try limits.consume(by: .anonymous(origin.client(request, context)))
      throw error
    }
  }

  static let apiTokenParameter = "ckAPIToken"
  static let webAuthTokenParameter = "ckWebAuthToken"

  func authenticate(_ request: Request, _ context: HTTPContext) async throws -> Call {
    let client = origin.client(request, context)
    do {
      guard let container = context.parameters.get("container").flatMap({ ContainerID($0) }),
        let environment = context.parameters.get("environment")
          .flatMap(ContainerEnvironment.init(rawValue:))
      else { throw ServiceError(.badRequest, cause: .malformedPath) }
      if let keyID = request.headers[.keyID] {
        return try await authenticate(
          keyID, container, environment, base: origin.base(request, context), request)
      }
      guard let secret = request.parameter(Self.apiTokenParameter) else {
        throw ServiceError(.authenticationFailed, cause: .missingAPIToken)
      }
      var authenticatedUser: AuthenticatedUser?
      // Clients that have not signed in yet send an empty token.
      if let token = request.parameter(Self.webAuthTokenParameter), !token.isEmpty {
        let user = try await accountService.authenticate(
          token, apiToken: secret, container: container, environment: environment,
          origin: request.headers[.origin])
        accountService.recordUse(of: user.account, from: client)
        authenticatedUser = user
      } else {
        _ = try await accountService.check(
          apiToken: secret, container: container, environment: environment,
          origin: request.headers[.origin])
        try limits.consume(by: .anonymous(client))
      }
      return Call(
        container: container, environment: environment,
        requester: authenticatedUser.map { .user($0.account.id) } ?? .anonymous(client),
        authenticatedUser: authenticatedUser, account: authenticatedUser?.account,
        caller: authenticatedUser.map {
          Caller(
            account: $0.account.id,
            userRecordName: $0.account.userRecordName(in: container),
            session: "\($0.sessionID)")
        }, base: origin.base(request, context))
    } catch let error as ServiceError where error.code.isRejection {
      // Rejected requests are charged to the client's address, which limits how fast tokens can be
      // guessed.
      try limits.consume(by: .anonymous(client))
      throw error
    }
  }

  /// Authenticates a request that is signed with a server-to-server key. The caller is the account
  /// of the key; the signature itself is checked after the body was read.
  private func authenticate(
    _ keyID: String, _ container: ContainerID, _ environment: ContainerEnvironment,
    base: String, _ request: Request
  ) async throws -> Call {
    guard request.parameter(Self.apiTokenParameter) == nil,
      request.parameter(Self.webAuthTokenParameter) == nil
    else { throw ServiceError(.authenticationFailed, cause: .signedWithToken) }
    guard let date = request.headers[.signatureDate], let signature = request.headers[.signature],
      let target = request.head.path
    else { throw ServiceError(.authenticationFailed, cause: .invalidSignatureDate) }
    let signed = try await accountService.signedRequest(
      SignedRequest.Headers(keyID: keyID, date: date, signature: signature, target: target),
      container: container, environment: environment)
    let account = signed.account
    return Call(
      container: container, environment: environment, requester: .user(account.id),
      signedRequest: signed, account: account,
      caller: Caller(
        account: account.id,
        userRecordName: account.userRecordName(in: container),
        session: "key \(signed.key.id)"), base: base)
  }

  /// Returns the client that is charged until the signature of the request is checked: its address,
  /// because everybody who knows the ID of a key can send requests with it.
  func sender(
    of call: Call, _ request: Request, _ context: HTTPContext
  ) -> RateLimits.Requester {
    call.signedRequest == nil ? call.requester : .anonymous(origin.client(request, context))
  }

  /// Checks the signature of a signed request. The signature covers the body, so this is done after
  /// the whole body was read.
  func verify(
    _ call: Call, _ route: Route, _ body: Data, _ request: Request, _ context: HTTPContext
  ) throws {
    guard let signed = call.signedRequest else { return }
    do {
      try accountService.verify(signed, body: body, isOnce: Self.changing.contains(route))
    } catch {
      try limits.consume(by: .anonymous(origin.client(request, context)))
      throw error
    }
  }

  /// The endpoints that change something.
  private static let changing: Set<Route> = [
    .recordsModify, .zonesModify, .subscriptionsModify, .assetsUpload,
  ]

  /// Charges the operations of a request to the signed-in user. Anonymous requests were charged
  /// during authentication.
  ///
  /// - Throws: THROTTLED.
  func charge(_ operations: Int, to call: Call) throws(ServiceError) {
    guard call.caller != nil else { return }
    try limits.consume(max(1, operations), by: call.requester)
  }

  /// Answers a request. If the request is refused as a whole, nothing was changed, and its
  /// signature is forgotten: the client can send the request again.
  func answerSigned(
    _ call: Call, _ answer: () async throws -> Reported<Response>
  ) async throws -> Reported<Response> {
    do {
      let reported = try await answer()
      if case .failure(let error) = reported.result {
        accountService.forget(call.signedRequest, refusedWith: error)
      }
      return reported
    } catch let error as ServiceError {
      accountService.forget(call.signedRequest, refusedWith: error)
      throw error
    }
  }
}

extension ErrorCode {
  /// Whether the error means that the client sent invalid credentials or a malformed request.
  fileprivate var isRejection: Bool {
    [.authenticationFailed, .authenticationRequired, .badRequest].contains(self)
  }
}
