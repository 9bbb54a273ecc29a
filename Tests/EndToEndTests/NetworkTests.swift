import Foundation
import TestSupport
import Testing

/// The connection from a reader to its service: proxies, certificates and libcurl.
struct NetworkTests {
  private let home: Home

  init() throws {
    home = try Home()
  }

  private func connect(_ origin: String, _ variables: [String: String?]) throws -> Outcome {
    try home.quranVi(
      "sync", "connect", origin, "--paste", "--yes", with: variables,
      input: .text("api\ntoken\n"))
  }

  // MARK: Proxies

  @Test(arguments: [
    (407, "proxy đòi mật khẩu"), (403, "proxy từ chối"), (502, "proxy từ chối"),
  ])
  func aProxyReceivesTheHostButNoToken(_ status: Int, _ message: String) throws {
    let proxy = try FakeServer()
    proxy.answer { _, _ in (status, [:]) }
    let outcome = try connect(
      "https://sync.example.org",
      ["https_proxy": "http://us%40er:p%3Ass@127.0.0.1:\(proxy.port)"])
    #expect(outcome.ending == .exited(4), "\(outcome)")
    #expect(outcome.errors.contains(message), "\(outcome)")
    #expect(!outcome.errors.contains("p:ss") && !outcome.errors.contains("p%3Ass"))
    #expect(proxy.requestedRoutes == ["sync.example.org:443"])
    let head = proxy.newestHead
    #expect(head.hasPrefix("CONNECT sync.example.org:443 HTTP/1.1\r\n"))
    let password = Data("us@er:p:ss".utf8).base64EncodedString()
    #expect(head.contains("Proxy-Authorization: Basic \(password)"))
    #expect(!head.contains("ckAPIToken") && !head.contains("api"))
  }

  /// Only the proxy can resolve the host name of the service.
  @Test(arguments: TunnelProxy.Kind.allCases)
  func syncThroughAProxyRevealsNoSecrets(kind: TunnelProxy.Kind) throws {
    let certificate = try Certificate(for: "sync.test", in: home)
    let service = try Service(certificate: certificate)
    let proxy = try TunnelProxy(kind, to: service.portNumber)
    let variables = ["https_proxy": proxy.url, "SSL_CERT_FILE": certificate.file]
    #expect(try home.quranVi("favorite", "add", "2:255").ending == .exited(0))
    let before = try service.recordCount()
    try service.connect(home, with: variables)
    let synced = try home.quranVi("sync", "now", with: variables)
    #expect(synced.ending == .exited(0), "\(synced)")
    #expect(try service.recordCount() > before)
    #expect(Set(proxy.requestedHosts) == ["sync.test:\(service.portNumber)"])
    let token = try home.contents(of: "data/quran-vi/library.sqlite.credentials")
    for secret in [service.apiToken, "ckAPIToken", "ckWebAuthToken", "favorite", "2:255"] {
      #expect(!proxy.bytes[...].contains(Array(secret.utf8)), "\(secret)")
    }
    #expect(proxy.bytes.count > 1000 && token.contains(service.apiToken))
    // Without the file of certificates, the certificate of the service is refused.
    let refused = try home.quranVi("sync", "now", with: ["https_proxy": proxy.url])
    #expect(refused.ending == .exited(4), "\(refused)")
  }

  @Test(arguments: ["sync.invalid", ".invalid", "other.example,sync.invalid", "*"])
  func hostsInNoProxyAreReachedDirectly(_ exceptions: String) throws {
    let proxy = try FakeServer()
    let outcome = try connect(
      "https://sync.invalid",
      ["https_proxy": "http://127.0.0.1:\(proxy.port)", "no_proxy": exceptions])
    #expect(outcome.ending == .exited(4), "\(outcome)")
    #expect(outcome.errors.contains("không tìm thấy tên máy"), "\(outcome)")
    #expect(proxy.requestedRoutes == [])
  }

  @Test func localhostIsReachedWithoutAProxy() throws {
    let (proxy, server) = (try FakeServer(), try FakeServer())
    let address = "http://127.0.0.1:\(proxy.port)"
    let outcome = try connect(
      server.origin, ["http_proxy": address, "https_proxy": address, "ALL_PROXY": address])
    #expect(outcome.ending == .exited(0), "\(outcome)")
    #expect(proxy.requestedRoutes == [])
  }

  @Test(arguments: [
    ("http://proxy.invalid:3128", "không tìm thấy proxy"), ("http://127.0.0.1:1", "từ chối"),
    ("socks5h://127.0.0.1:1", "từ chối"),
  ])
  func anUnreachableProxyIsReported(_ proxy: String, _ message: String) throws {
    let outcome = try connect("https://sync.example.org", ["https_proxy": proxy])
    #expect(outcome.ending == .exited(4), "\(outcome)")
    #expect(outcome.errors.contains(message), "\(outcome)")
  }

  // MARK: Certificates

  @Test func anUnreadableCertificateFileIsReported() throws {
    let server = try FakeServer()
    try home.write("no certificates\n", to: "empty.pem")
    for name in ["missing.pem", "empty.pem"] {
      let outcome = try connect(server.origin, ["SSL_CERT_FILE": "\(home.path)/\(name)"])
      #expect(outcome.ending == .exited(2), "\(outcome)")
      #expect(outcome.errors.contains("SSL_CERT_FILE"), "\(outcome)")
      #expect(outcome.errors.contains(name), "\(outcome)")
    }
  }

  // MARK: libcurl

  @Test(.enabled(if: Program.canMount, "this place allows no mounts"))
  func withoutLibcurlTheScreenNamesItsPackage() throws {
    let server = try FakeServer()
    #expect(try server.connect(home).ending == .exited(0))
    try home.write(
      """
      for file in $(/sbin/ldconfig -p | sed -n 's/.*libcurl.* => //p'); do
        mount --bind /dev/null "$file"
      done
      exec \(Program.reader().quoted) 2:255
      """, to: "story")
    let tmux = try Tmux("exec unshare -m bash story", in: home, size: Size(100, 30))
    try tmux.wait(for: "the reason in the corner") {
      $0.rows.last?.contains("! thiếu libcurl") == true
    }
    try tmux.type("S")
    try tmux.wait(for: "sudo apt-get install libcurl4")
    try tmux.press("Escape")
    try tmux.wait(for: "the text") { $0.cursorAyah == 255 }
    try tmux.type("f")
    try tmux.wait(for: "the heart") { $0.contains("♥255") }
    try tmux.close()
  }

  @Test(.enabled(if: Program.canMount, "this place allows no mounts"))
  func withoutLibcurlEverythingButSyncWorks() throws {
    let server = try FakeServer()
    func run(_ arguments: String) throws -> Outcome {
      try home.quranViWithoutLibcurl(arguments, input: .text("api\ntoken\n"))
    }
    #expect(try run("favorite add 2:255").ending == .exited(0))
    let missing = try run("sync connect \(server.origin) --paste --yes")
    #expect(missing.ending == .exited(4), "\(missing)")
    #expect(missing.errors.contains("sudo apt-get install libcurl4"), "\(missing)")
    #expect(try run("favorite list").output.shows(Book.text(of: "2:255")))
    #expect(server.requestedRoutes == [])
    #expect(try server.connect(home).ending == .exited(0))
    let later = try run("sync now")
    #expect(later.ending == .exited(4), "\(later)")
    #expect(later.output.contains("libcurl") || later.errors.contains("libcurl"), "\(later)")
  }
}
