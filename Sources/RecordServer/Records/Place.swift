public import CloudRecords

/// Where a request goes: a database of a container, in one of its environments.
public struct Place: Hashable, Sendable {
  public let container: ContainerID
  public let environment: ContainerEnvironment
  public let database: DatabaseScope

  public init(
    _ container: ContainerID, _ environment: ContainerEnvironment, _ database: DatabaseScope
  ) {
    self.container = container
    self.environment = environment
    self.database = database
  }
}
