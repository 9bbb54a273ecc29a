import CloudRecords

extension SignInFailure {
  /// Of the page that says it.
  public var status: Int {
    switch self {
    case .unknownApp, .callbackRefused, .requestExpired: 400
    // 401 would have to offer a way to authenticate that browsers know.
    case .wrongNameOrPassword: 403
    case .tooManyAttempts: 429
    case .busy: 503
    case .unavailable(let failure): failure.serviceError.code.httpStatus
    }
  }

  /// Seconds to wait; nil where waiting is no cure.
  public var retryAfter: Double? {
    switch self {
    case .tooManyAttempts(let wait), .busy(let wait): wait
    case .unavailable(let failure): failure.serviceError.retryAfter
    default: nil
    }
  }
}

extension RegistrationFailure {
  /// Of the page that says it.
  public var status: Int {
    switch self {
    case .closed, .invitationNeeded, .invitationUnusable: 403
    case .name, .password, .requestExpired: 400
    case .nameTaken: 409
    case .tooManyAttempts: 429
    case .busy: 503
    case .unavailable(let failure): failure.serviceError.code.httpStatus
    }
  }

  /// Seconds to wait; nil where waiting is no cure.
  public var retryAfter: Double? {
    switch self {
    case .tooManyAttempts(let wait), .busy(let wait): wait
    case .unavailable(let failure): failure.serviceError.retryAfter
    default: nil
    }
  }

  /// The field of the form that it is about.
  var field: String? {
    switch self {
    case .invitationNeeded, .invitationUnusable: FormField.invitation
    case .name, .nameTaken: FormField.name
    case .password: FormField.password
    default: nil
    }
  }
}
