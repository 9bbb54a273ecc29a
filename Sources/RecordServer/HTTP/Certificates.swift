import Dispatch
import Glibc
import Logging
import NIOConcurrencyHelpers
import NIOCore
import NIOSSL

/// The certificates and the key for TLS. They are read again when their files have changed, so that
/// a renewed certificate needs no restart.
final class Certificates: Sendable {
  /// The configuration for new connections. Each handshake uses the newest certificates.
  let configuration: TLSConfiguration

  /// Reads the files.
  ///
  /// - Parameter logger: the logger for changed files that cannot be used; the former certificates
  ///   stay in use then.
  /// - Throws: `certificates`, `exposedKey`.
  init(_ files: WebOptions.TLSFiles, logger: Logger) throws(WebServerFailure) {
    let first = try Loaded(files)
    var configuration = first.configuration
    let newest = NIOLockedValueBox(first)
    // Read the files on another thread than that of the handshake: BoringSSL stores errors for
    // each thread, and the errors of a file that cannot be used would end the handshake.
    let queue = DispatchQueue(label: "certificates")
    configuration.sslContextCallback = { _, promise in
      queue.async { promise.succeed(Self.reload(newest, from: files, logger).override) }
    }
    self.configuration = configuration
  }

  /// Returns the content of the files, or the last content that could be used.
  private static func reload(
    _ newest: NIOLockedValueBox<Loaded>, from files: WebOptions.TLSFiles, _ logger: Logger
  ) -> Loaded {
    newest.withLockedValue { (loaded: inout Loaded) -> Loaded in
      guard let stamps = FileStamp.stamps(of: files), stamps != loaded.stamps else {
        return loaded
      }
      do throws(WebServerFailure) {
        loaded = try Loaded(files)
      } catch {
        // Do not try again before the next change.
        loaded.stamps = stamps
        logger.error(LogMessage.certificatesNotReloaded, metadata: ["error": "\(error.sentence)"])
      }
      return loaded
    }
  }
}

/// What the files contained when they were read.
private struct Loaded {
  var stamps: [FileStamp]
  let chain: [NIOSSLCertificateSource]
  let key: NIOSSLPrivateKey

  init(_ files: WebOptions.TLSFiles) throws(WebServerFailure) {
    // Examine the files before they are read, so that a change in the meantime is noticed later.
    guard let stamps = FileStamp.stamps(of: files), let keyMode = stamps.last?.mode else {
      throw .certificates(path: access(files.key, F_OK) == 0 ? files.certificates : files.key)
    }
    // The group may read the key: Debian's `ssl-cert` is for that.
    guard keyMode & 0o007 == 0 else { throw .exposedKey(path: files.key) }
    self.stamps = stamps
    do {
      chain = try NIOSSLCertificate.fromPEMFile(files.certificates).map { .certificate($0) }
    } catch {
      throw .certificates(path: files.certificates)
    }
    do { key = try NIOSSLPrivateKey(file: files.key, format: .pem) } catch {
      throw .certificates(path: files.key)
    }
    // Creating the context fails if the key does not belong to the certificate.
    do { _ = try NIOSSLContext(configuration: configuration) } catch {
      throw .certificates(path: files.key)
    }
  }

  var configuration: TLSConfiguration {
    var configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: chain, privateKey: .privateKey(key))
    configuration.minimumTLSVersion = .tlsv12
    // Only suites with authenticated encryption and forward secrecy (RFC 9325, 4.2). All suites of
    // TLS 1.3 have both.
    configuration.cipherSuiteValues = [
      .TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, .TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
      .TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, .TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
      .TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256,
      .TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
    ]
    configuration.applicationProtocols = ["http/1.1"]
    // Limit the wait for the client's `close_notify`.
    configuration.shutdownTimeout = .seconds(1)
    return configuration
  }

  var override: NIOSSLContextConfigurationOverride {
    var override = NIOSSLContextConfigurationOverride()
    override.certificateChain = chain
    override.privateKey = .privateKey(key)
    return override
  }
}

/// The properties of a file that differ after it was changed or replaced.
private struct FileStamp: Equatable {
  private let numbers: [Int64]
  let mode: mode_t

  /// The stamps of the certificates and of the key; nil if one of the files cannot be examined.
  static func stamps(of files: WebOptions.TLSFiles) -> [FileStamp]? {
    guard let certificates = FileStamp(files.certificates), let key = FileStamp(files.key) else {
      return nil
    }
    return [certificates, key]
  }

  private init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    numbers = [
      Int64(bitPattern: UInt64(status.st_dev)), Int64(bitPattern: UInt64(status.st_ino)),
      Int64(status.st_size), Int64(status.st_mtim.tv_sec), Int64(status.st_mtim.tv_nsec),
      Int64(status.st_ctim.tv_sec), Int64(status.st_ctim.tv_nsec),
    ]
    mode = status.st_mode
  }
}
