/// The reason why a connection to a service failed. The raw values are stored in the library.
public enum NetworkProblem: String, Sendable, CaseIterable {
  /// libcurl is not installed.
  case libraryMissing
  /// libcurl rejects the URL.
  case addressUnusable
  /// The host name cannot be resolved.
  case nameUnknown
  /// The network or host is not reachable.
  case noNetwork
  /// The connection could not be established for another reason.
  case noConnection
  /// The host refuses connections on the port.
  case connectionRefused
  /// The connection was closed before the response was complete.
  case connectionCut
  /// The connection or the response took too long.
  case tooSlow
  /// The host name of the proxy cannot be resolved.
  case proxyUnknown
  /// The proxy requires a password.
  case proxyPasswordAsked
  /// The proxy rejected the connection.
  case proxyRefused
  /// The TLS handshake failed.
  case tlsFailed
  /// The TLS handshake took too long.
  case tlsTooSlow
  /// The server's certificate is not trusted.
  case certificateUntrusted
  /// The server's certificate is for another host name.
  case certificateOfAnother
}
