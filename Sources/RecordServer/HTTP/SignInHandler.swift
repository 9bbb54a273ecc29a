import CloudRecords
import FoundationEssentials
import HTTPTypes
import Hummingbird
import Logging
import Text

/// The handler of the sign-in and registration pages. The server sets no cookies: the state of a
/// form is in the form itself, signed by the server.
struct SignInHandler: Sendable {
  static let signInPath = "/sign-in"
  static let registerPath = "/register"

  let accountService: AccountService
  let limits: RateLimits
  let origin: RequestOrigin
  let logger: Logger

  /// The maximum size of a submitted form, in bytes.
  private static let formLimit = 65_536

  func respond(
    to purpose: ServedPath.Purpose, _ request: Request, _ context: HTTPContext
  ) async throws -> Response {
    var parameters = SignInParameters(request)
    let client = origin.client(request, context)
    do {
      try limits.consume(by: .signIn(client))
    } catch {
      let wait = error.retryAfter ?? 1
      return .page(
        purpose == .register
          ? .failure(RegistrationFailure.tooManyAttempts(retryAfter: wait), parameters.language)
          : .failure(SignInFailure.tooManyAttempts(retryAfter: wait), parameters.language))
    }
    do {
      switch (purpose, request.method) {
      case (.signIn, .get): return .page(try await signInPage(parameters))
      case (.register, .get): return .page(try await registrationPage(parameters))
      default:
        let form = try await form(of: request)
        parameters.language = form.language ?? parameters.language
        let sender = Sender(client: client, ipAddress: origin.ipAddress(request, context))
        return try await purpose == .signIn
          ? signIn(form, parameters, sender) : register(form, parameters, sender)
      }
    } catch let failure as SignInFailure {
      return .page(.failure(failure, parameters.language))
    } catch let failure as RegistrationFailure {
      return .page(.failure(failure, parameters.language))
    }
  }

  // MARK: Forms

  /// Who sent a form: the part of the IP address to which limits apply, and the whole one for the
  /// log.
  private struct Sender {
    let client: ClientAddress
    let ipAddress: HostAddress?
  }

  /// Logs a refused sign-in or registration. The typed name is not logged: users sometimes type
  /// their password as the name.
  ///
  /// - Parameter reason: the reason in the log; nil to log nothing.
  private func logRefusal(_ reason: String?, of sender: Sender) {
    guard let reason else { return }
    logger.warning(
      LogMessage.signInFailed,
      metadata: ["address": "\(sender.ipAddress?.description ?? "-")", "reason": "\(reason)"])
  }

  /// The fields of a submitted form.
  struct Form: Decodable {
    var signedState: String
    var name: String?
    var password: String?
    /// Present if the user wants to stay signed in.
    var keep: String?
    var invitation: String?
    var lang: String?

    private enum CodingKeys: String, CodingKey {
      case signedState = "request"
      case name, password, keep, invitation, lang
    }

    /// The language of the page that the form was on.
    var language: Language? { lang.flatMap(Language.init(rawValue:)) }
    var lifetime: SessionLifetime { keep == nil ? .short : .long }
  }

  /// Reads the submitted form.
  ///
  /// - Throws: `SignInFailure.requestExpired` if the body is too large, is not a form with a signed
  ///   state, or was sent from another site.
  private func form(of request: Request) async throws -> Form {
    // Browsers report with `Sec-Fetch-Site` which site a form was sent from. Forms of other sites
    // are refused.
    if let site = request.headers[.fetchSite], !["same-origin", "none"].contains(site) {
      throw SignInFailure.requestExpired
    }
    guard let body = try? await request.bytes(upTo: Self.formLimit),
      let text = String(validating: body, as: UTF8.self),
      let form = try? URLEncodedFormDecoder().decode(Form.self, from: text)
    else { throw SignInFailure.requestExpired }
    return form
  }

  // MARK: Sign-in

  private func signInPage(_ parameters: SignInParameters) async throws -> Page {
    page(
      for: try await accountService.beginSignIn(
        apiToken: parameters.apiToken, delivery: parameters.delivery),
      parameters)
  }

  private func page(
    for request: SignInRequest, _ parameters: SignInParameters, _ form: Form? = nil,
    _ failure: SignInFailure? = nil
  ) -> Page {
    .signIn(
      request, parameters, canRegister: accountService.options.registration != .closed, form: form,
      failure: failure)
  }

  private func signIn(
    _ form: Form, _ parameters: SignInParameters, _ sender: Sender
  ) async throws -> Response {
    let request = try await accountService.signInRequest(signedState: form.signedState)
    let account: Account
    do {
      account = try await accountService.verify(
        name: form.name ?? "", password: form.password ?? "", address: sender.client)
    } catch {
      logRefusal(error.logReason, of: sender)
      return .page(page(for: request, parameters, form, error))
    }
    return try await complete(request, as: account, form, parameters)
  }

  /// Creates a session for the account, and shows the code that the user copies into the app or
  /// redirects the browser to the app.
  private func complete(
    _ request: SignInRequest, as account: Account, _ form: Form, _ parameters: SignInParameters
  ) async throws -> Response {
    switch try await accountService.completeSignIn(request, as: account, for: form.lifetime) {
    case .code(let code):
      return .page(.code(code, for: request, parameters.language))
    case .redirect(let url):
      return Response(
        status: .seeOther,
        headers: [.location: url, .cacheControl: "no-store", .referrerPolicy: "no-referrer"])
    }
  }

  // MARK: Registration

  private func registrationPage(_ parameters: SignInParameters) async throws -> Page {
    var signIn: SignInRequest?
    // Without an API token, as in a link with an invitation, no app waits for a sign-in.
    if !parameters.apiToken.isEmpty {
      signIn = try await accountService.beginSignIn(
        apiToken: parameters.apiToken, delivery: parameters.delivery)
    }
    return page(for: try accountService.registrationRequest(signIn: signIn), parameters)
  }

  private func page(
    for request: RegistrationRequest, _ parameters: SignInParameters, _ form: Form? = nil,
    _ failure: RegistrationFailure? = nil
  ) -> Page {
    .registration(
      request, parameters, needsInvitation: accountService.options.registration == .invitation,
      form: form, failure: failure)
  }

  private func register(
    _ form: Form, _ parameters: SignInParameters, _ sender: Sender
  ) async throws -> Response {
    let request = try await accountService.registrationRequest(signedState: form.signedState)
    let account: Account
    do {
      account = try await accountService.register(
        name: form.name ?? "", password: form.password ?? "", invitation: form.invitation,
        address: sender.client)
    } catch {
      logRefusal(error.logReason, of: sender)
      return .page(page(for: request, parameters, form, error))
    }
    guard let signIn = request.signIn else {
      return .page(.registered(account, parameters.language))
    }
    return try await complete(signIn, as: account, form, parameters)
  }
}
