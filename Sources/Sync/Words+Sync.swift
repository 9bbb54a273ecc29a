public import CloudRecords
import Library
public import RecordClient
public import Words

// Why a library is not synced, and what to do.
extension Words {
  public func explain(_ failure: SyncFailure) -> String {
    switch failure {
    case .signedOut: syncNotConnected
    case .unconfirmed: syncUnconfirmed
    case .call(let failure): explain(failure)
    case .library(let failure): explain(failure)
    case .historyForked: syncHistoryForked
    case .massDeletion(let question): explain(question)
    case .restored: syncRestored
    }
  }

  /// The same in a word or two.
  public func syncCorner(_ failure: SyncFailure) -> String {
    switch failure {
    case .signedOut, .unconfirmed: syncCornerSignIn
    case .library: syncCornerLibrary
    case .massDeletion: syncCornerQuestion
    case .historyForked: syncCornerRefused
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
    case .unexpectedAnswer(let status, let reason):
      syncUnexpectedAnswer(status == 0 ? reason : "\(status), \(reason)")
    case .untrustedURL(let reason): syncUntrustedURL(reason)
    case .credentials(let reason): syncCredentialsFailed(reason)
    case .cancelled: syncCancelled
    }
  }

  /// To stand in brackets.
  private func explain(_ problem: NetworkProblem) -> String {
    switch problem {
    case .addressUnusable: networkAddressUnusable
    case .nameUnknown: networkNameUnknown
    case .noNetwork: networkMissing
    case .noConnection: networkNoConnection
    case .connectionRefused: networkRefused
    case .connectionCut: networkCut
    case .tooSlow: networkSlow
    case .proxyPasswordAsked: networkProxyPassword
    case .proxyRefused: networkProxyRefused
    case .proxyTooSlow: networkProxySlow
    case .tlsFailed: networkTLS
    case .tlsTooSlow: networkTLSSlow
    case .certificateUntrusted: networkCertificate
    case .certificateOfAnother: networkCertificateName
    }
  }

  /// By the code; the service's own words stand behind where they say more.
  public func explain(_ error: ServiceError) -> String {
    let detail = error.reason ?? error.code.rawValue
    return switch error.code {
    case .authenticationRequired: syncSignInAgain
    case .authenticationFailed: syncTokenRefused
    case .accessDenied: syncAccessDenied(detail)
    case .quotaExceeded: syncAccountFull
    case .throttled, .tryAgainLater, .zoneBusy, .serviceUnavailable, .internalError:
      syncServiceBusy(detail)
    case .notFound, .unknownItem, .zoneNotFound: syncContainerMissing(detail)
    case .badRequest where isOfSchema(detail): syncSchemaMissing(detail)
    default: syncRefused("\(error.code.rawValue): \(detail)")
    }
  }

  /// Why changes wait, by what the outbox keeps of it.
  public func explainWaiting(_ error: String) -> String {
    error.hasPrefix(ErrorCode.quotaExceeded.rawValue) ? syncAccountFull : syncNotTaken(error)
  }

  /// Whether a container lacks what its schema document lists.
  private func isOfSchema(_ reason: String) -> Bool {
    ["queryable", "sortable", "production schema", "record type"].contains { reason.contains($0) }
  }

  public func explain(_ problem: Connection.Problem) -> String {
    switch problem {
    case .credentials(let problem): explain(problem)
    case .address(let problem): syncBadAddress(explain(problem))
    case .container(let name): syncBadContainer(name)
    case .environment(let problem): syncBadEnvironment(problem.description)
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
