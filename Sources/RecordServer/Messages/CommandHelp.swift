import CloudRecords

/// The help of the commands and their options.
public enum CommandHelp {
  static func range(_ range: ClosedRange<Int64>) -> String {
    "\(range.lowerBound) to \(range.upperBound)"
  }

  // MARK: record-service

  public static let root = "A server that implements CloudKit Web Services."
  public static let rootDiscussion = """
    The default subcommand is serve. All commands use the same data directory or database and, \
    except for restore and move, can be used while the server is running.
    Options can also be given as environment variables, see `serve --help`.
    Exit status: 0 success, 1 not found, refused, unreadable input, or storage busy or full, \
    2 invalid usage, 3 invalid data or an unexpected error.
    """
  public static let data = "The directory with the database and the key."
  public static let dataDefault = "Default: record-service in the XDG data directory."
  public static let storage =
    "The PostgreSQL database that has all data, as postgresql://USER:PASSWORD@HOST/DATABASE."
  public static let storageDefault = """
    Default: a file in the data directory, which is not used otherwise. Others on this machine can \
    see the arguments of a program: give a password in RECORD_SERVICE_STORAGE or a file of libpq \
    (~/.pgpass).
    """
  public static let json = "Print JSON."
  public static let yes = "Do not ask for confirmation."
  public static let container = "The container."
  public static let environment = "The environment."
  public static let schemaFile = "The schema file; - for standard input."
  public static let accountName = "The account's name."
  public static let passwordSource =
    "The password is read from the terminal or from standard input."

  // MARK: backup, restore, move, doctor

  public static let backup = "Copy the database to a new file, even while the server is running."
  public static let backupDiscussion = """
    The backup contains all records and accounts. It does not contain the key file, without which \
    encrypted fields cannot be read: keep a copy of that file in another place. A PostgreSQL \
    database is backed up with pg_dump.
    """
  public static let backupFile = "The file to create."
  public static let restore = "Replace the database with a backup."
  public static let restoreDiscussion = """
    Stop the server first. The previous database is kept. At the next sync, devices compare all \
    their records and send the missing ones. Sessions and passwords are those of the backup; \
    `user sign-out --all` ends all sessions.
    """
  public static let restoreFile = "The backup file."
  public static let move =
    "Carry a service from a data directory to a PostgreSQL database, or back."
  public static let moveDiscussion = """
    Stop the server first, and afterwards start one with the same URL on the new place: no device \
    notices. Everything is copied and compared: accounts, passwords and sessions, API tokens and keys, \
    schemas, records with their change tags and history, assets, subscriptions, unfinished jobs, and \
    the key of the server. The contents of the source are not changed. After an \
    interruption, run the command again.
      record-service move --from ~/.local/share/record-service --to postgresql:///records
    Not copied are the back-off after wrong passwords, and notifications that wait for long polls, \
    whose clients fetch changes anyway. A server that begins with a data directory from PostgreSQL \
    prints a new first API token; the others stay valid.
    Others on this machine can see the arguments of a program: give an address with a password in \
    RECORD_SERVICE_FROM or RECORD_SERVICE_TO.
    """
  public static let moveFrom =
    "The service: a data directory, or postgresql://USER:PASSWORD@HOST/DATABASE."
  public static let moveTo =
    "Where it is to be: an empty or new directory, or a PostgreSQL database without tables."
  public static let doctor =
    "Check the files, the database and the schemas, and report problems."
  public static let doctorDiscussion = "The exit status is 1 if there is a problem."

  // MARK: record

  public static let record = "Show the records of an account or of the public database."
  public static let recordUser = "Show records of this account's private database."
  public static let recordPublic = "Show records of the public database."
  public static let recordZone = "Show only records of this zone."
  public static let recordLimit = "The maximum number of records to show."
  public static let showEncrypted = "Decrypt encrypted fields."
  public static let recordList = "List records; no index is required."
  public static let recordListDiscussion = """
    The records of each zone are sorted by their last changes, oldest first; with --type they are \
    sorted by name. In JSON, a field that is not decrypted is {"isEncrypted":true,"value":null}.
    """
  public static let recordListType = "Show only records of this type."
  public static let recordQuery = "Query records with the same rules as apps."
  public static let recordQueryDiscussion = """
    A condition is 'FIELD OPERATOR VALUE' with one of \
    \(FilterExpression.operatorNames.joined(separator: " ")). A record has to match all conditions:
      record-service record query AyahNote 'ayahID == "2:255"' --user an
    Lists are written in JSON: 'tags LIST_CONTAINS_ANY ["a", "b"]'. References are written as \
    record names, timestamps as milliseconds since 1970 or in ISO 8601. In the public database \
    the query runs as a user who is not signed in.
    """
  public static let recordType = "The record type."
  public static let conditions = "The conditions."
  public static let sort = "A field to sort by; repeatable."

  // MARK: key

  public static let key =
    "Manage server-to-server keys, with which programs sign their requests."
  public static let keyCreate = "Add the public key of a program, and print its key ID."
  public static let keyCreateDiscussion = """
    The key is an ECDSA key on P-256, as for Apple's service. The program keeps the private key:
      openssl ecparam -name prime256v1 -genkey -noout -out eckey.pem
      openssl ec -in eckey.pem -pubout -out eckey.pub
      record-service key create "Nightly import" eckey.pub --user an
    Its requests are served in the public database, as those of the account.
    """
  public static let keyLabel = "The name of the program."
  public static let keyFile = "The file with the public key in PEM; - for standard input."
  public static let keyUser = "The account as which the program acts."
  public static let keyEnvironment =
    "The environment that the program can use; by default both."
  public static let keyList = "List all server-to-server keys."
  public static let keyRevoke = "Revoke a server-to-server key."
  public static let keyID = "The ID of the key, as `key list` shows it."

  // MARK: schema

  public static let schema = "Show and change the schemas of containers."
  public static let schemaDiscussion = "Schemas are written in CloudKit's schema language (.ckdb)."
  public static let schemaImport = "Replace the schema of the development environment."
  public static let schemaImportDiscussion = """
    A container that is not served yet is added; its production schema is empty until \
    `schema deploy`. A schema that removes a type or field of the production schema, or changes \
    the type of a field, is refused. Indexes and roles that have no effect are accepted with a \
    warning.
    """
  public static let schemaExport = "Print the schema of an environment."
  public static let schemaValidate = "Check a schema without changing anything."
  public static let schemaValidateContainer =
    "Also check that the production schema of this container allows it."
  public static let schemaDeploy = "Copy the development schema to production."
  public static let schemaDeployDiscussion = """
    Types and fields can only be added to production, and never removed from it. The changes are \
    shown and have to be confirmed, because the development schema also contains types and fields \
    that were added when apps saved records.
    """
  public static let schemaDiff = "Show the changes that a deployment or an import would make."
  public static let schemaDiffDiscussion = """
    Without a file, the development schema is compared with the production schema; with a file, \
    the file is compared with the development schema. Lines begin with + for an addition, - for a \
    removal, ! for a changed type and ~ for another change.
    """
  public static let schemaDiffFile = "A schema file; - for standard input."
  public static let schemaReset =
    "Delete all records of the development environment, and give it the schema of production."

  public static let schemaCheck = "Show what a production schema lacks of what an app needs."
  public static let schemaCheckDiscussion = """
    Prints a line for each record type, field, index, role and grant that the file has and the \
    production schema does not have, and for each field with another type there; the exit status \
    is then 1. A missing record type is one line, without its fields. What only production has, \
    and marks of required fields, do not count. The file is the app's schema, or what its tests used: \
    GET /ephemeral/usage of `serve --ephemeral`.
    """
  public static let schemaCheckProduction = "The production schema; - for standard input."

  // MARK: serve

  public static let serve = "Run the server until it receives a signal."
  public static let serveDiscussion = """
    By default the server listens on http://127.0.0.1:8787, which only this machine can reach, and \
    prints how to connect. To be reached from other machines it needs TLS: its own, or that of a \
    reverse proxy.
    Each option can also be given as an environment variable: RECORD_SERVICE_ and its name in \
    capitals, as RECORD_SERVICE_QUOTA_BYTES for --quota-bytes. Options that can be repeated are \
    separated by commas, flags are 1 or 0. An option wins over its variable. `move` has \
    RECORD_SERVICE_FROM and RECORD_SERVICE_TO, the other commands RECORD_SERVICE_DATA and \
    RECORD_SERVICE_STORAGE, of which the latter wins.
    Not served, and answered with an error that says so: \
    \(UnservedFeature.allCases.map(\.name).joined(separator: ", ")).
    """
  public static let address = "The address to listen on."
  public static let port =
    "The port to listen on; 0 chooses a free one. (default: 8787; 0 with --ephemeral)"
  public static let ephemeral = "Serve one container in memory, for tests."
  public static let ephemeralDiscussion = """
    Nothing is written to the disk. The server listens on a free port of this machine and prints \
    one line of JSON with its URL, the container, an API token, and users who are signed in. Tests \
    control it by requests to /ephemeral: reset, snapshot, restore, seed, users, faults and usage.
    """
  public static let ephemeralSchema = """
    The schema of the ephemeral container, in development and production; - for standard input. \
    (default: that of the Quran reader)
    """
  public static let ephemeralContainer = """
    The ephemeral container. (default: \(EphemeralService.defaultContainer.name) with --schema, \
    otherwise that of the Quran reader)
    """
  public static let ephemeralUser =
    "The name of a user who is signed in at the start; repeatable. (default: an, binh)"
  public static let url = """
    The public URL of the service, as https://records.example.org. It is required with TLS, and \
    requests for other hosts are refused, except those of this machine.
    """
  public static let tlsCertificate =
    "The certificate chain for TLS in PEM, with the server's certificate first."
  public static let tlsKey = "The private key of the certificate in PEM."
  public static let behindProxy = "A reverse proxy provides TLS."
  public static let trustedProxy =
    "The address of a proxy whose X-Forwarded-For header is trusted; repeatable."
  public static let registration =
    "Who can register: open (everyone), invitation (users with an invitation) or closed (nobody). "
    + "(default: open if only this machine can reach the server, otherwise invitation)"
  public static let quotaBytes = "The maximum bytes of an account in a database."
  public static let quotaRecords = "The maximum records of an account in a database."
  public static let operationsPerSecond = """
    How many operations a second an account may carry out, each saved or deleted record being one: \
    \(range(TokenBucket.Rate.perSecondRange)), or none for no limit.
    """
  public static let operationsBurst = """
    How many operations an account that was idle may carry out at once: \
    \(range(TokenBucket.Rate.burstRange)).
    """
  public static let strictRequired = """
    Refuse records that lack a field which the schema marks as required, by a comment after its \
    declaration: name STRING, // required. CloudKit leaves this to the apps.
    """
  public static let logLevel =
    "The lowest level that is logged to standard error: trace, debug, info, notice, warning, "
    + "error or critical."

  // MARK: token

  public static let token = "Manage API tokens, with which apps use containers."
  public static let tokenCreate = "Create and print an API token for an app."
  public static let tokenCreateDiscussion =
    "Only a hash of the token is stored, so it cannot be printed again."
  public static let tokenLabel = "The name of the app, which is shown to users."
  public static let tokenEnvironment = "The environment that the app can use; by default both."
  public static let tokenOrigin =
    "An origin whose web pages can use the token, repeatable; by default any."
  public static let tokenCallback =
    "A URL to which browsers can be redirected after the sign-in; repeatable."
  public static let tokenList = "List all API tokens without their secrets."
  public static let tokenRevoke =
    "Revoke an API token, and end the sessions that were begun with it."
  public static let tokenRevokeDiscussion =
    "If it is the token in the file api-token, the next server start creates another."
  public static let tokenID = "The ID of the token, as `token list` shows it."

  // MARK: user

  public static let user = "Manage accounts."
  public static let userAdd = "Create an account, even if registration is closed."
  public static let userList = "List all accounts with their records, bytes and sessions."
  public static let userRemove = "Delete an account and all its records."
  public static let userResetPassword = "Set a new password for an account, and end its sessions."
  public static let userInvite = "Print an invitation code to register one account."
  public static let userInviteDiscussion = """
    The code expires after a week. The second line is the path of the registration page on your \
    server.
    """
  public static let userInvitations = "List the invitations that are open."
  public static let userInvitationsDiscussion = """
    An invitation is open until it is used or withdrawn, or expires. Its code is not stored, and \
    not listed.
    """
  public static let userWithdraw = "Withdraw an invitation, so that its code registers nobody."
  public static let invitationID = "The ID of the invitation, as `user invitations` shows it."
  public static let userSignIn = "Print a new web auth token for an account."
  public static let userSignInDiscussion = """
    For manual requests, for example with curl: '…?ckAPIToken=…&ckWebAuthToken=…'. No password is \
    required: whoever can run this command can act as any user. The session is counted in \
    `user list`, and `user sign-out` ends it.
    """
  public static let userSignInToken = "The API token of the session; by default the oldest."
  public static let userSignOut = "End all sessions of an account, or of all accounts."
  public static let userSignOutDiscussion = """
    If the service's files were restored to an earlier state, sessions and passwords are those of \
    that time: sessions that were ended later are valid again. With --all, all users have to sign \
    in again.
    """
  public static let userSignOutAll = "End the sessions of all accounts."
}
