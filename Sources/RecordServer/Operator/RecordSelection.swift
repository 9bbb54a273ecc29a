public import CloudRecords

/// The records that an operator wants to see.
public struct RecordSelection: Hashable, Sendable {
  /// The container whose records are selected.
  public var container: ContainerID
  /// The environment of the records.
  public var environment: ContainerEnvironment
  /// The account whose private database is selected; nil for the public database.
  public var account: Account?
  /// The name of the zone; nil for all zones.
  public var zone: String?
  /// Whether encrypted fields are included with their values. If not, they are replaced by
  /// `Field.sealed`.
  public var showsEncrypted = false

  public init(
    _ container: ContainerID, _ environment: ContainerEnvironment, of account: Account?,
    zone: String? = nil
  ) {
    self.container = container
    self.environment = environment
    self.account = account
    self.zone = zone
  }

  /// The database that the selection addresses.
  var address: DatabaseAddress {
    DatabaseAddress(container, environment, account == nil ? .public : .private)
  }

  /// The owner of the private database as a caller; nil for the public database.
  var caller: Caller? {
    account.map { Caller(account: $0.id, userRecordName: $0.userRecordName(in: container)) }
  }
}

extension Field {
  /// Stands for an encrypted value that is not shown. Its JSON is
  /// `{"isEncrypted":true,"value":null}`.
  public static let sealed = Field(.null, isEncrypted: true)
}
