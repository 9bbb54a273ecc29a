/// One of a container's two worlds: each has its own schema and data.
public enum ContainerEnvironment: String, WireName {
  /// The schema grows with the records that are saved.
  case development
  /// The schema changes only by a deployment.
  case production
}
