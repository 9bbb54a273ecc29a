/// The bodies of the responses in plain text.
enum PlainText {
  static let healthy = "ok\n"
  static let index = "record-service: CloudKit Web Services for your own records\n"
}
