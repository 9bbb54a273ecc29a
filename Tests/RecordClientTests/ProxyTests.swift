import AsyncHTTPClient
import Foundation
import NIOHTTP1
import TestSupport
import Testing

@testable import RecordClient

struct ProxyTests {
  private static let url = "https://sync.example.org"

  @Test(
    arguments: [
      ([:], nil),
      (["HTTPS_PROXY": "http://p:3128"], "http://p:3128"),
      (["https_proxy": "http://a:1", "HTTPS_PROXY": "http://b:2"], "http://a:1"),
      (["https_proxy": "", "HTTPS_PROXY": "http://b:2"], "http://b:2"),
      (["ALL_PROXY": "socks5://s:1080"], "socks5://s:1080"),
      (["all_proxy": "socks5h://s"], "socks5://s:1080"),
      (["https_proxy": "http://p:1", "ALL_PROXY": "socks5://s:2"], "http://p:1"),
      (["http_proxy": "http://p:1"], nil), (["HTTP_PROXY": "http://p:1"], nil),
      (["https_proxy": "p:3128"], "http://p:3128"), (["https_proxy": "p"], "http://p:1080"),
      (["https_proxy": "HTTP://P:3128/"], "http://p:3128"),
      (["https_proxy": "http://[::1]:3128"], "http://[::1]:3128"),
      (["https_proxy": "http://user:pass@p:3128"], "http://p:3128"),
    ] as [([String: String], String?)])
  func theEnvironmentNamesAProxy(_ variables: [String: String], _ proxy: String?) throws {
    #expect(try Proxies(variables).server(for: Self.url)?.description == proxy)
  }

  @Test func httpHasAProxyOfItsOwnInLowerCase() throws {
    let url = "http://sync.example.org"
    #expect(try Proxies(["http_proxy": "p:1"]).server(for: url)?.port == 1)
    #expect(try Proxies(["HTTP_PROXY": "p:1"]).server(for: url) == nil)
    #expect(try Proxies(["https_proxy": "p:1"]).server(for: url) == nil)
    #expect(try Proxies(["ALL_PROXY": "p:1"]).server(for: url)?.port == 1)
  }

  @Test(arguments: [
    ("", true), ("*", false), ("example.org", false), (".example.org", false),
    ("sync.example.org", false), ("SYNC.example.org", false), ("xample.org", true),
    ("a.sync.example.org", true), ("org", false), ("other.net, example.org", false),
    ("other.net example.org", false), ("example.org.", false), ("example.org:443", false),
    ("example.org:8443", true), ("other.net,,", true), ("192.0.2.1", true),
  ])
  func someHostsHaveNone(_ exceptions: String, _ isProxied: Bool) throws {
    for name in ["no_proxy", "NO_PROXY"] {
      let proxies = try Proxies(["https_proxy": "p:1", name: exceptions])
      #expect((proxies.server(for: Self.url) != nil) == isProxied)
    }
  }

  @Test(arguments: [
    ("https://192.0.2.1", "192.0.2.1"), ("https://[2001:db8::1]", "2001:DB8:0::1"),
    ("https://[2001:db8::1]:8443", "[2001:db8::1]:8443"), ("https://a.example.org.", "example.org"),
  ])
  func addressesAreNamesToo(_ url: String, _ exceptions: String) throws {
    #expect(try Proxies(["https_proxy": "p:1"]).server(for: url) != nil)
    #expect(try Proxies(["https_proxy": "p:1", "no_proxy": exceptions]).server(for: url) == nil)
  }

  @Test(arguments: [
    "http://127.0.0.1:8080", "http://localhost", "https://[::1]", "https://127.1.1.1",
  ])
  func thisMachineIsNeverReachedByOne(_ url: String) throws {
    #expect(try Proxies(["https_proxy": "p:1", "http_proxy": "p:1"]).server(for: url) == nil)
  }

  @Test(arguments: [
    "https://p:3128", "socks4://p:1", "ftp://p", "http://", "http://p:0", "http://p:x",
    "http://a b",
    "http://p/path", "http://%zz@p:1", "://p",
  ])
  func whatIsNoProxyIsAnErrorThatDoesNotQuoteIt(_ text: String) {
    let problem = ClientOptions.Problem.proxy(variable: "https_proxy")
    #expect(throws: problem) { try ClientOptions.environment(["https_proxy": text]) }
    #expect(problem.description.hasPrefix("https_proxy is not the URL of a proxy"))
  }

  @Test func aPasswordIsReadAndNotShown() throws {
    let server = try ProxyServer("http://us%40er:p%3Ass:w@p:1", from: "https_proxy")
    #expect(server.user == "us@er")
    #expect(server.password == "p:ss:w")
    #expect(server.configuration.authorization != nil)
    for shown in ["\(server)", String(reflecting: server), dumped(server)] {
      #expect(!shown.contains("us@er") && !shown.contains("p:ss"))
    }
    #expect(throws: ClientOptions.Problem.socksPassword(variable: "v")) {
      try ProxyServer("socks5://user:pass@p:1", from: "v")
    }
  }

  @Test(arguments: [
    (407, CallFailure.unreachable(.proxyPasswordAsked)),
    (403, .unreachable(.proxyRefused)), (502, .unreachable(.proxyRefused)),
  ])
  func aProxyIsAskedForTheHostAndToldNoToken(
    _ status: Int, _ expected: CallFailure
  ) async throws {
    try await FakeService.run(.answering { _ in .answer(status: status, headers: [:], body: "") }) {
      proxy in
      let options = try ClientOptions.environment([
        "https_proxy": "http://user:pass@127.0.0.1:\(proxy.port)"
      ])
      try await withClient(at: Self.url, options) { client in
        #expect(await failure(of: client) == expected)
      }
      let request = try #require(proxy.requests.first)
      #expect(proxy.requests.count == 1)
      #expect(request.method == "CONNECT")
      #expect(request.target == "sync.example.org:443")
      #expect(request.headers["proxy-authorization"] == ["Basic dXNlcjpwYXNz"])
    }
  }

  // MARK: Authorities

  @Test func aFileOfAuthoritiesThatIsNotThereIsAnError() throws {
    let directory = try TemporaryDirectory()
    let missing = directory.path + "/missing.pem"
    let empty = directory.path + "/empty.pem"
    try "no certificates\n".write(toFile: empty, atomically: false, encoding: .utf8)
    for path in [missing, empty, directory.path] {
      let problem = ClientOptions.Problem.authorities(variable: "SSL_CERT_FILE", path: path)
      #expect(throws: problem) { try ClientOptions.environment(["SSL_CERT_FILE": path]) }
      #expect(problem.description.hasPrefix("SSL_CERT_FILE names \(path), which cannot be read"))
    }
    #expect(try ClientOptions.environment(["SSL_CERT_FILE": ""]).authorities == nil)
    #expect(try ClientOptions.environment([:]).authorities == nil)
  }
}
