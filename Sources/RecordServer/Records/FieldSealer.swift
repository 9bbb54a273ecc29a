import CloudRecords
import Crypto
import FoundationEssentials

/// Encrypts the fields that a schema declares ENCRYPTED, with AES-GCM.
///
/// The owner, the zone and the record name are authenticated, so that a sealed value cannot be
/// moved to another record. Encryption protects copies of the storage from readers without the
/// server's secret. The server itself can read all fields.
struct FieldSealer: Sendable {
  private let key: SymmetricKey

  init(key: SymmetricKey) {
    self.key = key
  }

  /// Encrypts fields of a record.
  ///
  /// - Returns: nil if there are no fields.
  func seal(_ fields: [String: Field], of name: String, in scope: Scope) throws -> Data? {
    guard !fields.isEmpty else { return nil }
    let box = try AES.GCM.seal(
      CanonicalJSON.encode(fields), using: key, authenticating: Self.label(name, scope))
    return box.combined
  }

  /// Decrypts fields of a record.
  func open(_ sealed: Data, of name: String, in scope: Scope) throws -> [String: Field] {
    let box = try AES.GCM.SealedBox(combined: sealed)
    return try CanonicalJSON.decode(
      AES.GCM.open(box, using: key, authenticating: Self.label(name, scope)))
  }

  private static func label(_ name: String, _ scope: Scope) -> Data {
    Data(bigEndian: scope.owner.rawValue) + Data(bigEndian: scope.incarnation) + Data(name.utf8)
  }
}

extension FieldSealer {
  /// The fields of a stored record, including the encrypted ones; empty for a tombstone.
  ///
  /// - Throws: a `StorageFailure` if the content is damaged, or was sealed with another key.
  func fields(of row: RecordRow, in scope: Scope) throws -> [String: Field] {
    guard !row.isDeleted else { return [:] }
    guard var fields = try? CanonicalJSON.decode(row.content) else {
      throw StorageFailure.failed(.damaged(.record))
    }
    if let sealed = row.sealed {
      guard let encrypted = try? open(sealed, of: row.name, in: scope) else {
        throw StorageFailure.failed(.damaged(.encryptedFields))
      }
      fields.merge(encrypted) { $1 }
    }
    return fields
  }

  /// Encodes the fields of a record into its row, the encrypted ones separately.
  func put(_ fields: [String: Field], into row: inout RecordRow, in scope: Scope) throws {
    row.content = try CanonicalJSON.encode(fields.filter { !$0.value.isEncrypted })
    row.sealed = try seal(fields.filter(\.value.isEncrypted), of: row.name, in: scope)
  }
}
