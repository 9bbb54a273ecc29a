/// The bodies of the responses that are plain text, not HTML or JSON.
enum PlainText {
  static let healthy = "ok\n"
  static let index = "record-service: CloudKit Web Services for your own records\n"
}
