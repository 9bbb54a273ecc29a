import CloudRecords
import Foundation
import GRDB
import RecordServer
import Synchronization
import TestSupport

/// The real record service in this process, with a database in memory.
final class RealService: SimulatedService {
  private static let container = ContainerID("iCloud.donald.kvietnamisht")!
  private static let address = DatabaseAddress(container, .production, .private)

  /// Databases that contain only the container, with and without a feed.
  private static let templates = Templates()

  private let users: [String]
  private let pageSize: Int
  private let storage: SQLiteRecordStorage
  private let service: RecordService
  private let time: ServiceTime
  /// The last backup of the database.
  private let copy = Mutex<DatabaseQueue?>(nil)

  /// The time of the service, in milliseconds since 1970.
  private final class ServiceTime: Sendable {
    let milliseconds = Atomic<Int64>(1_800_000_000_000)
    var now: Int64 { milliseconds.load(ordering: .relaxed) }
  }

  private actor Templates {
    private var made: [Bool: DatabaseQueue] = [:]

    func template(hasFeed: Bool) async throws -> DatabaseQueue {
      if let template = made[hasFeed] { return template }
      let storage = try SQLiteRecordStorage(inMemory: nil)
      try await RealService.service(on: storage) { 0 }.addContainer(
        RealService.container, schema: Schema(parsing: quranSchema), hasDefaultZoneFeed: hasFeed)
      let template = try DatabaseQueue()
      try storage.database.backup(to: template)
      made[hasFeed] = template
      return template
    }
  }

  private static func service(
    on storage: SQLiteRecordStorage, now: @escaping @Sendable () -> Int64
  ) -> RecordService {
    RecordService(
      storage: storage, signer: TokenSigner(secret: Data(repeating: 7, count: 32)), now: now)
  }

  /// - Parameter users: The user record name of each account.
  init(hasFeed: Bool, pageSize: Int, users: [String]) async throws {
    (self.users, self.pageSize) = (users, pageSize)
    storage = try SQLiteRecordStorage(inMemory: nil)
    try await Self.templates.template(hasFeed: hasFeed).backup(to: storage.database)
    let time = ServiceTime()
    self.time = time
    service = Self.service(on: storage) { time.now }
  }

  // MARK: Requests

  func call<E: Endpoint>(
    _ endpoint: E.Type, _ request: E.Request, of account: Int, witness: String?
  ) async -> Delivery<E.Response> {
    time.milliseconds.add(1, ordering: .relaxed)
    let caller = Caller(
      account: Int64(account + 1), userRecordName: users[account], session: "\(account)")
    func delivery<Answer: Sendable>(_ reported: Reported<Answer>) -> Delivery<E.Response> {
      Delivery(result: reported.result.map { $0 as! E.Response }, history: reported.history)
    }
    switch request {
    case let request as RecordsModify.Request:
      return delivery(
        await service.modify(request, at: Self.address, by: caller, witness: witness))
    case let request as RecordsLookup.Request:
      return delivery(
        await service.lookup(request, at: Self.address, by: caller, witness: witness))
    case var request as RecordsQuery.Request:
      request.resultsLimit = pageSize
      return delivery(await service.query(request, at: Self.address, by: caller, witness: witness))
    case var request as ChangesZone.Request:
      request.zones[0].resultsLimit = request.zones[0].resultsLimit ?? pageSize
      return delivery(
        await service.changesZone(request, at: Self.address, by: caller, witness: witness))
    case let request as EmptyBody:
      do {
        let answer = try await service.zonesList(request, at: Self.address, by: caller)
        return Delivery(result: .success(answer as! E.Response))
      } catch {
        return Delivery(result: .failure(error))
      }
    default:
      return Delivery(result: .failure(ServiceError(.notFound)))
    }
  }

  // MARK: State

  func records() async throws -> [[CloudRecords.Record]] {
    var all: [[CloudRecords.Record]] = []
    for account in users.indices {
      var records: [CloudRecords.Record] = []
      for type in ["FavoriteAyah", "AyahNote", "ReadingProgress", "AppSettings"] {
        var marker: String?
        repeat {
          let request = RecordsQuery.Request(
            Query(
              type, filters: [Filter("ownerRecordName", .equals, .string(users[account]))]),
            zoneID: .default, continuationMarker: marker)
          let page = try await call(RecordsQuery.self, request, of: account, witness: nil)
            .result.get()
          records += page.records.compactMap(\.record)
          marker = page.continuationMarker
        } while marker != nil
      }
      all.append(records.sorted { $0.recordName < $1.recordName })
    }
    return all
  }

  func newest() async throws -> [String] {
    var newest: [String] = []
    for account in users.indices {
      let delivery = await call(
        RecordsLookup.self, RecordsLookup.Request(records: [.init("none")]), of: account,
        witness: nil)
      newest.append(delivery.history?.newest ?? "")
    }
    return newest
  }

  // MARK: Backups and rollbacks

  func backUp() throws {
    let queue = try DatabaseQueue()
    try storage.database.backup(to: queue)
    copy.withLock { $0 = queue }
  }

  /// `record-service restore` works on files, and other tests cover it.
  func restore() -> Bool { false }

  func putBack() throws -> Bool {
    guard let copy = copy.withLock({ $0 }) else { return false }
    try copy.backup(to: storage.database)
    return true
  }

  func forgetTombstones() async throws {
    try await later(by: 200) { _ = try await service.deleteTombstones() }
  }

  func forgetHistory() async throws {
    try await later(by: 500) { try await service.deleteMarks() }
  }

  private func later(by days: Int64, _ body: () async throws -> Void) async throws {
    time.milliseconds.add(days * 86_400_000, ordering: .relaxed)
    try await body()
    time.milliseconds.subtract(days * 86_400_000, ordering: .relaxed)
  }

  func upgrade() {}
  func setLag(_ writes: Int) {}
  func setEmptyPages(_ count: Int) {}
}
