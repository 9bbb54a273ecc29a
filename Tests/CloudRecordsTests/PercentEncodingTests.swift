import CloudRecords
import Testing

struct PercentEncodingTests {
  @Test(arguments: [
    ("", ""), ("aZ09-._~", "aZ09-._~"), ("+/= ", "%2B%2F%3D%20"), ("ệ", "%E1%BB%87"),
    ("\u{1}&?#%", "%01%26%3F%23%25"),
  ])
  func percentEncodedTextIsDecodedAgain(_ text: String, _ encoded: String) {
    #expect(PercentEncoding.encode(text) == encoded)
    #expect(PercentEncoding.decode(encoded) == text)
  }

  @Test(arguments: ["%", "%4", "%4g", "%-1", "a%", "%ff", "%C3"])
  func invalidPercentEncodingIsRejected(_ text: String) {
    #expect(PercentEncoding.decode(text) == nil)
  }
}
