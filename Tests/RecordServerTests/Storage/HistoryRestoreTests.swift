import CloudRecords
import Foundation
import GRDB
import TestSupport
import Testing

@testable import RecordServer
@testable import RecordServiceSupport

/// The history of a service after its files were restored or put back.
@Suite(.onlySQLite) struct HistoryRestoreTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  /// A service on a file, until it is closed.
  private struct Opened {
    let storage: SQLiteRecordStorage
    let service: RecordService

    init(_ path: String) throws {
      storage = try SQLiteRecordStorage(path: path)
      service = RecordService(on: storage)
    }

    /// - Returns: the tag of the saved record.
    @discardableResult
    func save(
      _ name: String, type: String = "Note", at address: DatabaseAddress = ServiceFixture.private
    )
      async throws -> String
    {
      let answer = try await service.modify(
        .init(operations: [Operation(.forceReplace, note(name, type: type))]), at: address,
        by: ServiceFixture.an)
      return try #require(answer.records.first?.record?.recordChangeTag)
    }
  }

  private func openNew(_ path: String) async throws -> Opened {
    let opened = try Opened(path)
    try await opened.service.addContainer(
      ServiceFixture.container, schema: Schema(parsing: ServiceFixture.schema),
      hasDefaultZoneFeed: true)
    return opened
  }

  /// The files are copied, with the WAL, while the service runs.
  @Test func changesAfterACopyAreForkedWhenItIsPutBack() async throws {
    let path = directory.path + "/records.sqlite"
    var opened = try await openNew(path)
    try await opened.save("a")
    let before = try await opened.service.read()
    for suffix in ["", "-wal"] {
      try FileManager.default.copyItem(
        atPath: path + suffix, toPath: directory.path + "/copy" + suffix)
    }
    let tag = try await opened.save("b")
    let lost = try await opened.service.read(before.page.get().syncToken)
    try opened.storage.close()

    for round in 0..<2 {
      for suffix in ["", "-wal", "-shm"] {
        try? FileManager.default.removeItem(atPath: path + suffix)
      }
      for suffix in ["", "-wal"] {
        try FileManager.default.copyItem(
          atPath: directory.path + "/copy" + suffix, toPath: path + suffix)
      }
      opened = try Opened(path)
      let again = try await opened.service.read(
        try before.page.get().syncToken, witness: before.history.newest)
      #expect(again.history == before.history)
      #expect(try again.page.get().records.isEmpty)
      #expect(try await opened.save("c\(round)") != tag)
      let report = try await opened.service.read(
        try lost.page.get().syncToken, witness: lost.history.newest
      ).history
      #expect(report.verdict == .forked)
      #expect(report.tokenProblem == .forked)
      try opened.storage.close()
    }
  }

  @Test func changesAfterABackupAreForkedByARestore() async throws {
    let path = directory.path + "/records.sqlite"
    var opened = try await openNew(path)
    try await opened.save("a")
    try await opened.save("p", type: "Post", at: ServiceFixture.public)
    let before = try await opened.service.read()
    let beforePublic = try await publicReport(opened, nil)
    let id = opened.storage.serviceID
    let backup = directory.path + "/backup.sqlite"
    try await opened.storage.backUp(to: backup)
    let tag = try await opened.save("a")
    let lost = try await opened.service.read()
    let lostPublic = try await opened.save("p", type: "Post", at: ServiceFixture.public)
    try opened.storage.close()

    for _ in 0..<2 {
      try await SQLiteRecordStorage.restore(backup, to: path)
      opened = try Opened(path)
      #expect(opened.storage.serviceID == id)
      // A witness from before the backup is in this history. The token expires nevertheless,
      // because some clients send no witness.
      var (page, history) = try await opened.service.read(
        try before.page.get().syncToken, witness: before.history.newest)
      #expect(page.error?.cause == .resetToken)
      #expect(history.verdict == .current)
      #expect(history.tokenProblem == .expired)
      #expect(history.newest != before.history.newest)
      #expect(try await opened.service.read(witness: history.newest).history.verdict == .current)
      (page, history) = try await opened.service.read(
        try lost.page.get().syncToken, witness: lost.history.newest)
      #expect(page.error?.code == .changeTokenExpired)
      #expect(history.verdict == .forked)
      #expect(history.tokenProblem == .forked)
      #expect(try await publicReport(opened, beforePublic.newest).verdict == .current)
      #expect(try await publicReport(opened, lostPublic).verdict == .forked)

      let record = try await opened.service.modify(
        .init(operations: [Operation(.update, note("a", tag: tag))]), at: ServiceFixture.private,
        by: ServiceFixture.an
      ).records.first
      #expect(record?.error?.code == .conflict)
      let kept = try #require(try before.page.get().records.first?.record?.recordChangeTag)
      let updated = try await opened.service.modify(
        .init(operations: [Operation(.update, note("a", tag: kept))]), at: ServiceFixture.private,
        by: ServiceFixture.an
      ).records.first
      #expect(updated?.record != nil)
      #expect(
        try await opened.service.read(witness: before.history.newest).history.verdict == .current)
      #expect(try await opened.storage.faults() == [])
      try opened.storage.close()
    }
  }

  private func publicReport(_ opened: Opened, _ witness: String?) async throws -> HistoryReport {
    try #require(
      await opened.service.lookup(
        .init(records: [.init("p")]), at: ServiceFixture.public, by: ServiceFixture.an,
        witness: witness
      ).history)
  }
}
