import CloudRecords
import GRDB
import Glibc
import Text

// The sentences that report failures to the operator: what failed, and what to do.

extension SignInFailure {
  /// The failure as an English sentence for the operator.
  public var sentence: String {
    switch self {
    case .unavailable(let failure): failure.sentence
    default: PageMessages(.english).sentence(self)
    }
  }
}

extension RegistrationFailure {
  /// The failure as an English sentence for the operator.
  public var sentence: String {
    switch self {
    case .unavailable(let failure): failure.sentence
    default: PageMessages(.english).sentence(self)
    }
  }
}

extension StorageFailure {
  /// The failure as an English sentence for the operator.
  public var sentence: String {
    switch self {
    case .busy: "The database is in use by another process; try again when that is done."
    case .full: "There is no room left on the disk; make some and try again."
    case .disconnected(let message): "The database server cannot be used: \(message)."
    case .commitUnanswered:
      "The database server did not confirm a change; it may or may not be saved."
    case .unresponsive: "The database server does not answer."
    case .slow: "The database server took too long for a query."
    case .exhausted: "The query looks at too many records."
    case .cancelled: "The operation was stopped; nothing was changed."
    case .failed(let fault): "The storage failed: \(fault.phrase)."
    }
  }
}

extension MoveFailure {
  /// The failure as an English sentence for the operator.
  public var sentence: String {
    switch self {
    case .databaseNotEmpty:
      "The PostgreSQL database has tables; create another one for the service. Nothing was changed."
    case .directoryNotEmpty(let path):
      "The directory \(path) is not empty; name another one. Nothing was changed."
    case .databaseInUse:
      "A server or a command is using the PostgreSQL database; stop it and try again. Nothing was "
        + "changed."
    case .differs(let table):
      "The rows of the table \(table) differ after they were copied; nothing was changed."
    }
  }
}

extension StorageFailure.Fault {
  fileprivate var phrase: String {
    switch self {
    case .sqlite(let code, let message): "\(ResultCode(rawValue: code)): \(message)"
    case .postgresql("25P02", _): "a statement of a transaction has failed"
    case .postgresql(let state, let message): "\(message) (\(state))"
    case .file(let operation, let path, let code):
      "cannot \(operation.verb) \(path): \(systemError(code))"
    case .foreignDatabase(let path): "\(path) is a database of something else"
    case .newerDatabase(let path): "\(path) was written by a newer version"
    case .newerTables: "a newer version has used the database"
    case .noTables: "the database has no tables of a record service; `serve` creates them"
    case .missingPostgreSQLClient:
      "the client library of PostgreSQL, version 14 or later, is missing; install the package libpq5"
    case .unreadableAddress:
      "the address of the database cannot be read; it is postgresql://USER:PASSWORD@HOST/DATABASE, "
        + "with special characters percent-encoded, @ as %40 and & as %26"
    case .invalidPort: "the port in the address of the database must be from 1 to 65535"
    case .invalidSSLMode:
      "sslmode in the address of the database must be one of "
        + StorageFailure.sslModes.joined(separator: ", ")
    case .encoding: "the database is not in UTF-8; create it with ENCODING 'UTF8'"
    case .damaged(let item): "\(item.phrase) is damaged"
    case .missing(let item): "\(item.phrase) is missing"
    case .severalOwners: "a transaction tried to change two databases"
    case .unexpected(let type): "unexpected error \(type)"
    }
  }
}

extension StorageFailure.FileOperation {
  fileprivate var verb: String {
    switch self {
    case .open: "open"
    case .read: "read"
    case .create: "create"
    case .write: "write"
    }
  }
}

extension StorageFailure.StoredItem {
  fileprivate var phrase: String {
    switch self {
    case .serviceID: "the ID of the service"
    case .serverKey: "the key of the service"
    case .container(let container): "the container \(container.name)"
    case .schema(let container, let environment):
      "the schema of \(container.name) (\(environment.rawValue))"
    case .owner: "a database"
    case .zone: "a zone"
    case .record: "a record"
    case .asset: "an asset"
    case .encryptedFields: "an encrypted field, or the key,"
    case .subscription: "a subscription"
    case .job: "a job"
    case .column(let name): "a value of the column \(name)"
    case .fieldID: "the ID of an indexed field"
    case .account(let id): "account \(id)"
    case .session(let id): "session \(id)"
    case .pushChannel(let id): "push channel \(id)"
    case .apiToken(let id): "API token \(id)"
    case .serverToServerKey(let id): "server-to-server key \(id)"
    }
  }
}

/// Returns the system's words for an `errno`.
func systemError(_ code: Int32) -> String { String(cString: strerror(code)) }

extension ServerKeyFailure {
  /// The failure as an English sentence for the operator.
  public var sentence: String {
    switch self {
    case .unreadable(let path, let code):
      "The key file \(path) cannot be read: \(systemError(code))."
    case .cannotCreate(let path, let code):
      "The key file \(path) cannot be created: \(systemError(code))."
    case .exposed(let path):
      "The key file \(path) is not a regular file that only its owner can read; run chmod 600 on "
        + "it."
    case .damaged(let path):
      "The key file \(path) does not contain a key; restore it from your copy."
    }
  }
}

extension ServerToServerKeyProblem {
  /// The problem as an English sentence for the operator.
  public var sentence: String {
    switch self {
    case .label(let limit):
      "The label is blank or longer than \(limit) characters; choose another."
    case .publicKey:
      "The file is not an ECDSA public key on P-256 in PEM; make one with openssl, as the help "
        + "shows."
    case .privateKey:
      "The file has a private key, which only the program that signs should have; give its public "
        + "key."
    }
  }
}

extension APITokenProblem {
  /// The problem as an English sentence for the operator.
  public var sentence: String {
    switch self {
    case .label(let limit):
      "The label is blank or longer than \(limit) characters; choose another."
    case .origin(let text):
      "'\(text)' is not an origin; give https://HOST, with a port where it has one, and no path."
    case .callback(let text):
      "'\(text)' cannot be a callback; give an https URL, or an http one of this machine, "
        + "without a fragment."
    }
  }
}

extension QueryExpressionProblem {
  /// The problem as an English sentence for the operator.
  public var sentence: String {
    let operators = FilterExpression.operatorNames.joined(separator: " ")
    return switch self {
    case .noField(let text):
      "'\(text)' is not a condition; write 'FIELD OPERATOR VALUE', as 'surahNumber == 2'."
    case .noOperator(let text): "'\(text)' has no operator after its field; there are \(operators)."
    case .noValue: "A condition has no value; write 'FIELD OPERATOR VALUE'."
    case .brokenValue(let text):
      "'\(text)' is not a value; quotation marks and brackets have to be closed."
    case .badSort(let text): "'\(text)' is not an order; write FIELD, FIELD:asc or FIELD:desc."
    }
  }
}
