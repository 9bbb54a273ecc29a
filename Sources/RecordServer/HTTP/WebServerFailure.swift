/// Why nothing is served.
public enum WebServerFailure: Error, Hashable, Sendable {
  /// `errno`.
  case cannotListen(address: String, port: Int, code: Int32)
  /// It is the name or address of nothing.
  case unknownAddress(String)
  /// A file of certificates or its key cannot be read, or is none, or one does not
  /// belong to the other.
  case certificates(path: String)
}
