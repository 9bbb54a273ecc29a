import Glibc

extension WebOptionsProblem {
  /// The problem as an English sentence for the operator.
  public var sentence: String {
    switch self {
    case .plainText(let address):
      "At \(address), passwords would be sent over the network unencrypted; use --tls-certificate "
        + "and --tls-key, or --behind-proxy if a proxy provides TLS."
    case .noURL:
      "With TLS the service has to know its own address; give --url https://HOST."
    case .plainURL(let url): "Clients would find \(url.text) without TLS; give --url https://HOST."
    case .notForThisMachine(let address):
      "An ephemeral service is for programs on this machine alone, without TLS or a proxy; it cannot "
        + "be served at \(address)."
    }
  }
}

extension WebServerFailure {
  /// The failure as an English sentence for the operator.
  public var sentence: String {
    switch self {
    case .cannotListen(let address, let port, EADDRINUSE):
      "Port \(port) of \(address) is in use by another program; end that, or choose another port "
        + "with --port."
    case .cannotListen(let address, let port, let code):
      "The server cannot listen on port \(port) of \(address): \(systemError(code))."
    case .unknownAddress(let address):
      "There is no address '\(address)'; give one of this machine with --address."
    case .certificates(let path):
      "The file \(path) cannot be read, holds no certificate or key in PEM, or the key belongs to "
        + "another certificate."
    case .exposedKey(let path):
      "Other users of this machine can read the TLS key \(path); run chmod o= on it."
    }
  }
}
