import CloudRecords
import Testing

@testable import RecordClient

struct AddressTests {
  private func origin(_ url: String) throws(AddressProblem) -> String {
    try ServiceAddress(url, container: container, environment: .production).origin
  }

  @Test(arguments: [
    ("https://api.apple-cloudkit.com", "https://api.apple-cloudkit.com"),
    ("https://sync.example.org/", "https://sync.example.org"),
    ("HTTPS://Sync.Example.ORG:443", "https://sync.example.org"),
    ("https://sync.example.org:8443", "https://sync.example.org:8443"),
    ("https://sync.example.org:", "https://sync.example.org"),
    ("https://192.0.2.1", "https://192.0.2.1"), ("https://xn--v-nga.vn", "https://xn--v-nga.vn"),
    ("https://[2001:DB8:0::1]:8443", "https://[2001:db8::1]:8443"),
    ("http://localhost", "http://localhost"), ("http://LOCALHOST:80/", "http://localhost"),
    ("http://127.0.0.1:8080", "http://127.0.0.1:8080"), ("http://127.9.9.9", "http://127.9.9.9"),
    ("http://[::1]:8080", "http://[::1]:8080"), ("http://[0:0::0:1]", "http://[::1]"),
  ])
  func anOriginIsCanonical(_ url: String, _ expected: String) throws {
    #expect(try origin(url) == expected)
    #expect(try origin(expected) == expected)
  }

  @Test(arguments: [
    ("", AddressProblem.scheme), ("sync.example.org", .scheme), ("//sync.example.org", .scheme),
    ("ftp://sync.example.org", .scheme), ("https:sync.example.org", .scheme),
    ("file:///etc/passwd", .scheme), ("javascript:alert(1)", .scheme),
    ("http://sync.example.org", .notSecure), ("http://192.168.1.1", .notSecure),
    ("http://128.0.0.1", .notSecure), ("http://127.0.0.1.example.org", .notSecure),
    ("http://127.1", .notSecure), ("http://localhost.example.org", .notSecure),
    ("http://[::2]", .notSecure), ("http://0.0.0.0", .notSecure),
    ("https://user@sync.example.org", .userInfo), ("https://a:b@sync.example.org", .userInfo),
    ("https://sync.example.org/path", .path), ("https://sync.example.org//", .path),
    ("https://sync.example.org?q", .path), ("https://sync.example.org#f", .path),
    ("https://", .host), ("https://:443", .host), ("https://a..b", .host), ("https://.a", .host),
    ("https://[::1", .host), ("https://[1.2.3.4]", .host), ("https://[v1.a]", .host),
    ("https://a%20b", .host), ("https://a*b", .host), ("https://[::1]x", .port),
    ("https://a:0", .port), ("https://a:65536", .port), ("https://a:x", .port),
    ("https://a:+1", .port), ("https://a:1:2", .port),
    ("https://a\n", .characters), (" https://a", .characters), ("https://a\u{7F}", .characters),
    ("https://ví.vn", .characters), ("https://a\\b", .characters), ("https://a\u{0}", .characters),
  ])
  func invalidAddressesAreRefused(_ url: String, _ problem: AddressProblem) {
    #expect(throws: problem) { try origin(url) }
  }
}
