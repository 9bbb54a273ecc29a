public import CloudRecords
public import Library
public import RecordClient
public import Sync
import Text

// Why a library is not synced, and what to do.
extension Messages {
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

  /// What is stored of why something did not go through.
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
        status: status, UnexpectedAnswer.Problem(rawValue: problem), contentType: contentType)
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

  /// To stand in brackets behind a sentence; empty for none.
  private func detail(_ reason: String?) -> String { reason.map { " (\($0))" } ?? "" }

  /// The same in a word or two.
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

  public func explain(_ question: MassDeletion) -> String {
    let order: [(RecordKind, (Int) -> String)] = [
      (.note, syncNotes), (.favorite, syncFavorites), (.progress, syncProgress),
      (.setting, syncSettings),
    ]
    let counts = order.compactMap { kind, sentence in question.counts[kind].map(sentence) }
    return syncMassDeletion(counts.joined(separator: ", "), isAll: question.isProfileGone)
  }

  public func explain(_ failure: CallFailure) -> String {
    switch failure {
    case .service(let error): explain(error)
    case .unreachable(let problem): syncUnreachable(explain(problem))
    case .answerLost(let problem): syncAnswerLost(explain(problem))
    case .unexpectedAnswer(let answer):
      explain(status: answer.status, answer.problem, contentType: answer.contentType)
    case .untrustedURL(let problem): explainUntrusted(problem)
    case .credentials(let problem): explain(problem)
    case .cancelled: syncCancelled
    }
  }

  /// - Parameter problem: nil for one that another version stored.
  private func explain(
    status: Int, _ problem: UnexpectedAnswer.Problem?, contentType: String?
  ) -> String {
    let facts = [status == 0 ? nil : "\(status)", contentType?.displayableLine, problem.map(name)]
    return syncUnexpectedAnswer(facts.compactMap(\.self).joined(separator: ", "))
  }

  /// To stand in brackets.
  private func name(of problem: UnexpectedAnswer.Problem) -> String {
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

  /// Why an address that the service named is not used.
  public func explainUntrusted(_ problem: AddressProblem) -> String {
    syncUntrustedURL(explain(problem))
  }

  private func explain(_ problem: CredentialsProblem) -> String {
    switch problem {
    case .unreadable: syncTokenUnreadable
    case .notStored: syncTokenNotStored
    }
  }

  /// To stand in brackets.
  public func explain(_ problem: NetworkProblem) -> String {
    switch problem {
    case .libraryMissing: networkLibraryMissing
    case .addressUnusable: networkAddressUnusable
    case .nameUnknown: networkNameUnknown
    case .noNetwork: networkMissing
    case .noConnection: networkNoConnection
    case .connectionRefused: networkRefused
    case .connectionCut: networkCut
    case .tooSlow: networkSlow
    case .proxyUnknown: networkProxyUnknown
    case .proxyPasswordAsked: networkProxyPassword
    case .proxyRefused: networkProxyRefused
    case .tlsFailed: networkTLS
    case .tlsTooSlow: networkTLSSlow
    case .certificateUntrusted: networkCertificate
    case .certificateOfAnother: networkCertificateName
    }
  }

  /// What it means and what to do, by the code; then the code and the service's own words, for
  /// whoever runs the service.
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

  /// What it is that is not sent any more.
  public func name(of parked: SyncStatus.Parked) -> String {
    parked.ayah.map { noteOf("\($0)") } ?? name(of: parked.thing)
  }

  /// Why changes wait.
  ///
  /// - Parameter time: when they are tried again, for people; nil for with the next round.
  public func explainWaiting(_ problem: SyncProblem, until time: String? = nil) -> String {
    explain(problem) + (time.map { " " + syncTriedAgain($0) } ?? "")
  }

  public func explain(_ problem: Connection.Problem) -> String {
    switch problem {
    case .credentials(let problem): explain(problem)
    case .address(let problem): syncBadAddress(explain(problem))
    case .container(let name): syncBadContainer(name)
    case .environment(.authorities(let variable, let path)):
      syncBadAuthorities(variable, path.displayableLine)
    }
  }

  /// To follow "the address".
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

  /// Why a sign-in brought no token, in the middle of a sentence.
  public func explain(_ problem: SignInProblem) -> String {
    switch problem {
    case .cannotListen: syncSignInCannotListen
    case .timedOut: syncSignInTimedOut
    case .cancelled: syncSignInCancelled
    case .closed: syncSignInIsOver
    }
  }

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
