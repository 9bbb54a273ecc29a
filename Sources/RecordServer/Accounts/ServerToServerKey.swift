public import CloudRecords
import Crypto
import FoundationEssentials

/// The public key of a program that signs its requests instead of signing a user in.
///
/// It is used in the public database of one container, and acts as an account.
public struct ServerToServerKey: Hashable, Sendable, Identifiable {
  /// The number of the key in the database.
  public let id: Int64
  /// The ID that requests name: 64 hexadecimal digits.
  public let keyID: String
  /// What the key permits.
  public let terms: ServerToServerKeyTerms
  /// The time of creation, in milliseconds since 1970, UTC.
  public let createdAt: Int64
}

/// What a server-to-server key permits.
public struct ServerToServerKeyTerms: Hashable, Sendable {
  /// The name of the program.
  public let label: String
  /// The container that the program can use.
  public let container: ContainerID
  /// The environment that the program can use; nil for both.
  public let environment: ContainerEnvironment?
  /// The account as which the program acts.
  public let account: Account.ID
  /// The point of the public key on P-256, in the uncompressed form of X9.63.
  let publicKey: Data
}

extension ServerToServerKeyTerms {
  /// Checks and stores the terms.
  ///
  /// - Parameter pem: an ECDSA public key on P-256 in PEM, as `openssl ec -pubout` writes it.
  /// - Throws: the first problem that is found.
  public init(
    label: String, container: ContainerID, environment: ContainerEnvironment? = nil,
    account: Account, pem: String
  ) throws(ServerToServerKeyProblem) {
    guard label.contains(where: { !$0.isWhitespace }),
      label.unicodeScalars.count <= APITokenTerms.labelLimit
    else { throw .label(limit: APITokenTerms.labelLimit) }
    guard let key = try? P256.Signing.PublicKey(pemRepresentation: pem) else {
      // A private key must not be given away, so it is not accepted in place of the public one.
      throw pem.contains("PRIVATE KEY") ? .privateKey : .publicKey
    }
    self.init(
      label: label, container: container, environment: environment, account: account.id,
      publicKey: key.x963Representation)
  }
}

/// The reason why a server-to-server key cannot be created.
public enum ServerToServerKeyProblem: Error, Hashable, Sendable {
  /// The label is blank or has more Unicode scalars than the limit.
  case label(limit: Int)
  /// The text is not an ECDSA public key on P-256 in PEM.
  case publicKey
  /// The text is a private key.
  case privateKey
}
