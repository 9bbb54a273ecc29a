import CloudRecords

extension SignInFailure {
  /// The HTTP status of the page that reports the failure.
  var status: Int {
    switch self {
    case .unknownApp, .callbackRefused, .requestExpired: 400
    // Not 401: that requires a `WWW-Authenticate` header with a scheme that browsers implement.
    case .wrongNameOrPassword: 403
    case .tooManyAttempts: 429
    case .busy: 503
    case .unavailable(let failure): failure.serviceError.code.httpStatus
    }
  }

  /// The number of seconds to wait before the next attempt; nil if waiting does not help.
  var retryAfter: Double? {
    switch self {
    case .tooManyAttempts(let wait), .busy(let wait): wait
    case .unavailable(let failure): failure.serviceError.retryAfter
    default: nil
    }
  }
}

extension RegistrationFailure {
  /// The HTTP status of the page that reports the failure.
  var status: Int {
    switch self {
    case .closed, .invitationNeeded, .invitationUnusable: 403
    case .name, .password, .requestExpired: 400
    case .nameTaken: 409
    case .tooManyAttempts: 429
    case .busy: 503
    case .unavailable(let failure): failure.serviceError.code.httpStatus
    }
  }

  /// The number of seconds to wait before the next attempt; nil if waiting does not help.
  var retryAfter: Double? {
    switch self {
    case .tooManyAttempts(let wait), .busy(let wait): wait
    case .unavailable(let failure): failure.serviceError.retryAfter
    default: nil
    }
  }

  /// The name of the form field that caused the failure; nil if no single field did.
  var field: String? {
    switch self {
    case .invitationNeeded, .invitationUnusable: FormField.invitation
    case .name, .nameTaken: FormField.name
    case .password: FormField.password
    default: nil
    }
  }
}
