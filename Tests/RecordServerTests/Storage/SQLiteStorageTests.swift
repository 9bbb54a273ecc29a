import CloudRecords
import Foundation
import GRDB
import NIOConcurrencyHelpers
import TestSupport
import Testing

@testable import RecordServer
@testable import RecordServiceSupport

@Suite(.onlySQLite) struct SQLiteStorageTests {
  /// Without a table of accounts, no account counts as removed.
  @Test func aTableOfAccountsThatIsCreatedLaterIsFound() async throws {
    let storage = try SQLiteRecordStorage(inMemory: nil)
    let service = RecordService(
      storage: storage, signer: TokenSigner(secret: ServiceFixture.secret), now: { 1 })
    try await service.addContainer(
      ServiceFixture.container, schema: Schema(parsing: ServiceFixture.schema))
    func save() async throws {
      _ = try await service.modify(
        RecordsModify.Request(operations: [Operation(.forceReplace, note("a"))]),
        at: ServiceFixture.private, by: ServiceFixture.an)
    }
    try await save()
    let accounts = try AccountStorage(storage.database)
    let account = NewAccount(
      name: try AccountName("an"),
      password: PasswordHash(cost: .standard, salt: [1], key: Array(repeating: 1, count: 32)),
      seed: Array(repeating: 7, count: 16), createdAt: 1)
    guard case .inserted(let inserted) = try await accounts.insert(account, invitation: nil) else {
      throw AccountFixture.Unexpected()
    }
    try #require(inserted.id == ServiceFixture.an.account)
    try await save()
    #expect(try await accounts.beginRemoval(ofAccount: inserted.id, at: 2))
    await #expect(throws: ServiceError.notSignedIn) { try await save() }
  }

  // MARK: Opening

  @Test func everyCommitIsSyncedToDisk() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/records.sqlite"
    let storage = try SQLiteRecordStorage(path: path)
    let (mode, level) = try await storage.database.writeWithoutTransaction { database in
      (
        try String.fetchOne(database, sql: "PRAGMA journal_mode"),
        try Int.fetchOne(database, sql: "PRAGMA synchronous")
      )
    }
    #expect(mode == "wal")
    // 2 is FULL.
    #expect(level == 2)
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect((attributes[.posixPermissions] as? Int).map { $0 & 0o777 } == 0o600)
    try storage.close()
    try SQLiteRecordStorage(path: path).close()
  }

  @Test func otherDatabasesAreRefusedAndNotChanged() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/other.sqlite"
    let queue = try DatabaseQueue(path: path)
    try await queue.write { try $0.execute(sql: "CREATE TABLE photo (id INTEGER)") }
    try queue.close()
    let before = try Data(contentsOf: URL(filePath: path))
    #expect(throws: StorageFailure.failed(.foreignDatabase(path: path))) {
      try SQLiteRecordStorage(path: path)
    }
    #expect(try Data(contentsOf: URL(filePath: path)) == before)
    try Data("nothing of SQLite, but long enough to be looked at".utf8).write(
      to: URL(filePath: path))
    #expect(throws: StorageFailure.self) { try SQLiteRecordStorage(path: path) }
    #expect(throws: StorageFailure.self) {
      try SQLiteRecordStorage(path: directory.path + "/no/such/place")
    }
  }

  /// The service logs the details that clients do not get.
  @Test func storageFailuresAreReported() async throws {
    let directory = try TemporaryDirectory()
    let failures = NIOLockedValueBox<[StorageFailure]>([])
    let path = directory.path + "/records.sqlite"
    let storage = try SQLiteRecordStorage(
      path: path, onFailure: { failure in failures.withLockedValue { $0.append(failure) } })
    let accountService = try AccountStorage(
      storage.database, onFailure: { failure in failures.withLockedValue { $0.append(failure) } })
    try await storage.database.write {
      try $0.execute(sql: "DROP TABLE job; DROP TABLE invitation")
    }
    await #expect(throws: StorageFailure.self) { try await storage.read { _ = try $0.jobs() } }
    await #expect(throws: StorageFailure.self) { try await accountService.invitations(at: 0) }
    #expect(
      failures.withLockedValue { $0 } == [
        .failed(.sqlite(code: 1, message: "no such table: job")),
        .failed(.sqlite(code: 1, message: "no such table: invitation")),
      ])
    // A `ServiceError` is not a failure of the storage.
    await #expect(throws: ServiceError.self) {
      try await storage.read { _ in throw ServiceError(.notFound) }
    }
    #expect(failures.withLockedValue { $0.count } == 2)
  }

  @Test func newerDatabasesAreRefused() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/records.sqlite"
    let storage = try SQLiteRecordStorage(path: path)
    // Other tables in the same file may have migrations of their own.
    try await storage.database.write {
      try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('people-1')")
    }
    try storage.close()
    let again = try SQLiteRecordStorage(path: path)
    try await again.database.write {
      try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('records-99')")
    }
    try again.close()
    #expect(throws: StorageFailure.failed(.newerDatabase(path: path))) {
      try SQLiteRecordStorage(path: path)
    }
  }

  @Test func aSecondOwnerInATransactionIsAnError() async throws {
    let fixture = try await ServiceFixture()
    try await fixture.save("a")
    try await fixture.save("a", by: ServiceFixture.binh)
    await #expect(throws: StorageFailure.failed(.severalOwners)) {
      try await fixture.storage.write { transaction in
        for account in [1, 2] as [Int64] {
          let owner = try #require(
            try transaction.owner(of: ServiceFixture.private, account: account))
          try transaction.charge(Usage(bytes: 1, records: 1), to: account, in: owner.id)
        }
      }
    }
  }

  // MARK: Failing

  @Test func aFailedTransactionChangesNothing() async throws {
    let fixture = try await ServiceFixture(.onDisk)
    try await fixture.makeZone()
    try await fixture.save("a", ["rank": .int64(1)], in: ServiceFixture.zone)
    let before = try await fixture.feed().records
    let storage = try #require(fixture.storage as? SQLiteRecordStorage)
    // The records can be written, but their index entries cannot.
    try await storage.database.write {
      try $0.execute(
        sql: """
          CREATE TRIGGER fails BEFORE INSERT ON entry BEGIN SELECT RAISE(ABORT, 'secret'); END
          """)
    }
    let error = await serviceError {
      try await fixture.modify(
        [Operation(.forceReplace, note("a")), Operation(.create, note("b"))],
        in: ServiceFixture.zone)
    }
    #expect(error?.summary == "INTERNAL_ERROR: internal error")
    try await storage.database.write { try $0.execute(sql: "DROP TRIGGER fails") }
    #expect(try await fixture.feed().records == before)
  }

  @Test func aBusyFileIsReportedAsTryAgainLater() async throws {
    let fixture = try await ServiceFixture(.onDisk)
    try await fixture.save("a")
    let storage = try #require(fixture.storage as? SQLiteRecordStorage)
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    let other = try DatabaseQueue(path: storage.database.path, configuration: configuration)
    try await storage.database.writeWithoutTransaction {
      try $0.execute(sql: "PRAGMA busy_timeout = 0")
    }
    try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
    let error = await serviceError { try await fixture.modify([Operation(.create, note("b"))]) }
    #expect(error?.code == .tryAgainLater)
    #expect(error?.retryAfter == 1)
    // Reading is still possible.
    #expect(try await fixture.lookup(["a"]).summary == ["a"])
    try await other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
    try await fixture.save("b")
  }

  @Test func aFullFileIsReportedAsTryAgainLater() async throws {
    let fixture = try await ServiceFixture(.onDisk)
    try await fixture.save("a")
    let storage = try #require(fixture.storage as? SQLiteRecordStorage)
    try await storage.database.writeWithoutTransaction { database in
      let pages = try Int.fetchOne(database, sql: "PRAGMA page_count") ?? 0
      _ = try Int.fetchOne(database, sql: "PRAGMA max_page_count = \(pages)")
    }
    let large = FieldValue.string(String(repeating: "x", count: 500_000))
    let error = await serviceError {
      try await fixture.modify([Operation(.create, note("b", ["plain": large]))])
    }
    #expect(error?.code == .tryAgainLater)
    #expect(error?.cause == .storageFull)
    #expect(try await fixture.lookup(["a", "b"]).map { $0.record != nil } == [true, false])
    try await fixture.delete("a")
  }

  @Test func aClosedFileIsAnInternalError() async throws {
    let fixture = try await ServiceFixture(.onDisk)
    let storage = try #require(fixture.storage as? SQLiteRecordStorage)
    try storage.close()
    #expect(await serviceError { try await fixture.lookup(["a"]) }?.code == .internalError)
  }

  // MARK: Backups

  @Test func aBackupIsRestoredCompletely() async throws {
    let directory = try TemporaryDirectory()
    let fixture = try await ServiceFixture(.onDisk)
    let storage = try #require(fixture.storage as? SQLiteRecordStorage)
    try await fixture.makeZone()
    try await fixture.save("a", ["rank": .int64(1)], in: ServiceFixture.zone)
    let before = try await fixture.feed()
    let backup = directory.path + "/backup.sqlite"
    try await storage.backUp(to: backup)
    await #expect(throws: StorageFailure.self) { try await storage.backUp(to: backup) }
    #expect(try directory.contents == ["backup.sqlite"])
    let attributes = try FileManager.default.attributesOfItem(atPath: backup)
    #expect((attributes[.posixPermissions] as? Int).map { $0 & 0o777 } == 0o600)
    // A record that is saved after the backup is lost by the restore.
    try await fixture.save("b", in: ServiceFixture.zone)

    // A file that is in use is not replaced.
    let path = storage.database.path
    await #expect(throws: StorageFailure.busy) {
      try await SQLiteRecordStorage.restore(backup, to: path)
    }
    try storage.close()
    let aside = try await SQLiteRecordStorage.restore(backup, to: path)
    #expect(aside == path + ".before-restore-1")

    let restored = try SQLiteRecordStorage(path: path)
    let service = RecordService(on: restored)
    func page(_ token: String?) async throws -> ChangesZone.Page {
      try await service.changesZone(
        .init(zones: [.init(ServiceFixture.zone, syncToken: token)]), at: ServiceFixture.private,
        by: ServiceFixture.an
      ).zones[0].get()
    }
    #expect(try await page(nil).records == before.records)
    // A client may know changes that are newer than the backup, so its tokens have expired.
    let error = await serviceError { try await page(before.token) }
    #expect(error?.code == .changeTokenExpired)
    #expect(error?.cause == .resetToken)
    let database = await serviceError {
      try await service.changesDatabase(
        .init(syncToken: before.token), at: ServiceFixture.private, by: ServiceFixture.an)
    }
    #expect(database?.code == .badRequest)
    let token = try await page(nil).syncToken
    #expect(try await page(token).records.isEmpty)
    try restored.close()
    // The former file is complete.
    let former = try SQLiteRecordStorage(path: try #require(aside))
    #expect(try await former.rowCounts()["record"] == 2)
    try former.close()
  }

  /// A service with one record, and its backup.
  private func backedUp(
    in directory: TemporaryDirectory
  ) async throws -> (fixture: ServiceFixture, path: String, backup: String) {
    let fixture = try await ServiceFixture(.onDisk)
    let storage = try #require(fixture.storage as? SQLiteRecordStorage)
    try await fixture.save("a")
    let backup = directory.path + "/backup.sqlite"
    try await storage.backUp(to: backup)
    return (fixture, storage.database.path, backup)
  }

  @Test func aBackupIsRestoredToANewFile() async throws {
    let directory = try TemporaryDirectory()
    let backup = try await backedUp(in: directory).backup
    #expect(
      try await SQLiteRecordStorage.restore(backup, to: directory.path + "/new.sqlite") == nil)
    let restored = try SQLiteRecordStorage(path: directory.path + "/new.sqlite")
    #expect(try await restored.rowCounts()["record"] == 1)
    try restored.close()
    await #expect(throws: StorageFailure.self) {
      try await SQLiteRecordStorage.restore(
        directory.path + "/missing.sqlite", to: directory.path + "/new.sqlite")
    }
    try Data("no database".utf8).write(to: URL(filePath: directory.path + "/bad.sqlite"))
    await #expect(throws: StorageFailure.self) {
      try await SQLiteRecordStorage.restore(
        directory.path + "/bad.sqlite", to: directory.path + "/new.sqlite")
    }
    let kept = try SQLiteRecordStorage(path: directory.path + "/new.sqlite")
    #expect(try await kept.rowCounts()["record"] == 1)
    try kept.close()
  }

  /// The copy has its permissions from the beginning: nothing changes them later.
  @Test func theCopyOfARestoreIsNeverReadableByOthers() async throws {
    let directory = try TemporaryDirectory()
    let backup = try await backedUp(in: directory).backup
    chmod(backup, 0o644)
    let watch = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
    defer { close(watch) }
    try #require(
      inotify_add_watch(watch, directory.path, UInt32(IN_CREATE | IN_ATTRIB)) >= 0)
    try await SQLiteRecordStorage.restore(backup, to: directory.path + "/new.sqlite")
    #expect(try permissions(of: directory.path + "/new.sqlite") == 0o600)
    var created = false
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = read(watch, &buffer, buffer.count)
    var offset = 0
    while offset < count {
      // inotify(7): the mask is at 4, the length of the name at 12, the name at 16.
      let (mask, length) = buffer.withUnsafeBytes { bytes in
        (
          bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self),
          Int(bytes.loadUnaligned(fromByteOffset: offset + 12, as: UInt32.self))
        )
      }
      let name = String(
        decoding: buffer[offset + 16..<offset + 16 + length].prefix { $0 != 0 }, as: UTF8.self)
      if name.hasSuffix(".new") {
        created = created || mask & UInt32(IN_CREATE) != 0
        #expect(mask & UInt32(IN_ATTRIB) == 0, "the permissions of \(name) were changed")
      }
      offset += 16 + length
    }
    #expect(created)
  }

  /// SQLite applies a WAL to any database file beside it that has the same name.
  @Test(arguments: [(true, false), (false, true), (true, true)])
  func aLeftOverWALIsNotAppliedToTheRestoredFile(
    hasWAL: Bool, hasDamagedFile: Bool
  ) async throws {
    let directory = try TemporaryDirectory()
    let (fixture, former, backup) = try await backedUp(in: directory)
    for index in 0..<100 { try await fixture.save("late\(index)") }
    // As after a loss of power, the last changes are only in the WAL.
    let path = directory.path + "/records.sqlite"
    try withExtendedLifetime(fixture) {
      for suffix in ["-wal", "-shm"] where hasWAL {
        try FileManager.default.copyItem(atPath: former + suffix, toPath: path + suffix)
      }
    }
    if hasDamagedFile { try Data(repeating: 1, count: 8192).write(to: URL(filePath: path)) }

    let aside = try #require(try await SQLiteRecordStorage.restore(backup, to: path))
    let restored = try SQLiteRecordStorage(path: path)
    #expect(try await restored.rowCounts()["record"] == 1)
    #expect(try await restored.faults() == [])
    try restored.close()
    // Nothing is thrown away.
    #expect(FileManager.default.fileExists(atPath: aside + (hasDamagedFile ? "" : "-wal")))
  }

  /// A tag that was issued after one restore must not be issued after another one.
  @Test func tagsDifferBetweenRestores() async throws {
    let directory = try TemporaryDirectory()
    let backup = try await backedUp(in: directory).backup
    var tags: [String] = []
    for index in 0..<3 {
      let path = directory.path + "/\(index).sqlite"
      try await SQLiteRecordStorage.restore(backup, to: path)
      let restored = try SQLiteRecordStorage(path: path)
      let service = RecordService(on: restored)
      let answer = try await service.modify(
        .init(operations: [Operation(.forceUpdate, note("a"))]), at: ServiceFixture.private,
        by: ServiceFixture.an)
      tags.append(try #require(answer.records.first?.record?.recordChangeTag))
      try restored.close()
    }
    // The gap is one of 65,536: two restores may have the same gap, but hardly all three.
    #expect(Set(tags).count > 1)
  }

  // MARK: Concurrency

  /// A reader that follows the feed with saved tokens while others write misses nothing.
  @Test(arguments: StorageFactory.all)
  func numbersAreInTheOrderOfCommits(_ factory: StorageFactory) async throws {
    let fixture = try await ServiceFixture(factory)
    try await fixture.makeZone()
    let service = fixture.service
    let seen = try await withThrowingTaskGroup(of: Set<String>.self) { group in
      for writer in 0..<4 {
        group.addTask {
          for index in 0..<25 {
            _ = try await service.modify(
              .init(
                operations: [Operation(.create, note("w\(writer)-\(index)"))],
                zoneID: ServiceFixture.zone), at: ServiceFixture.private, by: ServiceFixture.an)
          }
          return []
        }
      }
      group.addTask {
        var token: String?
        var seen: Set<String> = []
        while seen.count < 100 {
          let answer = try await service.changesZone(
            .init(zones: [.init(ServiceFixture.zone, syncToken: token, resultsLimit: 3)]),
            at: ServiceFixture.private, by: ServiceFixture.an)
          let page = try answer.zones[0].get()
          for name in page.records.compactMap(\.recordName) {
            #expect(seen.insert(name).inserted)
          }
          token = page.syncToken
        }
        return seen
      }
      return try await group.reduce(into: Set<String>()) { $0.formUnion($1) }
    }
    #expect(seen.count == 100)
  }

  /// Records that were saved after the backup are lost with their tags. A client that has such a
  /// tag must not take a later version for the lost one.
  @Test func lostTagsAreNotReusedAfterARestore() async throws {
    let directory = try TemporaryDirectory()
    let fixture = try await ServiceFixture(.onDisk)
    let storage = try #require(fixture.storage as? SQLiteRecordStorage)
    try await fixture.makeZone()
    let backup = directory.path + "/backup.sqlite"
    try await storage.backUp(to: backup)
    var lost: Set<String?> = []
    func save(_ service: RecordService) async throws -> [String?] {
      var tags: [String?] = []
      for (zone, address, type) in [
        (ServiceFixture.zone, ServiceFixture.private, "Note"),
        (ZoneID("New"), ServiceFixture.private, "Note"),
        (ZoneID.default, ServiceFixture.public, "Post"),
      ] {
        if !zone.isDefault {
          _ = try await service.zonesModify(
            .init(operations: [.init(.create, zone)]), at: address, by: ServiceFixture.an)
        }
        let answer = try await service.modify(
          .init(operations: [Operation(.forceReplace, note("a", type: type))], zoneID: zone),
          at: address, by: ServiceFixture.an)
        tags.append(try #require(answer.records.first?.record).recordChangeTag)
      }
      return tags
    }
    for _ in 0..<3 { lost.formUnion(try await save(fixture.service)) }
    try storage.close()
    try await SQLiteRecordStorage.restore(backup, to: storage.database.path)
    let restored = try SQLiteRecordStorage(path: storage.database.path)
    let service = RecordService(on: restored)
    for _ in 0..<3 { #expect(lost.isDisjoint(with: try await save(service))) }
    #expect(try await restored.faults() == [])
    try restored.close()
  }

  /// SQLite ends a text at its first NUL.
  @Test func aNULDoesNotEndAName() async throws {
    let fixture = try await ServiceFixture()
    try await fixture.makeZone()
    try await fixture.save("a", in: ServiceFixture.zone)
    #expect(
      try await fixture.lookup(["a\0", "a\0b"], in: ServiceFixture.zone).map(\.error?.code)
        == [.notFound, .notFound])
    let zone = ZoneID("Z\0")
    #expect(await serviceError { try await fixture.lookup(["a"], in: zone) }?.code == .zoneNotFound)
    #expect(await serviceError { try await fixture.page(zone) }?.code == .zoneNotFound)
    func modify(
      _ operation: SubscriptionsModify.OperationType, _ id: String
    ) async throws -> ErrorCode? {
      try await fixture.service.subscriptionsModify(
        .init(operations: [
          .init(operation, Subscription(id, .query, query: Query("Note"), firesOn: [.create]))
        ]), at: ServiceFixture.private, by: ServiceFixture.an
      ).subscriptions.first?.error?.code
    }
    #expect(try await modify(.create, "s") == nil)
    #expect(try await modify(.create, "s\0x") == .badRequest)
    #expect(try await modify(.delete, "s\0x") == .notFound)
    let looked = try await fixture.service.subscriptionsLookup(
      .init(subscriptions: [.init("s\0"), .init("s")]), at: ServiceFixture.private,
      by: ServiceFixture.an)
    #expect(looked.subscriptions.map(\.error?.code) == [.notFound, nil])
  }
}
