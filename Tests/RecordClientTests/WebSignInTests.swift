import CloudRecords
import Testing

@testable import RecordClient

struct WebSignInTests {
  private let address = try! ServiceAddress(
    "https://sync.example.org:8443", container: container, environment: .production)

  @Test func theURLOfTheSignInPageNamesTheDelivery() {
    #expect(
      WebSignIn.url(
        at: address, apiToken: "0a1b", delivery: .callback("http://127.0.0.1:8080/a-b_c"),
        language: "vi")
        == "https://sync.example.org:8443/sign-in?ckAPIToken=0a1b"
        + "&callback=http%3A%2F%2F127.0.0.1%3A8080%2Fa-b_c&lang=vi")
    #expect(
      WebSignIn.url(at: address, apiToken: "a&b", delivery: .code)
        == "https://sync.example.org:8443/sign-in?ckAPIToken=a%26b&way=code")
  }

  @Test func redirectsMustUseHTTPSOrTheOriginOfTheService() throws {
    let apple = "https://idmsa.apple.com/IDMSWebAuth/auth?oauth_token=a%2Bb&x=1#y"
    #expect(try WebSignIn.checkedRedirectURL(apple, of: address) == apple)
    let own = try ServiceAddress(
      "http://127.0.0.1:8080", container: container, environment: .production)
    let page = "http://127.0.0.1:8080/sign-in?x"
    #expect(try WebSignIn.checkedRedirectURL(page, of: own) == page)
    #expect(throws: AddressProblem.notSecure) {
      try WebSignIn.checkedRedirectURL(page, of: address)
    }
    #expect(throws: AddressProblem.notSecure) {
      try WebSignIn.checkedRedirectURL("http://127.0.0.1:8081/", of: own)
    }
  }

  @Test(arguments: [
    ("javascript:alert(1)", AddressProblem.scheme), ("file:///etc/passwd", .scheme),
    ("--help", .scheme), ("", .scheme), ("https://a/\u{1B}[0m", .characters),
    ("https://a/\n", .characters), ("https://a@b/", .userInfo),
  ])
  func otherRedirectsAreRejected(_ url: String, _ problem: AddressProblem) {
    #expect(throws: problem) { try WebSignIn.checkedRedirectURL(url, of: address) }
  }

  @Test(arguments: [
    ("106__54__ab+/=", "106__54__ab+/="), ("  token\r\n", "token"), ("a%2Bb%2F%3D", "a+b/="),
    ("a b", "a+b"), ("a%20b", "a+b"), ("ckWebAuthToken=a%2Bb", "a+b"), ("ckSession=s", "s"),
    ("https://example.org/back?ckWebAuthToken=a+b%2F&x=1", "a+b/"),
    ("https://example.org/back?x=1&ckSession=s#y", "s"),
    ("https://example.org/back#ckWebAuthToken=t==", "t=="),
    ("https://example.org/#x=1&ckSession=s", "s"), ("?ckWebAuthToken=t", "t"),
    (" #ckWebAuthToken=t ", "t"), ("https://a/?ckSession=s&ckWebAuthToken=t", "t"),
    ("\nhttps://a/?ckWebAuthToken=t\n", "t"),
    ("", nil), ("   ", nil), ("https://example.org/back", nil), ("https://a/?x=1", nil),
    ("https://a/?ckWebAuthToken=", nil), ("ckWebAuthToken=%00", nil), ("a%", nil),
    ("a\tb", nil), ("một", nil), ("one\ntwo", nil), ("a%0Ab", nil),
  ])
  func theTokenInPastedText(_ text: String, _ token: String?) {
    #expect(WebSignIn.token(inPastedText: text) == token)
  }

  @Test func aTokenHasAtMost4096Bytes() {
    let longest = String(repeating: "a", count: 4096)
    #expect(WebSignIn.token(inPastedText: longest) == longest)
    #expect(WebSignIn.token(inPastedText: longest + "a") == nil)
  }
}
