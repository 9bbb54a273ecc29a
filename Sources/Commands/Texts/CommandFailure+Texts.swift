import Editions
import Messages
import QuranEnc

extension CommandFailure {
  init(_ failure: EditionFileFailure, messages: Messages) {
    let status: ExitStatus =
      switch failure.reason {
      case .notFound: .notFound
      case .invalidID, .bundled, .shared: .usage
      default: .badData
      }
    self.init(status, messages.explain(failure))
  }

  init(_ failure: EditionInstallFailure, messages: Messages) {
    let status: ExitStatus =
      switch failure {
      case .edition: .badData
      case .file(let failure): CommandFailure(failure, messages: messages).status
      case .download(let failure, _):
        switch failure {
        case .address, .environment: .usage
        case .notListed: .notFound
        case .unreadableCatalog, .unusableResponse, .storage: .badData
        case .unreachable, .interrupted, .status, .unexpectedResponse, .changed, .busy, .cancelled:
          .service
        }
      }
    self.init(status, messages.explain(failure))
  }
}
