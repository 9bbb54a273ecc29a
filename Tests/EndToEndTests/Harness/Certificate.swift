import TestSupport

/// A self-signed certificate of a test, and its key, in PEM.
struct Certificate {
  /// The host name in the certificate.
  let name: String
  let file: String
  let key: String

  init(for name: String, in home: Home) throws {
    self.name = name
    (file, key) = ("\(home.path)/certificate.pem", "\(home.path)/key.pem")
    let made = try Outcome.of(
      Program.installed("openssl"),
      [
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
        "-days", "2", "-subj", "/CN=\(name)", "-addext", "subjectAltName=DNS:\(name)",
        "-keyout", key, "-out", file,
      ], environment: home.environment, directory: home.path)
    guard made.ending == .exited(0) else { throw Failure("openssl: \(made)") }
  }
}
