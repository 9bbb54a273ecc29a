public import CloudRecords
import Crypto
import FoundationEssentials

/// One who keeps records here.
public struct Account: Hashable, Sendable, Identifiable {
  /// Never given to another, not even after this one is removed.
  public let id: Int64
  /// As `AccountName` writes it; no two accounts have the same.
  public let name: String
  /// Milliseconds since 1970, UTC.
  public let createdAt: Int64
  /// What the user's names in containers are made of; random, and kept with the account
  /// and not derived from the server's key, so that the names survive a restore without it.
  let seed: [UInt8]
  /// Raised with every new password: what a former one was to begin, begins no more.
  let passwordEpoch: Int64

  /// The user's name in a container: `_` and 32 hexadecimal digits, always the same there,
  /// and of no use to find the user's name in another (cloudkit-web-services.md 1.11).
  public func userRecordName(in container: ContainerID) -> String {
    let code = HMAC<SHA256>.authenticationCode(
      for: Array("user record name\u{0}\(container.name)".utf8), using: SymmetricKey(data: seed))
    return "_" + Hex.text(code.prefix(16))
  }
}

/// An account with what proves that it is someone's.
public struct StoredAccount: Hashable, Sendable {
  public let account: Account
  public let password: PasswordHash

  public init(account: Account, password: PasswordHash) {
    self.account = account
    self.password = password
  }
}

/// An account that is to be.
public struct NewAccount: Hashable, Sendable {
  public var name: AccountName
  public var password: PasswordHash
  /// Sixteen random bytes.
  public var seed: [UInt8]
  /// Milliseconds since 1970, UTC.
  public var createdAt: Int64
}

/// What came of making an account.
public enum AccountInsertion: Hashable, Sendable {
  case inserted(Account)
  case nameTaken
  /// There is no such invitation, or not any more; nothing was made.
  case invitationUnusable
}
