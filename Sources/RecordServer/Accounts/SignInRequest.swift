public import CloudRecords

/// A sign-in that an app has begun.
public struct SignInRequest: Hashable, Sendable {
  /// The name of the app from its API token, which is shown to the user.
  public let app: String
  /// The container to which the app asks for access.
  public let container: ContainerID
  /// The environment to which the app asks for access; nil for both.
  public let environment: ContainerEnvironment?
  /// How the app receives the web auth token.
  public let delivery: TokenDelivery
  /// The state of the sign-in, signed but not encrypted, for a hidden field of the form.
  /// `AccountService.signInRequest(signedState:)` reads it.
  public let signedState: String
  /// The id of the app's API token.
  let apiTokenID: Int64
}

/// How an app receives the web auth token of a sign-in.
public enum TokenDelivery: Hashable, Sendable {
  /// The browser is redirected to this URL with the token.
  case callback(String)
  /// The user copies the token from a page into the app.
  case code
}

/// The result of a successful sign-in: what the server sends to the browser.
public enum SignInOutcome: Hashable, Sendable {
  /// Redirect the browser to this URL. It contains the web auth token, so it must not be logged.
  case redirect(String)
  /// Show this web auth token to the user, who copies it into the app.
  case code(String)
}

/// A registration that a user has begun.
public struct RegistrationRequest: Hashable, Sendable {
  /// The state of the registration, signed but not encrypted, for a hidden field of the form.
  /// `AccountService.registrationRequest(signedState:)` reads it.
  public let signedState: String
  /// The sign-in that is completed after the registration; nil if there is none.
  public let signIn: SignInRequest?
}

/// The reason why a sign-in failed.
public enum SignInFailure: Error, Hashable, Sendable {
  /// The API token does not exist or was revoked.
  case unknownApp
  /// The callback is not registered with the API token.
  case callbackRefused
  /// This server did not create the form, or it is too old.
  case requestExpired
  /// The name or the password is wrong. The error never reveals which one.
  case wrongNameOrPassword
  /// The account or the address had too many failed attempts; `retryAfter` is in seconds.
  case tooManyAttempts(retryAfter: Double)
  /// Too many passwords are being hashed; `retryAfter` is in seconds.
  case busy(retryAfter: Double)
  /// The storage failed.
  case unavailable(StorageFailure)
}

/// The reason why a registration failed.
public enum RegistrationFailure: Error, Hashable, Sendable {
  /// Only the operator creates accounts.
  case closed
  /// The form has no invitation code.
  case invitationNeeded
  /// The invitation does not exist, was used or has expired.
  case invitationUnusable
  /// The account name cannot be used.
  case name(AccountNameProblem)
  /// Another account has the name.
  case nameTaken
  /// The password cannot be used.
  case password(PasswordProblem)
  /// This server did not create the form, or it is too old.
  case requestExpired
  /// The address had too many failed attempts; `retryAfter` is in seconds.
  case tooManyAttempts(retryAfter: Double)
  /// Too many passwords are being hashed; `retryAfter` is in seconds.
  case busy(retryAfter: Double)
  /// The storage failed.
  case unavailable(StorageFailure)
}
