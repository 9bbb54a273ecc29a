import CloudRecords
import Glibc

extension Doctor.Finding {
  /// The result as an English sentence for the operator.
  public var sentence: String {
    switch fact {
    case .mode(let path, let mode): "\(path) has mode \(Self.octal(mode))."
    case .exposed(let path, let mode, let allowed):
      "\(path) has mode \(Self.octal(mode)): others may use it. Run chmod \(Self.octal(allowed)) "
        + "on it."
    case .otherOwner(let path, let directory):
      "\(path) belongs to another user than \(directory); run chown on it."
    case .inaccessible(let path, let code): "\(path): \(systemError(code))."
    case .notCreated(let path): "\(path): \(systemError(ENOENT))."
    case .missingKey(let path):
      "\(path) is missing; restore it from your copy. Encrypted fields cannot be read without it."
    case .key(let path): "\(path) contains a key that only its owner can read."
    case .keyInDatabase: "The database has the key."
    case .keyFailure(let failure): failure.sentence
    case .space(let bytes, let isEnough):
      "\(bytes >> 20) MiB are free" + (isEnough ? "." : "; make room.")
    case .unknownSpace: "Free space cannot be determined."
    case .sound: "The database has no fault."
    case .fault(let fault): "The database has a fault: \(fault.phrase)."
    case .storageFailure(let failure): failure.sentence
    case .schema(let container, let types, let changes):
      "\(container.name) has \(CommandMessages.count(types, "record type")) in production"
        + (changes == 0 ? "." : "; changes that are not deployed: \(changes).")
    case .missingSchema(let container): "\(container.name) lacks a schema."
    case .counts(let accounts, let records, let jobs):
      "Accounts: \(accounts), records: \(records), unfinished jobs: \(jobs)"
        + (jobs == 0 ? "." : "; a server continues them when it starts.")
    case .forks(0): "No client knew of changes that this database has lost."
    case .forks(let count):
      "Responses that reported lost changes to a client, as after a restore: \(count)."
    case .server(nil): "No server seems to be running."
    case .server(let process?):
      "A server seems to be running: process \(process) has the database open."
    }
  }

  private static func octal(_ mode: UInt32) -> String { "0" + String(mode, radix: 8) }
}

extension DatabaseFault {
  fileprivate var phrase: String {
    switch self {
    case .integrity(let words): words
    case .inconsistent(let kind, let count): "\(count) \(kind.phrase)"
    }
  }
}

extension DatabaseFault.Inconsistency {
  /// The phrase that follows a number.
  fileprivate var phrase: String {
    switch self {
    case .usage: "accounts whose usage is not the sum of their records and assets"
    case .entry: "index entries without a record"
    case .reference: "references without a record"
    case .record: "records without an owner"
    case .asset: "incomplete assets of records, and assets without a record or owner"
    case .assetBytes: "assets whose bytes are not all there"
    case .history: "histories without an owner"
    case .zone: "zones that are not where their histories end"
    case .number: "records ahead of their zones"
    }
  }
}
