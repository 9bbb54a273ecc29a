import CloudRecords
import Foundation
import NIOSSL
import TestSupport
import Testing

@testable import RecordClient
@testable import RecordServiceSupport

/// Certificates created for one test.
struct ThrowawayAuthority {
  let directory: TemporaryDirectory

  static let openssl = ["/usr/bin/openssl", "/usr/local/bin/openssl", "/opt/homebrew/bin/openssl"]
    .first { FileManager.default.isExecutableFile(atPath: $0) }

  var authority: String { directory.path + "/ca.pem" }

  init(name: String = "IP:127.0.0.1") throws {
    directory = try TemporaryDirectory()
    try openssl(
      "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=Test "
        + "-addext basicConstraints=critical,CA:TRUE -keyout ca.key -out ca.pem")
    try openssl(
      "req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=server "
        + "-keyout server.key -out server.csr")
    try "subjectAltName=\(name)\nbasicConstraints=CA:FALSE\n".write(
      toFile: directory.path + "/ext", atomically: false, encoding: .utf8)
    try openssl(
      "x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile ext "
        + "-out server.pem")
  }

  var server: TLSConfiguration {
    get throws {
      .makeServerConfiguration(
        certificateChain: try NIOSSLCertificate.fromPEMFile(directory.path + "/server.pem")
          .map { .certificate($0) },
        privateKey: .privateKey(
          try NIOSSLPrivateKey(file: directory.path + "/server.key", format: .pem)))
    }
  }

  private func openssl(_ arguments: String) throws {
    let process = Process()
    process.executableURL = URL(filePath: try #require(Self.openssl))
    process.arguments = arguments.split(separator: " ").map(String.init)
    process.currentDirectoryURL = URL(filePath: directory.path)
    process.standardError = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
  }
}

@Suite(.enabled(if: ThrowawayAuthority.openssl != nil, "the openssl command is not installed"))
struct TLSTests {
  @Test func anAuthorityOfTheEnvironmentIsTrusted() async throws {
    let certificates = try ThrowawayAuthority()
    let options = try ClientOptions.environment(["SSL_CERT_FILE": certificates.authority])
    try await FakeService.run(.answering { _ in .json(#"{"zones":[]}"#) }, tls: certificates.server)
    {
      service in
      try await withClient(of: service, options) { client in
        let answer = try await client.call(ZonesList.self, EmptyBody())
        #expect(answer.zones.isEmpty)
        let notification = try await client.notification(at: service.origin + "/p")
        #expect(notification == PushNotification())
      }
    }
  }

  @Test func anUnknownAuthorityIsNotTrusted() async throws {
    let certificates = try ThrowawayAuthority()
    let other = try ThrowawayAuthority()
    for variables in [[:], ["SSL_CERT_FILE": other.authority]] {
      let options = try ClientOptions.environment(variables)
      try await FakeService.run(.answering { _ in .json("{}") }, tls: certificates.server) {
        service in
        try await withClient(of: service, options) { client in
          #expect(
            await failure(of: client)
              == .unreachable(.certificateUntrusted))
          #expect(service.requests.isEmpty)
        }
      }
    }
  }

  @Test func aCertificateOfAnotherNameIsNotTrusted() async throws {
    let certificates = try ThrowawayAuthority(name: "DNS:other.example")
    let options = try ClientOptions.environment(["SSL_CERT_FILE": certificates.authority])
    try await FakeService.run(.answering { _ in .json("{}") }, tls: certificates.server) {
      service in
      try await withClient(of: service, options) { client in
        #expect(
          await failure(of: client)
            == .unreachable(.certificateHostMismatch))
        #expect(service.requests.isEmpty)
      }
    }
  }

  @Test func aServerWithoutTLSIsUnreachable() async throws {
    try await FakeService.run(.answering { _ in .json("{}") }) { service in
      let origin = "https://127.0.0.1:\(service.port)"
      try await withClient(at: origin, ClientOptions()) { client in
        #expect(await failure(of: client) == .unreachable(.tlsFailed))
      }
    }
  }
}
