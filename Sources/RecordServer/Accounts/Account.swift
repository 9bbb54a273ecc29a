public import CloudRecords
import Crypto
import FoundationEssentials

/// The account of a user.
public struct Account: Hashable, Sendable, Identifiable {
  /// The number of the account. It is not used again after the account is deleted.
  public let id: Int64
  /// The name in the normalized form of `AccountName`; unique.
  public let name: String
  /// The time of creation, in milliseconds since 1970, UTC.
  public let createdAt: Int64
  /// The random bytes from which the user's record names are derived. They are independent of the
  /// server's key, so that the names stay the same if a backup is restored without the key.
  let seed: [UInt8]
  /// The number of the current password: 1 for the first one. A sign-in that began with an earlier
  /// password fails, because its number is different.
  let passwordVersion: Int64

  /// Returns the user's record name in a container: `_` and 32 hexadecimal digits. It is always the
  /// same in one container, and nobody can compute it from the name in another container.
  public func userRecordName(in container: ContainerID) -> String {
    let code = HMAC<SHA256>.authenticationCode(
      for: Array("user record name\u{0}\(container.name)".utf8), using: SymmetricKey(data: seed))
    return "_" + Hex.text(code.prefix(16))
  }
}

/// An account with the hash of its password.
struct StoredAccount: Hashable, Sendable {
  /// The account.
  let account: Account
  /// The hash of the account's password.
  let password: PasswordHash
}

/// The values of an account that is to be created.
struct NewAccount: Hashable, Sendable {
  /// The account's name.
  var name: AccountName
  /// The hash of the account's password.
  var password: PasswordHash
  /// The 16 random bytes from which user record names are derived.
  var seed: [UInt8]
  /// The time of creation, in milliseconds since 1970, UTC.
  var createdAt: Int64
}

/// The result of creating an account.
enum AccountInsertion: Hashable, Sendable {
  /// The account was created.
  case inserted(Account)
  /// Another account has the name; nothing was changed.
  case nameTaken
  /// The invitation does not exist, has expired or was used; nothing was changed.
  case invitationUnusable
}
