import CloudRecords
public import Library
public import RecordClient

/// Why a round begins.
public enum RoundOccasion: Hashable, Sendable {
  /// A change, a notification, or the regular time for a fetch.
  case scheduled
  /// The start of the program.
  case start
  /// A request of the user, which ends the waits of changes.
  case asked
}

// Failures and the waits after them. They are stored, so that other processes can report them.
extension SyncEngine {
  /// Checks that the account does not have to wait because of a Retry-After of the service.
  ///
  /// - Throws: `call` if the wait is not over: with the last error of the service, or with
  ///   TRY_AGAIN_LATER if the last failure was another one.
  func checkWait(of account: SyncAccount) throws(SyncFailure) {
    guard let wait = account.wait else { return }
    let left = wait.left(at: now())
    guard left > 0 else { return }
    var error = ServiceError(.tryAgainLater)
    if case .service(let code, let reason) = account.failure {
      error = ServiceError(ErrorCode(rawValue: code), reason: reason)
    }
    error.retryAfter = Double(left) / 1000
    throw .call(.service(error))
  }

  /// Stores why a round failed. Errors while storing are ignored, because the caller throws the
  /// failure itself.
  func store(_ failure: SyncFailure) {
    guard let problem = failure.problem else { return }
    let now = now()
    let wait = failure.retryAfter.map {
      Wait(since: now, until: now + Self.milliseconds($0))
    }
    try? update { account in
      if account.failure?.isLike(problem) != true { account.failingSince = now }
      account.failure = problem
      // A round refused by a running wait must not extend it. A wait that is over is removed, so
      // that it does not begin again when the clock is set back.
      if (account.wait?.left(at: now) ?? 0) == 0 { account.wait = wait }
    }
  }

  /// Converts a Retry-After to milliseconds, and limits it to one day.
  ///
  /// - Parameter seconds: The service's value.
  static func milliseconds(_ seconds: Double) -> Int64 {
    Int64(min(max(seconds, 0), Backoff.longestRetryAfter) * 1000)
  }
}

extension SyncProblem {
  /// Whether the problem may be that the container's schema lacks a record type or a field.
  var isOfSchema: Bool {
    if case .recordNotCreated = self { true } else { false }
  }

  /// Whether the user must sign in again.
  public var endsSignIn: Bool {
    if case .service(let code, _) = self {
      ErrorCode(rawValue: code) == .authenticationRequired
    } else {
      false
    }
  }

  /// Whether the service could not be reached, or something else may have answered in its place,
  /// such as a captive portal.
  public var isConnectivityProblem: Bool {
    switch self {
    case .unreachable, .answerLost, .unexpectedAnswer: true
    default: false
    }
  }

  /// Whether two problems count as the same failure for `failingSince`.
  fileprivate func isLike(_ other: SyncProblem) -> Bool {
    switch (self, other) {
    case (.service(let one, _), .service(let other, _)): one == other
    case (.unreachable, .unreachable), (.unreachable, .answerLost), (.answerLost, .unreachable),
      (.answerLost, .answerLost), (.unexpectedAnswer, .unexpectedAnswer),
      (.endlessPages, .endlessPages), (.unfinishedPages, .unfinishedPages),
      (.massDeletion, .massDeletion):
      true
    default: self == other
    }
  }
}

extension SyncFailure {
  /// The problem to store; nil for failures that have other causes than the service.
  public var problem: SyncProblem? {
    switch self {
    case .call(let failure): failure.problem
    case .endlessPages(let count): .endlessPages(count: count)
    case .unfinishedPages(let count): .unfinishedPages(count: count)
    case .storageLimitReached(let records, let bytes):
      .storageLimitReached(records: records, bytes: bytes)
    case .historyForked: .historyForked
    case .massDeletion(let question):
      .massDeletion(counts: question.counts, isProfileGone: question.isProfileGone)
    // `SyncAccount.restoration` says that the user must choose after a restore.
    case .signedOut, .unconfirmed, .library, .restored: nil
    }
  }
}

extension CallFailure {
  /// The problem to store; nil for a call that was cancelled.
  public var problem: SyncProblem? {
    switch self {
    case .service(let error): error.problem
    case .unreachable(let problem): .unreachable(network: problem.rawValue)
    case .responseLost(let problem): .answerLost(network: problem.rawValue)
    case .unexpectedResponse(let answer):
      .unexpectedAnswer(
        status: answer.status, problem: answer.problem.rawValue, contentType: answer.contentType)
    case .untrustedURL(let problem): .untrustedURL(problem: problem.rawValue)
    case .credentials(let problem): .credentials(problem: problem.rawValue)
    case .cancelled: nil
    }
  }
}

extension ServiceError {
  var problem: SyncProblem { .service(code: code.rawValue, reason: reason) }
}
