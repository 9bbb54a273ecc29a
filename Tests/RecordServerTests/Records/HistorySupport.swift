import CloudRecords
import Foundation
import GRDB
import Testing

@testable import RecordServer
@testable import RecordServiceSupport

/// A copy of everything that a service has stored, which can be put back without its knowledge.
struct StorageCopy {
  /// Puts the copy back.
  let putBack: () async throws -> Void

  init(of fixture: ServiceFixture) async throws {
    if let storage = fixture.storage as? SQLiteRecordStorage {
      let copy = try DatabaseQueue()
      try storage.database.backup(to: copy)
      putBack = { try copy.backup(to: storage.database) }
      return
    }
    let database = try fixture.database
    let tables = try await fixture.rowCounts().keys.sorted()
    let name = "copy_\(UInt32.random(in: .min ... .max))"
    try await database.write { connection in
      _ = try connection.run("CREATE SCHEMA \(name)", [])
      for table in tables {
        _ = try connection.run("CREATE TABLE \(name).\(table) AS TABLE \(table)", [])
      }
    }
    putBack = {
      try await database.write { connection in
        for table in tables { _ = try connection.run("DELETE FROM \(table)", []) }
        for table in tables {
          _ = try connection.run("INSERT INTO \(table) TABLE \(name).\(table)", [])
        }
      }
    }
  }
}

extension ServiceFixture {
  /// The history report of a request about one zone.
  func report(
    _ witness: String? = nil, zone: ZoneID = .default,
    at address: DatabaseAddress = ServiceFixture.private,
    by caller: Caller = ServiceFixture.an
  ) async throws -> HistoryReport {
    try #require(
      await service.lookup(
        .init(records: [.init("any")], zoneID: zone), at: address, by: caller, witness: witness
      ).history)
  }

  /// The newest tag of a zone.
  func newest(
    _ zone: ZoneID = .default, at address: DatabaseAddress = ServiceFixture.private,
    by caller: Caller = ServiceFixture.an
  ) async throws -> String {
    try await report(zone: zone, at: address, by: caller).newest
  }

  /// Updates a record by its change tag.
  func update(_ name: String, tag: String?, at address: DatabaseAddress = ServiceFixture.private)
    async throws
    -> RecordResult
  {
    try #require(
      try await modify([Operation(.update, note(name, ["rank": .int64(9)], tag: tag))], at: address)
        .first)
  }
}

extension RecordService {
  /// Reads the feed of a zone from a token on.
  func read(
    _ token: String? = nil, witness: String? = nil, zone: ZoneID = .default, limit: Int? = nil
  ) async throws -> (page: ItemResult<ChangesZone.Page>, history: HistoryReport) {
    let reported = await changesZone(
      .init(zones: [.init(zone, syncToken: token, resultsLimit: limit)]),
      at: ServiceFixture.private, by: ServiceFixture.an, witness: witness)
    return (try #require(try reported.get().zones.first), try #require(reported.history))
  }
}

extension String {
  /// The number of a change tag.
  var tagNumber: Int64? { ChangeTag(self)?.number }
}
