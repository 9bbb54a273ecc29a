/// What went wrong on the way to a service. The raw value is its name, which is stored.
public enum NetworkProblem: String, Sendable, CaseIterable {
  /// libcurl is not installed.
  case libraryMissing
  case addressUnusable
  case nameUnknown
  case noNetwork
  case noConnection
  case connectionRefused
  case connectionCut
  case tooSlow
  case proxyUnknown
  case proxyPasswordAsked
  case proxyRefused
  case tlsFailed
  case tlsTooSlow
  /// The server's certificate is not trusted.
  case certificateUntrusted
  /// The server's certificate is for another name.
  case certificateOfAnother
}
