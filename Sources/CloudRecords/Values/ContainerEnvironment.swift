/// An environment of a container. Each environment has its own schema and data.
public enum ContainerEnvironment: String, WireEnum {
  /// The environment in which saving a record can extend the schema.
  case development
  /// The environment whose schema changes only when a schema is deployed.
  case production
}
