public import CloudRecords
public import Library
public import RecordClient
public import Sync
import Text

// The sentences for the reasons why a library is not synced.
extension Messages {
  /// Explains why a sync round failed.
  public func explain(_ failure: SyncFailure) -> String {
    switch failure {
    case .signedOut: syncNotConnected
    case .unconfirmed: syncUnconfirmed
    case .call(let failure): explain(failure)
    case .library(let failure): explain(failure)
    case .historyForked: syncHistoryForked
    case .endlessPages(let count): syncEndlessPages(count)
    case .unfinishedPages(let count): syncUnfinishedPages(count)
    case .massDeletion(let question): explain(question)
    case .restored: syncRestored
    }
  }

  /// Explains the stored reason why a round or a change failed.
  public func explain(_ problem: SyncProblem) -> String {
    func network(_ name: String) -> String {
      NetworkProblem(rawValue: name).map(explain) ?? name
    }
    return switch problem {
    case .service(let code, let reason):
      explain(ServiceError(ErrorCode(rawValue: code), reason: reason))
    case .recordNotCreated(let reason): syncRecordNotCreated(detail(reason))
    case .unreachable(let name): syncUnreachable(network(name))
    case .answerLost(let name): syncAnswerLost(network(name))
    case .unexpectedAnswer(let status, let problem, let contentType):
      explain(
        status: status, UnexpectedResponse.Problem(rawValue: problem), contentType: contentType)
    case .untrustedURL(let problem):
      AddressProblem(rawValue: problem).map(explainUntrusted) ?? syncUntrustedURL(problem)
    case .credentials(let problem):
      CredentialsProblem(rawValue: problem).map(explain) ?? syncUnknownProblem
    case .endlessPages(let count): syncEndlessPages(count)
    case .unfinishedPages(let count): syncUnfinishedPages(count)
    case .historyForked: syncHistoryForked
    case .recordTooLarge(let bytes): syncRecordTooLarge(bytes, Limits.recordBytes)
    case .recordUnreadable: syncRecordUnreadable
    case .massDeletion(let counts, let isProfileGone):
      explain(MassDeletion(counts: counts, isProfileGone: isProfileGone))
    case .unknown: syncUnknownProblem
    }
  }

  /// Returns a reason in parentheses, to append to a sentence; an empty string if there is none.
  private func detail(_ reason: String?) -> String { reason.map { " (\($0))" } ?? "" }

  /// Explains why a sync round failed, in one or two words.
  public func syncCorner(_ failure: SyncFailure) -> String {
    switch failure {
    case .signedOut, .unconfirmed: syncCornerSignIn
    case .library: syncCornerLibrary
    case .massDeletion: syncCornerQuestion
    case .endlessPages, .unfinishedPages, .historyForked: syncCornerRefused
    case .restored: syncCornerRestored
    case .call(.credentials): syncCornerCredentials
    case .call(.service(let error)) where error.code == .authenticationRequired: syncCornerSignIn
    case .call(.service(let error)) where error.code == .authenticationFailed: syncCornerToken
    case .call: syncCornerRefused
    }
  }

  /// Explains the question whether to accept many deletions.
  public func explain(_ question: MassDeletion) -> String {
    let order: [(RecordKind, (Int) -> String)] = [
      (.note, syncNotes), (.favorite, syncFavorites), (.progress, syncProgress),
      (.setting, syncSettings),
    ]
    let counts = order.compactMap { kind, sentence in question.counts[kind].map(sentence) }
    return syncMassDeletion(counts.joined(separator: ", "), isAll: question.isProfileGone)
  }

  /// Explains why a request to the service failed.
  public func explain(_ failure: CallFailure) -> String {
    switch failure {
    case .service(let error): explain(error)
    case .unreachable(let problem): syncUnreachable(explain(problem))
    case .responseLost(let problem): syncAnswerLost(explain(problem))
    case .unexpectedResponse(let answer):
      explain(status: answer.status, answer.problem, contentType: answer.contentType)
    case .untrustedURL(let problem): explainUntrusted(problem)
    case .credentials(let problem): explain(problem)
    case .cancelled: syncCancelled
    }
  }

  /// - Parameter problem: The problem, or nil if it was stored by another version of the program.
  private func explain(
    status: Int, _ problem: UnexpectedResponse.Problem?, contentType: String?
  ) -> String {
    let facts = [status == 0 ? nil : "\(status)", contentType?.sanitizedLine, problem.map(name)]
    return syncUnexpectedAnswer(facts.compactMap(\.self).joined(separator: ", "))
  }

  /// Returns a short description, for use in parentheses.
  private func name(of problem: UnexpectedResponse.Problem) -> String {
    switch problem {
    case .notHTTP: answerNotHTTP
    case .redirect: answerIsRedirect
    case .tooLarge: answerTooLarge
    case .unreadable: answerUnreadable
    case .noServiceError: answerHasNoError
    case .wrongCount: answerHasWrongCount
    case .noZone: answerHasNoZone
    case .endlessFeed: answerHasEndlessFeed
    case .noUserName: answerHasNoUserName
    }
  }

  /// Explains why a URL that the service sent is not used.
  public func explainUntrusted(_ problem: AddressProblem) -> String {
    syncUntrustedURL(explain(problem))
  }

  private func explain(_ problem: CredentialsProblem) -> String {
    switch problem {
    case .unreadable: syncTokenUnreadable
    case .notStored: syncTokenNotStored
    }
  }

  /// Explains a network problem, for use in parentheses.
  public func explain(_ problem: NetworkProblem) -> String {
    switch problem {
    case .curlUnavailable: networkLibraryMissing
    case .invalidURL: networkAddressUnusable
    case .hostNotFound: networkNameUnknown
    case .networkUnreachable: networkMissing
    case .connectionFailed: networkNoConnection
    case .connectionRefused: networkRefused
    case .connectionClosed: networkCut
    case .timedOut: networkSlow
    case .proxyNotFound: networkProxyUnknown
    case .proxyAuthenticationRequired: networkProxyPassword
    case .proxyRefused: networkProxyRefused
    case .tlsFailed: networkTLS
    case .tlsTimedOut: networkTLSSlow
    case .certificateUntrusted: networkCertificate
    case .certificateHostMismatch: networkCertificateName
    }
  }

  /// Explains an error of the service and what the user can do about it. For the operator of the
  /// service, the error code and the reason that the service sent are appended.
  public func explain(_ error: ServiceError) -> String {
    let detail = error.reason.map { "\(error.code.rawValue): \($0)" } ?? error.code.rawValue
    return switch error.code {
    case .authenticationRequired: syncSignInAgain
    case .authenticationFailed: syncTokenRefused
    case .accessDenied: syncAccessDenied(detail)
    case .quotaExceeded: syncAccountFull
    case .throttled, .tryAgainLater, .zoneBusy, .serviceUnavailable, .internalError:
      syncServiceBusy(detail)
    case .notFound, .unknownItem, .zoneNotFound: syncContainerMissing(detail)
    case .badRequest, .invalidFieldType: syncSchemaMissing(detail)
    case .changeTokenExpired: syncTokenOfFeedExpired(detail)
    case .conflict, .exists, .serverRecordChanged: syncConflict(detail)
    case .limitExceeded: syncTooMuch(detail)
    case .atomicError, .atomicFailure, .batchRequestFailed: syncBatchFailed(detail)
    case .validatingReferenceError, .uniqueFieldError: syncRuleBroken(detail)
    case .other: syncRefused(detail)
    }
  }

  /// Returns the name of a change that is not sent any more.
  public func name(of parked: SyncStatus.Parked) -> String {
    parked.ayah.map { noteOf("\($0)") } ?? name(of: parked.thing)
  }

  /// Explains why changes are waiting.
  ///
  /// - Parameters:
  ///   - problem: The reason.
  ///   - time: The time of the next attempt, formatted; nil if it is the next round.
  public func explainWaiting(_ problem: SyncProblem, until time: String? = nil) -> String {
    explain(problem) + (time.map { " " + syncTriedAgain($0) } ?? "")
  }

  /// Explains why a connection to the service cannot be configured.
  public func explain(_ problem: Connection.Problem) -> String {
    switch problem {
    case .credentials(let problem): explain(problem)
    case .address(let problem): syncBadAddress(explain(problem))
    case .container(let name): syncBadContainer(name)
    case .environment(.certificateAuthorities(let variable, let path)):
      syncBadAuthorities(variable, path.sanitizedLine)
    }
  }

  /// Explains what is wrong with an address, as the rest of a sentence about it.
  private func explain(_ problem: AddressProblem) -> String {
    switch problem {
    case .characters: syncAddressHasCharacters
    case .scheme, .notSecure: syncAddressIsNotSecure
    case .userInfo: syncAddressHasPassword
    case .host: syncAddressHasNoHost
    case .port: syncAddressHasNoPort
    case .path: syncAddressHasPath
    }
  }

  /// Explains why a sign-in produced no token, for use within a sentence.
  public func explain(_ problem: SignInProblem) -> String {
    switch problem {
    case .cannotListen: syncSignInCannotListen
    case .timedOut: syncSignInTimedOut
    case .cancelled: syncSignInCancelled
    case .closed: syncSignInIsOver
    }
  }

  /// Explains a problem of the credentials file.
  public func explain(_ problem: CredentialFile.Problem) -> String {
    switch problem {
    case .exposed(let path): syncCredentialsExposed(path)
    case .damaged(let path): syncCredentialsDamaged(path)
    case .unreadable(let path, let code): fileNotRead(path, code)
    case .cannotWrite(let path, let code): fileNotWritten(path, code)
    case .missing: syncNotConnected
    case .otherAccount: syncOtherAccount
    }
  }
}
