import CloudRecords

/// Notifications that may have been lost because the database has failed. The clients that may have
/// missed one are told to fetch changes.
public struct NotificationLoss: Hashable, Sendable {
  let container: ContainerID
  let environment: ContainerEnvironment
  /// The account whose clients may have missed a notification; 0 for all accounts.
  let account: Int64

  init(_ address: DatabaseAddress, account: Int64) {
    self.init(address.container, address.environment, account: account)
  }

  init(_ container: ContainerID, _ environment: ContainerEnvironment, account: Int64) {
    self.container = container
    self.environment = environment
    self.account = account
  }
}
