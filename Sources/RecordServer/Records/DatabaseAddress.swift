public import CloudRecords

/// The database that a request addresses, in one environment of a container.
public struct DatabaseAddress: Hashable, Sendable {
  /// The container, for example `iCloud.com.example.app`.
  public let container: ContainerID
  /// Development or production.
  public let environment: ContainerEnvironment
  /// Public, private or shared.
  public let database: DatabaseScope

  public init(
    _ container: ContainerID, _ environment: ContainerEnvironment, _ database: DatabaseScope
  ) {
    self.container = container
    self.environment = environment
    self.database = database
  }
}
