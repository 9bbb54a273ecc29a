/// The reason why a connection to a service failed. The raw values are stored in the library.
public enum NetworkProblem: String, Sendable, CaseIterable {
  /// libcurl is not installed or is too old.
  case curlUnavailable = "libraryMissing"
  /// libcurl rejects the URL.
  case invalidURL = "addressUnusable"
  /// The host name cannot be resolved.
  case hostNotFound = "nameUnknown"
  /// The network or host is not reachable.
  case networkUnreachable = "noNetwork"
  /// The connection could not be established for another reason.
  case connectionFailed = "noConnection"
  /// The host refuses connections on the port.
  case connectionRefused
  /// The connection was closed before the response was complete.
  case connectionClosed = "connectionCut"
  /// The connection or the response took too long.
  case timedOut = "tooSlow"
  /// The host name of the proxy cannot be resolved.
  case proxyNotFound = "proxyUnknown"
  /// The proxy requires a password.
  case proxyAuthenticationRequired = "proxyPasswordAsked"
  /// The proxy rejected the connection.
  case proxyRefused
  /// The TLS handshake failed.
  case tlsFailed
  /// The TLS handshake took too long.
  case tlsTimedOut = "tlsTooSlow"
  /// The server's certificate is not trusted.
  case certificateUntrusted
  /// The server's certificate is for another host name.
  case certificateHostMismatch = "certificateOfAnother"
}
