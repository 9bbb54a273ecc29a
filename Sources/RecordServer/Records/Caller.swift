/// Who asks: someone signed in. Where there is none, anybody with an API token.
public struct Caller: Hashable, Sendable {
  public let account: Int64
  /// `_` and 32 hexadecimal digits: another in every container.
  public let userRecordName: String
  /// The session that is not told of the changes it makes itself; nil for none.
  public let session: String?

  public init(account: Int64, userRecordName: String, session: String? = nil) {
    self.account = account
    self.userRecordName = userRecordName
    self.session = session
  }
}
