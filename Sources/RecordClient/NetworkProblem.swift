/// What went wrong on the way to a service; the raw value says it in English.
public enum NetworkProblem: String, Sendable, CaseIterable {
  case addressUnusable = "the address cannot be used"
  case nameUnknown = "the name is not known"
  case noNetwork = "no way to the network"
  case noConnection = "no connection"
  case connectionRefused = "connection refused"
  case connectionCut = "the connection was cut"
  case tooSlow = "it took too long"
  case proxyPasswordAsked = "the proxy asks for a password"
  case proxyRefused = "the proxy refused"
  case proxyTooSlow = "the proxy: it took too long"
  case tlsFailed = "TLS failed"
  case tlsTooSlow = "TLS: it took too long"
  case certificateUntrusted = "TLS: the certificate is not trusted"
  case certificateOfAnother = "TLS: the certificate is for another name"
}
