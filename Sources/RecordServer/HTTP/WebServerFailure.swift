/// Why nothing is served.
public enum WebServerFailure: Error, Hashable, Sendable {
  /// `errno`.
  case cannotListen(address: String, port: Int, code: Int32)
  /// A file of certificates or its key cannot be read, or is none.
  case certificates(path: String)
}
