public import CloudRecords

/// That an app asks someone to sign in.
public struct SignInRequest: Hashable, Sendable {
  /// What the app is called, as its API token says: for people to see.
  public let app: String
  public let container: ContainerID
  /// Nil for both.
  public let environment: ContainerEnvironment?
  public let way: SignInWay
  /// Milliseconds since 1970, UTC.
  public let expiresAt: Int64
  /// For the form: `People.signInRequest(sealed:)` takes it back.
  public let sealed: String
  let apiTokenID: Int64
}

/// How the web auth token comes to the app.
public enum SignInWay: Hashable, Sendable {
  /// By the browser, which is sent there.
  case callback(String)
  /// By the user, who copies it.
  case code
}

/// What an app asks for.
public enum SignInReturn: Hashable, Sendable {
  /// The first callback that is registered with its API token, or a code where there is none.
  case usual
  case callback(String)
  case code
}

/// What is done when someone has signed in.
public enum SignInOutcome: Hashable, Sendable {
  /// Send the browser to this URL. It holds the token: it belongs in no log.
  case redirect(String)
  /// Show this to be copied. It is the web auth token.
  case code(String)
}

/// That someone may fill in the form of registration.
public struct RegistrationRequest: Hashable, Sendable {
  /// Milliseconds since 1970, UTC.
  public let expiresAt: Int64
  /// For the form: `People.registrationRequest(sealed:)` takes it back.
  public let sealed: String
  /// What to go on with afterwards.
  public let signIn: SignInRequest?
}

/// Why nobody is signed in.
public enum SignInFailure: Error, Hashable, Sendable {
  /// There is no such app, or no longer.
  case unknownApp
  /// The app may not have people sent there.
  case callbackRefused
  /// The form is not from here, or from too long ago.
  case requestExpired
  /// Which of the two is never said.
  case wrongNameOrPassword
  /// Seconds to wait.
  case tooManyAttempts(retryAfter: Double)
  /// Seconds to wait: others are being signed in.
  case busy(retryAfter: Double)
  /// The storage failed.
  case unavailable(StorageFailure)
}

/// Why there is no new account.
public enum RegistrationFailure: Error, Hashable, Sendable {
  /// Accounts are made by the operator only.
  case closed
  case invitationNeeded
  /// It is unknown, used, or too old.
  case invitationUnusable
  case name(AccountNameProblem)
  case nameTaken
  case password(PasswordProblem)
  /// The form is not from here, or from too long ago.
  case requestExpired
  /// Seconds to wait.
  case tooManyAttempts(retryAfter: Double)
  /// Seconds to wait.
  case busy(retryAfter: Double)
  case unavailable(StorageFailure)
}
