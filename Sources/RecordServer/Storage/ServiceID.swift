import Crypto
import FoundationEssentials
import GRDB

/// The permanent ID of a service: 32 hexadecimal digits, stored with its data.
enum ServiceID {
  /// Creates the ID of the service whose file is being migrated.
  ///
  /// A new file gets a random ID. A file that was written before services had IDs gets an ID made
  /// from the random seed of the account with the lowest ID or, without accounts, from the epochs
  /// of the production environments. Copies of the file get the same ID unless these differ.
  static func make(in database: Database) throws -> String {
    var hash = SHA256()
    hash.update(data: Data("record-service id".utf8))
    if let seed = try seed(in: database) {
      hash.update(data: seed)
    } else {
      let epochs = try Int64.fetchAll(
        database,
        sql: """
          SELECT epoch FROM environment WHERE environment = 'production' ORDER BY container
          """)
      for epoch in epochs { hash.update(data: Data(bigEndian: epoch)) }
      if epochs.isEmpty {
        for _ in 0..<2 { hash.update(data: Data(bigEndian: .random(in: .min ... .max))) }
      }
    }
    return Hex.text(hash.finalize().prefix(16))
  }

  /// The random seed of the account with the lowest ID; nil if the file contains no accounts.
  private static func seed(in database: Database) throws -> Data? {
    guard try database.tableExists("account") else { return nil }
    return try Data.fetchOne(database, sql: "SELECT seed FROM account ORDER BY id LIMIT 1")
  }
}
