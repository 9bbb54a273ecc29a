import NIOSSL

/// Certificates of those who are trusted to tell which servers are what they say.
///
/// They replace the system's, as curl and OpenSSL do with `SSL_CERT_FILE`: a file that is to
/// add one has the system's in it too.
public struct Authorities: Sendable {
  static let variable = "SSL_CERT_FILE"

  let certificates: [NIOSSLCertificate]

  /// - Parameter path: a file of certificates in PEM form.
  public init(file path: String) throws(ClientOptions.Problem) {
    guard let certificates = try? NIOSSLCertificate.fromPEMFile(path), !certificates.isEmpty else {
      throw .authorities(variable: Self.variable, path: path)
    }
    self.certificates = certificates
  }
}
