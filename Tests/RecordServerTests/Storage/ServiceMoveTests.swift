import CloudRecords
import Crypto
import Foundation
import TestSupport
import Testing

@testable import RecordServer
@testable import RecordServiceSupport

/// A service that is moved from SQLite to PostgreSQL and back.
@Suite(.onlyPostgreSQL) struct ServiceMoveTests {
  /// The tables that only a service on PostgreSQL has. On SQLite their contents are in a file or in
  /// memory.
  private static let onlyInPostgreSQL: Set = [
    "secret", "notification", "poll", "sign_in_failure", "known_address",
  ]

  private let directory: TemporaryDirectory
  private let postgreSQL: TestDatabase

  init() throws {
    directory = try TemporaryDirectory()
    postgreSQL = try PostgreSQLServer.shared.get().makeDatabase()
  }

  // MARK: Services

  /// The paths of a service on SQLite.
  private struct Files {
    let directory: String
    var database: String { directory + "/records.sqlite" }
    var key: String { directory + "/server.key" }

    var names: [String] {
      get throws { try FileManager.default.contentsOfDirectory(atPath: directory).sorted() }
    }
  }

  private func files(_ name: String) throws -> Files {
    let path = directory.path + "/" + name
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    return Files(directory: path)
  }

  /// A service that has rows in all of its tables.
  private func service(in files: Files) async throws -> ServiceFixture {
    let factory = StorageFactory(testDescription: "SQLite on disk") { _ in
      try SQLiteRecordStorage(path: files.database)
    }
    let fixture = try await ServiceFixture.withAssets(factory)
    let accounts = AccountService(
      storage: try await fixture.storage.accounts,
      key: try ServerKey.load(path: files.key) { count in
        (0..<count).map { _ in .random(in: .min ... .max) }
      },
      hasher: AccountFixture.CountingHasher().hasher, now: { 1_700_000_000_000 },
      random: { count in (0..<count).map { _ in .random(in: .min ... .max) } })
    _ = try await accounts.invite()
    let app = try await accounts.createAPIToken(
      APITokenTerms(label: "Ứng dụng", container: ServiceFixture.container))
    for name in ["an", "bình"] {
      let account = try await accounts.addAccount(name: name, password: AccountFixture.password)
      _ = try await accounts.signIn(account, apiTokenID: app.token.id)
      let session = try #require(try await accounts.sessions(of: account).first)
      _ = try await accounts.createPushChannel(session: session.id, environment: .production)
      _ = try await accounts.createServerToServerKey(
        ServerToServerKeyTerms(
          label: "Nhập", container: ServiceFixture.container, environment: nil, account: account,
          pem: P256.Signing.PrivateKey().publicKey.pemRepresentation))
    }
    try await fixture.makeZone()
    for zone in [nil, ServiceFixture.zone] {
      try await fixture.save(
        "a", ["text": .string("một\u{1F54C}"), "rank": .int64(.max)], in: zone)
      try await fixture.save(
        "b", ["parentNote": .reference(Reference("a", action: .deleteSelf)), "text": .string("")],
        in: zone)
      try await fixture.save("c", in: zone)
      try await fixture.delete("c", in: zone)
    }
    try await fixture.save("p", type: "Post", at: ServiceFixture.public)
    let cover = try await fixture.upload(ServiceFixture.bytes(3 * AssetRow.chunkBytes + 5))
    try await fixture.save("album", ["cover": .asset(cover)], type: "Album")
    _ = try await fixture.service.subscriptionsModify(
      .init(operations: [
        .init(.create, Subscription("s", .query, query: Query("Note"), firesOn: [.create]))
      ]), at: ServiceFixture.private, by: ServiceFixture.an)
    try await fixture.database.write { connection in
      let job = try Wire.encode(
        StorageJob.reindex(ServiceFixture.container, .production, types: [], after: 0))
      for _ in 0..<3 { try connection.run("INSERT INTO job (content) VALUES (?)", [job]) }
      // The ID of the last one is not used again.
      try connection.run("DELETE FROM job WHERE id = 3", [])
      try connection.run("INSERT INTO web_token VALUES (?, 1, 1)", [Data(count: 32)])
    }
    return fixture
  }

  private func close(_ fixture: ServiceFixture) throws {
    try #require(fixture.storage as? SQLiteRecordStorage).close()
  }

  private func moveToPostgreSQL(_ files: Files) async throws -> ServiceMove.Moved {
    try await ServiceMove.toPostgreSQL(
      postgreSQL.address, fromSQLite: files.database, key: files.key)
  }

  private func moveToSQLite(_ files: Files) async throws -> ServiceMove.Moved {
    try await ServiceMove.toSQLite(
      in: files.directory, database: files.database, key: files.key,
      fromPostgreSQL: postgreSQL.address)
  }

  /// Uses the service in the PostgreSQL database, as a server does.
  private func onPostgreSQL<Value>(
    _ body: (PostgreSQLTestStorage) async throws -> Value
  ) async throws -> Value {
    let storage = try await PostgreSQLTestStorage(postgreSQL)
    let value = try await body(storage)
    return withExtendedLifetime(storage) { value }
  }

  /// Runs a transaction as a program that does not belong to the service.
  private func sql<Value: Sendable>(
    _ body: @escaping @Sendable (any SQLConnection) throws -> Value
  ) async throws -> Value {
    try await PostgreSQLDatabase(
      pool: PostgreSQLPool(postgreSQL.address, sharesService: false), isolation: .locking
    ).write(body)
  }

  // MARK: Contents

  private struct Contents: Equatable {
    var rows: [String: Set<[SQLValue]>] = [:]
    var columns: [String: [String]] = [:]
  }

  private static func value(_ row: any SQLRow, _ column: Int) throws -> SQLValue {
    if row.isNull(column) { return .null }
    if let integer = try? row.integer(column) { return .integer(integer) }
    if let text = try? row.text(column) { return .text(text) }
    return .bytes(try row.bytes(column))
  }

  /// All rows of all tables.
  private func contents(_ database: any SQLDatabase) async throws -> Contents {
    let tables = try await database.rowCounts().keys
    return try await database.read(within: nil) { connection in
      var contents = Contents()
      for table in tables {
        let columns = try connection.columns(of: table).sorted()
        contents.columns[table] = columns
        contents.rows[table] = Set(
          try connection.rows("SELECT \(columns.joined(separator: ", ")) FROM \(table)") { row in
            try columns.indices.map { try Self.value(row, $0) }
          })
      }
      return contents
    }
  }

  /// The contents of a file, and the last IDs of its tables.
  private func contents(
    _ files: Files
  ) async throws -> (contents: Contents, ids: [String: Int64], faults: [DatabaseFault]) {
    let storage = try SQLiteRecordStorage(path: files.database)
    let ids = try await storage.sql.read(within: nil) { connection in
      try connection.rows("SELECT name, seq FROM sqlite_sequence") {
        (try $0[0] as String, try $0[1] as Int64)
      }
    }
    let found = (
      try await contents(storage.sql), Dictionary(uniqueKeysWithValues: ids),
      try await storage.faults()
    )
    try storage.close()
    return found
  }

  // MARK: Tests

  @Test func everythingIsMovedThereAndBack() async throws {
    let first = try files("first")
    try close(try await service(in: first))
    let before = try await contents(first)
    // A table that is added to the service has to get rows in `service(in:)`.
    #expect(before.contents.rows.filter(\.value.isEmpty).keys.sorted() == [])
    #expect(before.faults == [])

    let moved = try await moveToPostgreSQL(first)
    #expect(moved.accounts == 2)
    #expect(moved.records == 6)
    #expect(moved.rows == before.contents.rows.values.reduce(0) { $0 + $1.count })
    #expect(try await contents(first).contents == before.contents)
    #expect(try first.names == ["records.sqlite", "server.key"])

    var there = try await onPostgreSQL { storage in
      #expect(
        try await storage.storage.serverKey().bytes == ServerKey.existing(path: first.key).bytes)
      #expect(try await storage.read { try $0.inconsistencies() } == [])
      return try await contents(storage.sql)
    }
    // A table that only PostgreSQL has needs a decision about what becomes of its rows.
    #expect(
      Set(there.rows.keys).subtracting(before.contents.rows.keys) == Self.onlyInPostgreSQL)
    for table in Self.onlyInPostgreSQL {
      there.rows[table] = nil
      there.columns[table] = nil
    }
    #expect(there == before.contents)

    let second = try files("second")
    #expect(try await moveToSQLite(second) == moved)
    #expect(try second.names == ["records.sqlite", "server.key"])
    let after = try await contents(second)
    #expect(after.contents == before.contents)
    #expect(after.ids == before.ids)
    #expect(after.faults == [])
    #expect(
      try String(contentsOfFile: second.key, encoding: .utf8)
        == String(contentsOfFile: first.key, encoding: .utf8))
    for path in [second.database, second.key] {
      let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
      #expect(mode as? Int == 0o600)
    }
  }

  @Test func clientsDoNotNotice() async throws {
    let first = try files("first")
    let fixture = try await service(in: first)
    let saved = try await fixture.save("d", in: ServiceFixture.zone)
    let token = try await fixture.feed().token
    let post = try await fixture.lookup(["p"], at: ServiceFixture.public).first?.record
    try close(fixture)
    _ = try await moveToPostgreSQL(first)

    let tag = try await onPostgreSQL { storage in
      try await step(service(storage), tag: saved.recordChangeTag, token: token, post: post)
    }
    let second = try files("second")
    _ = try await moveToSQLite(second)
    let back = try SQLiteRecordStorage(path: second.database)
    _ = try await step(service(back), tag: tag.tag, token: tag.token, post: tag.post)
    #expect(try await back.faults() == [])
    try back.close()
  }

  private func service(_ storage: any RecordStorage) -> RecordService {
    RecordService(on: storage, at: 1_700_000_000_000)
  }

  /// Changes the record `d` by its change tag, and a public one, and follows the zone's changes.
  private func step(
    _ service: RecordService, tag: String?, token: String?, post: CloudRecords.Record?
  ) async throws -> (tag: String?, token: String?, post: CloudRecords.Record?) {
    let reported = await service.modify(
      .init(
        operations: [Operation(.update, note("d", ["rank": .int64(1)], tag: tag))],
        zoneID: ServiceFixture.zone), at: ServiceFixture.private, by: ServiceFixture.an,
      witness: tag)
    #expect(reported.history?.verdict == .current, "\(reported)")
    let record = try #require(try reported.get().records.first?.record, "\(reported)")
    let page = try #require(
      try await service.changesZone(
        .init(zones: [.init(ServiceFixture.zone, syncToken: token)]), at: ServiceFixture.private,
        by: ServiceFixture.an
      ).zones.first?.get())
    // The feed has only the record that was changed after the token.
    #expect(page.records.compactMap(\.record?.recordName) == ["d"])
    let answer = try await service.modify(
      .init(operations: [
        Operation(.update, note("p", tag: post?.recordChangeTag, type: "Post"))
      ]), at: ServiceFixture.public, by: ServiceFixture.an)
    let changed = try #require(answer.records.first?.record, "\(answer)")
    let numbers = [post, changed].map { $0?.recordChangeTag.flatMap(\.tagNumber) ?? 0 }
    #expect(numbers[0] < numbers[1])
    return (record.recordChangeTag, page.syncToken, changed)
  }

  @Test func idsOfDeletedRowsAreNotUsedAgain() async throws {
    let first = try files("first")
    try close(try await service(in: first))
    _ = try await moveToPostgreSQL(first)
    let insert = "INSERT INTO job (content) VALUES (?) RETURNING id"
    let id = try await sql { connection in
      let id = try connection.insertedID(insert, [Data()])
      try connection.run("DELETE FROM job WHERE id = ?", [id])
      return id
    }
    #expect(id == 4)
    let second = try files("second")
    _ = try await moveToSQLite(second)
    let storage = try SQLiteRecordStorage(path: second.database)
    #expect(try await storage.sql.write { try $0.insertedID(insert, [Data()]) } == 5)
    try storage.close()
  }

  // MARK: Refusals

  @Test func onlyAnEmptyTargetIsUsed() async throws {
    let first = try files("first")
    try close(try await service(in: first))
    try await sql { try $0.run("CREATE TABLE mine (id BIGINT)", []) }
    await #expect(throws: MoveFailure.databaseNotEmpty) { try await moveToPostgreSQL(first) }
    #expect(try await sql { try !$0.hasTable("migration") })
    try await sql { try $0.run("DROP TABLE mine", []) }
    _ = try await moveToPostgreSQL(first)
    await #expect(throws: MoveFailure.databaseNotEmpty) { try await moveToPostgreSQL(first) }

    let second = try files("second")
    try Data().write(to: URL(filePath: second.directory + "/mine"))
    await #expect(throws: MoveFailure.directoryNotEmpty(path: second.directory)) {
      try await moveToSQLite(second)
    }
    #expect(try second.names == ["mine"])
  }

  @Test func aServiceThatIsUsedIsNotMoved() async throws {
    let first = try files("first")
    try close(try await service(in: first))
    let second = try files("second")
    try await onPostgreSQL { _ in
      await #expect(throws: MoveFailure.databaseInUse) { try await moveToPostgreSQL(first) }
      await #expect(throws: MoveFailure.databaseInUse) { try await moveToSQLite(second) }
    }
    #expect(try second.names == [])
  }

  @Test func aServiceThatIsMovedIsNotUsed() async throws {
    let address = postgreSQL.address
    try await sql { connection in
      try PostgreSQLServiceLock.takeAlone(connection)
      #expect(throws: StorageFailure.busy) {
        try PostgreSQLServiceLock.share(PostgreSQLConnection(address))
      }
    }
    try PostgreSQLServiceLock.share(PostgreSQLConnection(address))
  }

  @Test func aDatabaseWithoutAServiceIsNotMoved() async throws {
    let second = try files("second")
    await #expect(throws: StorageFailure.failed(.noTables)) { try await moveToSQLite(second) }
    #expect(try second.names == [])
  }

  // MARK: Failures

  @Test func aMoveToPostgreSQLThatFailsLeavesNothing() async throws {
    let first = try files("first")
    let fixture = try await service(in: first)
    // PostgreSQL refuses NUL in texts. The table is one of the last that are copied.
    func label(_ text: String) async throws {
      try await fixture.database.write { connection in
        try connection.run("UPDATE server_to_server_key SET label = ?", [text])
      }
    }
    try await label("a\0b")
    let error = await thrownError { try await moveToPostgreSQL(first) } as? StorageFailure
    guard case .failed(.postgresql) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(try await sql { try !$0.hasTable("record") && !$0.hasTable("migration") })
    try await label("ab")
    try close(fixture)
    #expect(try await moveToPostgreSQL(first).records == 6)
  }

  @Test func aMoveToSQLiteThatFailsLeavesNothing() async throws {
    let first = try files("first")
    try close(try await service(in: first))
    _ = try await moveToPostgreSQL(first)
    func origins(_ text: String) async throws {
      try await sql { try $0.run("UPDATE api_token SET origins = ?", [text]) }
    }
    try await origins("no JSON")
    let second = try files("second")
    let error = await thrownError { try await moveToSQLite(second) } as? StorageFailure
    guard case .failed(.sqlite) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(try second.names == [])
    try await origins("[]")
    // A process that was killed leaves this directory.
    try FileManager.default.createDirectory(
      atPath: second.directory + "/move.unfinished", withIntermediateDirectories: false)
    try Data("x".utf8).write(
      to: URL(filePath: second.directory + "/move.unfinished/records.sqlite"))
    #expect(try await moveToSQLite(second).records == 6)
    #expect(try second.names == ["records.sqlite", "server.key"])
  }
}
