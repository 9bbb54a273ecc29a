import CloudRecords
import Foundation
import GRDB
import TestSupport
import Testing

@testable import RecordServer
@testable import RecordServiceSupport

@Suite(.onlySQLite) struct ServiceIDTests {
  /// A file as it was written before services had ids.
  ///
  /// - Parameter seed: the seed of the first account; nil for a file without accounts.
  private func oldFile(_ path: String, epoch: Int64 = 7, seed: Data? = nil) async throws {
    let queue = try DatabaseQueue(path: path)
    try RecordTables.migrator.migrate(queue, upTo: "records-1")
    if seed != nil { try AccountTables.migrator.migrate(queue) }
    try await queue.write { database in
      try database.execute(
        sql: """
          INSERT INTO environment (container, environment, schema, version, epoch)
          VALUES ('iCloud.org.example.tests', 'production', 'DEFINE SCHEMA', 1, ?)
          """, arguments: [epoch])
      guard let seed else { return }
      try database.execute(
        sql: """
          INSERT INTO account (name, password, password_epoch, seed, created_at)
          VALUES ('an', '', 1, ?, 1), ('binh', '', 1, randomblob(16), 1)
          """, arguments: [seed])
    }
    try queue.close()
  }

  private func id(_ path: String) async throws -> String {
    let storage = try SQLiteRecordStorage(path: path)
    #expect(try await storage.read { try $0.serviceID() } == storage.serviceID)
    try storage.close()
    return storage.serviceID
  }

  @Test func aNewFileHasAnIDThatStays() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/records.sqlite"
    let first = try await id(path)
    #expect(Hex.isDigits(first, count: 32))
    #expect(try await id(path) == first)
    #expect(try await id(directory.path + "/other.sqlite") != first)
  }

  @Test func copiesOfAnOldFileHaveTheSameID() async throws {
    let directory = try TemporaryDirectory()
    var ids: [String] = []
    for seed in [nil, Data(repeating: 1, count: 16), Data(repeating: 2, count: 16)] {
      let name = "\(directory.path)/\(ids.count)"
      try await oldFile(name, seed: seed)
      try FileManager.default.copyItem(atPath: name, toPath: name + "-copy")
      ids.append(try await id(name))
      #expect(try await id(name + "-copy") == ids.last)
    }
    try await oldFile(directory.path + "/epoch", epoch: 8)
    ids.append(try await id(directory.path + "/epoch"))
    #expect(Set(ids).count == 4)
    // A restore changes the epochs, but not the id of the service.
    try await oldFile(directory.path + "/restored", epoch: 9, seed: Data(repeating: 1, count: 16))
    #expect(try await id(directory.path + "/restored") == ids[1])
  }
}
