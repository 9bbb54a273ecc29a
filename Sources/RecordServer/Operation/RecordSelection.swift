public import CloudRecords

/// Which records an operator looks at.
public struct RecordSelection: Hashable, Sendable {
  public var container: ContainerID
  public var environment: ContainerEnvironment
  /// Whose private database; nil for the public one.
  public var account: Account?
  /// Nil for all zones.
  public var zone: String?
  /// Whether encrypted fields come with their values. Without it they are `Field.sealed`.
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

  var place: Place { Place(container, environment, account == nil ? .public : .private) }

  var caller: Caller? {
    account.map { Caller(account: $0.id, userRecordName: $0.userRecordName(in: container)) }
  }
}

extension Field {
  /// Stands for an encrypted value that is not shown. On the wire:
  /// `{"isEncrypted":true,"value":null}`.
  public static let sealed = Field(.null, isEncrypted: true)
}
