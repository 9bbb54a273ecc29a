import CloudRecords

/// The signed-in user who makes a request. A request without a caller has only an API token.
public struct Caller: Hashable, Sendable {
  /// The ID of the account.
  public let account: Int64
  /// `_` and 32 hexadecimal digits; different in each container.
  public let userRecordName: String
  /// The session that makes the request. It gets no notifications of its own changes; nil if all
  /// sessions of the account get them.
  public let session: String?

  public init(account: Int64, userRecordName: String, session: String? = nil) {
    self.account = account
    self.userRecordName = userRecordName
    self.session = session
  }
}

extension Caller? {
  /// The caller, if there is one.
  ///
  /// - Throws: AUTHENTICATION_REQUIRED without a caller.
  func signedIn() throws(ServiceError) -> Caller {
    guard let self else { throw .notSignedIn }
    return self
  }
}

extension ServiceError {
  /// The error of a request that needs a signed-in user.
  static var notSignedIn: ServiceError {
    ServiceError(.authenticationRequired, cause: .authorizationNeeded)
  }
}
