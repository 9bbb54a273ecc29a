/// The reason why the server did not start.
public enum WebServerFailure: Error, Hashable, Sendable {
  /// The port cannot be listened on; `code` is an `errno`.
  case cannotListen(address: String, port: Int, code: Int32)
  /// The host name or address does not exist.
  case unknownAddress(String)
  /// The certificates or the key cannot be read, are not valid PEM, or do not belong together.
  case certificates(path: String)
  /// Users other than the owner and its group can read the file of the TLS key.
  case exposedKey(path: String)
}
