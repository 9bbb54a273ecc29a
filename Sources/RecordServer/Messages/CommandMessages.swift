public import CloudRecords

/// The output of the commands. Each string is one line without its line feed, unless its comment
/// says otherwise.
public enum CommandMessages {
  // MARK: Words

  /// Returns a number with its noun in the singular or plural.
  static func count(_ number: Int, _ noun: String) -> String {
    "\(number) \(noun)\(number == 1 ? "" : "s")"
  }

  public static let usage = "See `record-service --help`."
  public static let nothingChanged = "Nothing was changed."
  /// - Parameters:
  ///   - variables: the environment variables, at least one.
  ///   - problem: what is wrong with their values.
  public static func invalidVariables(_ variables: [String], _ problem: String) -> String {
    "\(variables.joined(separator: ", ")): \(problem)\n\(usage)"
  }

  // MARK: Failures

  public static let storageFailed = "The storage failed; run `record-service doctor`."
  public static func requestRefused(_ error: ServiceError) -> String {
    "The request was refused: \(error.sentence)."
  }
  public static func queryRefused(_ error: ServiceError) -> String {
    "The query was refused: \(error.sentence). `record-service record list` requires no index."
  }
  /// - Parameter type: the Swift type of the error.
  public static func unexpectedError(type: String) -> String { "Unexpected error: \(type)." }
  /// - Parameter code: an `errno`.
  public static func cannotWriteOutput(code: Int32) -> String {
    "The output cannot be written: \(systemError(code))."
  }
  /// - Parameter code: an `errno`.
  public static func cannotReadInput(_ path: String, code: Int32) -> String {
    "\(path) cannot be read: \(systemError(code))."
  }
  public static func inputNotUTF8(_ path: String) -> String { "\(path) is not valid UTF-8." }
  /// - Parameter path: the path of the file; nil for standard input.
  public static func invalidSchema(_ path: String?, _ error: SchemaSyntaxError) -> String {
    "\(path ?? "The input") is not a valid schema, at \(error.phrase)."
  }
  public static let dataAndStorage = "--data and --storage cannot be used together."
  public static let noDataDirectory =
    "There is no default data directory; specify one with --data."
  /// - Parameter code: an `errno`.
  public static func cannotCreateDirectory(_ path: String, code: Int32) -> String {
    "The directory \(path) cannot be created: \(systemError(code))."
  }
  public static func noService(in directory: String) -> String {
    "There is no record service in \(directory) yet; specify another directory with --data, or "
      + "create the service with `record-service serve`."
  }
  public static let noServiceInDatabase =
    "There is no record service in the database yet; create it with `record-service serve`."
  /// - Parameter option: the option with the address.
  public static func unknownStorage(_ option: String) -> String {
    "\(option) must be the address of a PostgreSQL database: postgresql://USER@HOST/DATABASE"
  }
  /// Three lines.
  public static func missingKey(_ path: String) -> String {
    let quoted = "'" + path.replacing("'", with: #"'\''"#) + "'"
    return """
      The key file \(path) is missing, although there is a database; restore it from your copy.
      If it is lost, create a new one: (umask 077; openssl rand -hex 32 > \(quoted))
      Then encrypted fields cannot be read, and all users have to sign in again.
      """
  }
  public static func noAccount(_ name: String) -> String {
    "There is no account '\(name)'; `record-service user list` lists all accounts."
  }
  public static func containerNotServed(_ container: ContainerID) -> String {
    "The container \(container.name) is not served; add it with "
      + "`record-service schema import FILE --container \(container.name)`."
  }

  // MARK: Questions

  /// Returns a question that is answered with y or n, without a line feed.
  public static func confirmation(_ question: String) -> String { "\(question) [y/N]" }
  public static func noTerminal(for question: String) -> String {
    "\(question) There is no terminal to ask for confirmation; nothing was changed. Use --yes to "
      + "confirm."
  }
  public static let noPassword = "There is no password on standard input."
  /// A question, without a line feed.
  public static func newPassword(for name: String) -> String { "New password for \(name):" }
  /// A question, without a line feed.
  public static let repeatPassword = "Repeat the password:"
  public static let passwordsDiffer = "The passwords do not match; nothing was changed. Try again."
  public static let passwordNotHidden =
    "The terminal cannot hide the password; pipe it to standard input."

  // MARK: backup, restore, move, doctor

  /// - Parameter option: the option with the address.
  public static func unencodedStorage(_ option: String) -> String {
    "in the address of \(option), special characters of a password have to be percent-encoded: "
      + "@ as %40, / as %2F, % as %25"
  }
  public static let dumpPostgreSQL =
    "A PostgreSQL database is backed up with pg_dump and restored with pg_restore. A dump contains "
    + "the key, too."
  public static func backedUp(records: Int, to path: String) -> String {
    "\(count(records, "record")) and all accounts were copied to \(path)."
  }
  public static func keepKey(_ path: String) -> String {
    "Keep a copy of \(path) too, but not in the same place."
  }
  public static func databaseInUse(_ path: String) -> String {
    "A server is using \(path); stop it and try again. Nothing was changed."
  }
  public static func restored(_ path: String, from backup: String) -> String {
    "\(path) was restored from \(backup)."
  }
  public static func movedAside(to path: String) -> String {
    "The previous database was moved to \(path)."
  }
  public static let moveBetweenKinds =
    "--from and --to must be a data directory and the address of a PostgreSQL database: "
    + "postgresql://USER@HOST/DATABASE"
  public static func moving(percent: Int) -> String { "Moving: \(percent) %" }
  public static func moved(_ moved: ServiceMove.Moved) -> String {
    "\(count(moved.accounts, "account")) and \(count(moved.records, "record")) were moved: "
      + "\(count(moved.rows, "row")) were copied and compared."
  }
  public static let sourceUnchanged =
    "The source is as it was. Do not serve both: devices would not know of each other's changes."
  public static func line(of finding: Doctor.Finding) -> String {
    "\(finding.isOK ? "✓" : "!") \(finding.sentence)"
  }
  public static func problemsFound(_ number: Int) -> String { "Found \(count(number, "problem"))." }

  // MARK: record

  public static let userOrPublic = "Specify either --user NAME or --public."
  public static let limitTooSmall = "--limit must be at least 1."
  public static let noRecords = "No records were found."
  public static func moreRecords(than limit: Int) -> String {
    "There are more than \(count(limit, "record")); use --limit to show more."
  }
  public static let recordColumns = ["NAME", "TYPE", "MODIFIED", "FIELDS"]
  public static let encrypted = "(encrypted)"
  public static let noValue = "(none)"
  public static func bytes(_ number: Int) -> String { "(\(count(number, "byte")))" }
  public static func file(bytes: Int) -> String { "(file of \(count(bytes, "byte")))" }

  // MARK: schema

  public static func schemaImported(
    _ container: ContainerID, types: Int, isNew: Bool
  ) -> String {
    (isNew ? "\(container.name) is served now. " : "")
      + "The development schema of \(container.name) has \(count(types, "record type")); "
      + "`schema deploy` copies it to production."
  }
  public static func schemaValid(types: Int) -> String {
    "The schema is valid: \(count(types, "record type"))."
  }
  /// A heading, and a line for each refused change.
  ///
  /// - Parameter container: the container that the heading names; nil if it names none.
  public static func refused(_ changes: [SchemaChange], of container: ContainerID? = nil) -> String
  {
    let container = container.map { " of \($0.name)" } ?? ""
    return lines("The production schema\(container) does not allow this:", changes)
  }
  /// A heading, and a line for each refused change.
  public static func refusedAndUnchanged(_ changes: [SchemaChange]) -> String {
    lines("The production schema does not allow this; nothing was changed:", changes)
  }
  private static func lines(_ heading: String, _ changes: [SchemaChange]) -> String {
    ([heading] + changes.compactMap(\.refusal)).joined(separator: "\n")
  }
  public static let schemaUpToDate = "The production schema is already up to date."
  /// A question.
  public static func deploys(_ changes: Int, to container: ContainerID) -> String {
    "This deploys \(count(changes, "change")) to the production schema of \(container.name). Types "
      + "and fields cannot be removed from it."
  }
  public static let schemaChangedMeanwhile =
    "The development schema has changed in the meantime; nothing was deployed. Try again."
  public static func deployed(_ changes: Int) -> String { "Deployed \(count(changes, "change"))." }
  public static let noDifferences = "There are no differences."
  /// A question.
  public static func resets(_ container: ContainerID, records: Int) -> String {
    "This deletes \(count(records, "record")) of all users in the development environment of "
      + "\(container.name), and everything in its schema that is not in production."
  }
  public static func reset(_ container: ContainerID, records: Int) -> String {
    "Deleted \(count(records, "record")). The development schema of \(container.name) is now the "
      + "production schema."
  }

  /// - Parameter missing: at least 1.
  public static func productionLacks(_ missing: Int) -> String {
    "The production schema lacks \(count(missing, "declaration"))."
  }
  /// - Parameter types: the number of record types that are needed.
  public static func productionHasAll(types: Int) -> String {
    "The production schema has all that is needed: \(count(types, "record type"))."
  }
  public static let nothingToCheck =
    "The file has no record types, so there is nothing to check. Did the tests use the service?"
  public static let standardInputTwice = "Only one of the schemas can be standard input."

  // MARK: serve

  public static let invalidPort = "--port must be from 0 to 65535."
  public static func notEphemeral(_ option: String) -> String {
    "\(option) and --ephemeral cannot be used together."
  }
  public static func onlyEphemeral(_ option: String) -> String {
    "\(option) is only for --ephemeral."
  }
  public static let incompleteTLS = "--tls-certificate and --tls-key must be used together."
  public static let quotaTooSmall = "A quota must be at least 1."
  public static let invalidOperationsPerSecond =
    "--operations-per-second must be \(CommandHelp.range(TokenBucket.Rate.perSecondRange)), or none."
  public static let invalidOperationsBurst =
    "--operations-burst must be \(CommandHelp.range(TokenBucket.Rate.burstRange))."
  public static func invalidLogLevel(_ text: String) -> String { "'\(text)' is not a log level." }
  /// Five lines, each with its line feed.
  ///
  /// - Parameters:
  ///   - apiToken: the secret of the first API token if it was created now; nil if it was shown
  ///     before. The output often goes to a log that others read.
  ///   - place: where the data is.
  public static func ready(at url: String, apiToken: String?, _ place: Place) -> String {
    """
    record-service is ready at \(url)
    API token: \(apiToken ?? place.apiToken)
    Connect a reader: quran-vi sync connect \(url)
    It asks for the API token, then opens the page to sign in or register.
    \(place.line)

    """
  }

  /// Where the data of a service is.
  public enum Place: Sendable {
    /// A data directory, which has a file with the secret of the first API token.
    case directory(String, apiToken: String)
    /// A PostgreSQL database of this name.
    case postgreSQL(String)

    /// Where an API token is found.
    fileprivate var apiToken: String {
      switch self {
      case .directory(_, let file): "in the file \(file)"
      case .postgreSQL: "shown at the first start; `record-service token create` creates another"
      }
    }

    fileprivate var line: String {
      switch self {
      case .directory(let path, _): "Data directory: \(path)"
      case .postgreSQL(let name): "PostgreSQL database: \(name)"
      }
    }
  }

  // MARK: token

  public static func tokenCreated(_ id: APIToken.ID, for label: String) -> String {
    "Created API token \(id) for \(label). It cannot be shown again."
  }
  public static let noTokens =
    "There are no API tokens; `record-service token create LABEL` creates one."
  public static let tokenColumns = [
    "ID", "LABEL", "CREATED", "CONTAINER", "ENVIRONMENT", "ORIGINS AND CALLBACKS",
  ]
  public static let bothEnvironments = "both"
  public static func noToken(_ id: APIToken.ID) -> String {
    "There is no API token \(id); `record-service token list` lists all tokens."
  }
  public static func tokenRevoked(_ id: APIToken.ID) -> String {
    "API token \(id) was revoked and its sessions were ended."
  }

  // MARK: key

  public static func keyCreated(_ id: ServerToServerKey.ID, for label: String) -> String {
    "Created server-to-server key \(id) for \(label). Requests name the key by the ID above."
  }
  public static let noKeys =
    "There are no server-to-server keys; `record-service key create LABEL FILE` creates one."
  public static let keyColumns = [
    "ID", "LABEL", "CREATED", "CONTAINER", "ENVIRONMENT", "USER", "KEY ID",
  ]
  public static func noKey(_ id: ServerToServerKey.ID) -> String {
    "There is no server-to-server key \(id); `record-service key list` lists all keys."
  }
  public static func keyRevoked(_ id: ServerToServerKey.ID) -> String {
    "Server-to-server key \(id) was revoked."
  }

  // MARK: user

  public static func accountCreated(_ name: String) -> String {
    "The account '\(name)' was created."
  }
  public static let noAccounts =
    "There are no accounts yet; `record-service user add NAME` creates one."
  public static let accountColumns = ["NAME", "RECORDS", "BYTES", "SESSIONS"]
  /// A question.
  public static func deletesAccount(_ name: String, records: Int) -> String {
    "This permanently deletes the account '\(name)' and \(count(records, "record"))."
  }
  public static func accountDeleted(_ name: String, records: Int) -> String {
    "Deleted the account '\(name)' and \(count(records, "record"))."
  }
  public static func accountGone(_ name: String) -> String {
    "The account '\(name)' was already deleted."
  }
  public static func passwordReset(_ name: String) -> String {
    "'\(name)' has a new password, and its sessions were ended."
  }
  public static let noInvitations =
    "There are no open invitations; `record-service user invite` creates one."
  public static let invitationColumns = ["ID", "CREATED", "EXPIRES"]
  public static func noInvitation(_ id: Invitation.ID) -> String {
    "There is no invitation \(id); `record-service user invitations` lists all that are open."
  }
  public static func invitationWithdrawn(_ id: Invitation.ID) -> String {
    "Invitation \(id) was withdrawn. Its code cannot be used any more."
  }
  public static let noSuchToken =
    "There is no such API token; `record-service token list` lists all tokens, and `token create` "
    + "creates one."
  public static func signedIn(_ name: String, with token: APIToken) -> String {
    "Signed '\(name)' in to \(token.terms.container.name) with API token \(token.id) "
      + "(\(token.terms.label)). Keep the web auth token secret."
  }
  public static let accountOrAll = "Specify either an account or --all."
  public static func sessionsEnded(_ number: Int) -> String {
    "Ended \(count(number, "session")) of all accounts."
  }
  public static func sessionsEnded(_ number: Int, of name: String) -> String {
    "Ended \(count(number, "session")) of '\(name)'."
  }
}
