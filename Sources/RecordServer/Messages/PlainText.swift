/// The bodies of plain-text responses. Other responses are HTML or JSON.
enum PlainText {
  static let healthy = "ok\n"
  static let index = "record-service: CloudKit Web Services for your own records\n"
}
