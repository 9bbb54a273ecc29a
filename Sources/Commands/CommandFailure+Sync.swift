import CloudRecords
import Library
import Messages
import RecordClient
import Sync

extension CommandFailure {
  /// Creates the failure of a command for a failure of sync.
  init(_ failure: SyncFailure, messages: Messages) {
    switch failure {
    case .library(let failure): self.init(failure, messages: messages)
    case .signedOut, .unconfirmed: self.init(.notSignedIn, messages.explain(failure))
    case .call(.service(let error)) where error.code == .authenticationRequired:
      self.init(.notSignedIn, messages.explain(failure))
    case .call, .endlessPages, .unfinishedPages, .storageLimitReached, .historyForked,
      .massDeletion, .restored:
      self.init(.service, messages.explain(failure))
    }
  }
}
