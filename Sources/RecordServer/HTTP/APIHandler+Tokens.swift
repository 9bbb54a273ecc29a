import CloudRecords
import FoundationEssentials

extension APIHandler {
  /// Handles `tokens/create` and `tokens/register`.
  func answerDevice(_ route: Route, _ body: Data, _ call: Call) async throws -> Data {
    guard let authenticatedUser = call.authenticatedUser else { throw ServiceError.notSignedIn }
    try charge(1, to: call)
    switch route {
    case .tokensCreate:
      let request = try decode(TokensCreate.Request.self, body)
      let created = try await accountService.createPushChannel(
        session: authenticatedUser.sessionID, environment: call.environment)
      guard let created else { throw ServiceError.notSignedIn }
      push.remove(created.deleted)
      guard
        try await push.add(created.pushChannel, isNew: true, ifAlive: accountService.isAlive)
      else { throw ServiceError.notSignedIn }
      return try Wire.encode(
        TokensCreate.Response(
          apnsEnvironment: request.apnsEnvironment, apnsToken: created.secret,
          webcourierURL: "\(call.base)/courier/\(created.secret)"))
    default:
      let request = try decode(TokensRegister.Request.self, body)
      guard let pushChannel = try await accountService.pushChannel(request.apnsToken),
        pushChannel.sessionID == authenticatedUser.sessionID,
        pushChannel.environment == call.environment,
        try await push.add(pushChannel, ifAlive: accountService.isAlive)
      else { throw ServiceError(.badRequest, cause: .notServed(.applePush)) }
      return try Wire.encode(EmptyBody())
    }
  }

  private func decode<Body: Decodable>(_ type: Body.Type, _ body: Data) throws -> Body {
    do {
      return try Wire.decode(type, from: body, as: .request)
    } catch {
      throw error.serviceError
    }
  }
}
