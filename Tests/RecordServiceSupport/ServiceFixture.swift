import CloudRecords
import Foundation
import NIOConcurrencyHelpers
import TestSupport
import Testing

@testable import RecordServer

/// A service with a container, two people, and a clock that a test moves.
final class ServiceFixture {
  static let container = ContainerID("iCloud.org.example.tests")!
  static let secret = Data(repeating: 7, count: 32)
  static let an = Caller(account: 1, userRecordName: user("a"), session: "an-1")
  static let binh = Caller(account: 2, userRecordName: user("b"), session: "binh-1")

  static func user(_ digit: Character) -> String { "_" + String(repeating: digit, count: 32) }

  /// Deleted with the fixture.
  private let directory: TemporaryDirectory?
  let storage: any RecordStorage
  let service: RecordService
  let clock: AccountFixture.Clock
  let firings: Firings

  final class Firings: Sendable {
    private let all = NIOLockedValueBox<[Firing]>([])
    func add(_ firings: [Firing]) -> Int {
      all.withLockedValue { $0 += firings }
      return firings.count
    }
    /// Removes and returns the firings since the last call.
    func removeAll() -> [Firing] {
      all.withLockedValue { firings in
        defer { firings = [] }
        return firings
      }
    }
  }

  init(
    _ factory: StorageFactory = .standard, schema: String = ServiceFixture.schema,
    container: ContainerID = ServiceFixture.container, hasDefaultZoneFeed: Bool? = nil,
    _ change: (inout ServiceOptions) -> Void = { _ in }
  ) async throws {
    let directory = try TemporaryDirectory()
    let storage = try await factory.make(directory.path)
    let clock = AccountFixture.Clock()
    let firings = Firings()
    var options = ServiceOptions()
    options.onFirings = { firings.add($0) }
    change(&options)
    self.directory = directory
    self.storage = storage
    self.clock = clock
    self.firings = firings
    service = RecordService(
      storage: storage, signer: TokenSigner(secret: Self.secret), now: { clock.now },
      options: options)
    try await service.addContainer(
      container, schema: Schema(parsing: schema), hasDefaultZoneFeed: hasDefaultZoneFeed)
  }

  /// The default schema. The type Note has fields for every kind of value, with every index that
  /// queries can use.
  static let schema = """
    DEFINE SCHEMA
    RECORD TYPE Note (
      "___recordID" REFERENCE QUERYABLE SORTABLE,
      "___createTime" TIMESTAMP QUERYABLE SORTABLE,
      "___modTime" TIMESTAMP QUERYABLE SORTABLE,
      "___createdBy" REFERENCE QUERYABLE,
      text STRING QUERYABLE SORTABLE, rank INT64 QUERYABLE SORTABLE,
      weight DOUBLE QUERYABLE SORTABLE, at TIMESTAMP QUERYABLE SORTABLE,
      data BYTES QUERYABLE SORTABLE, tags LIST<STRING> QUERYABLE, scores LIST<INT64> QUERYABLE,
      parentNote REFERENCE QUERYABLE, links LIST<REFERENCE> QUERYABLE, place LOCATION QUERYABLE,
      plain STRING, filterOnly STRING QUERYABLE, secret ENCRYPTED STRING, file ASSET,
      GRANT READ, CREATE, WRITE TO "_creator"
    );
    RECORD TYPE Bare (
      value INT64,
      GRANT READ, CREATE, WRITE TO "_creator"
    );
    RECORD TYPE Post (
      "___recordID" REFERENCE QUERYABLE,
      text STRING QUERYABLE SORTABLE, about REFERENCE QUERYABLE,
      GRANT READ TO "_world", GRANT CREATE TO "_icloud", GRANT WRITE TO "_creator"
    );
    RECORD TYPE Diary (
      "___recordID" REFERENCE QUERYABLE,
      text STRING QUERYABLE,
      GRANT CREATE TO "_icloud", GRANT READ, WRITE TO "_creator"
    );
    RECORD TYPE Wiki (
      "___recordID" REFERENCE QUERYABLE,
      text STRING QUERYABLE, about REFERENCE QUERYABLE,
      GRANT READ TO "_world", GRANT CREATE, WRITE TO "_icloud"
    );
    """

  static let `private` = DatabaseAddress(container, .production, .private)
  static let `public` = DatabaseAddress(container, .production, .public)
  static let development = DatabaseAddress(container, .development, .private)
  static let zone = ZoneID("Z")
}

extension RecordService {
  /// A service on a storage, as another process would have it.
  init(
    on storage: any RecordStorage, at now: Int64 = 1, options: ServiceOptions = ServiceOptions()
  ) {
    self.init(
      storage: storage, signer: TokenSigner(secret: ServiceFixture.secret), now: { now },
      options: options)
  }
}

// MARK: Short forms

typealias Operation = RecordsModify.Operation

/// Texts with a million bytes each in JSON, where a control character has six.
let largeTexts = [
  String(repeating: "x", count: 1_000_000), String(repeating: "\u{1}", count: 166_700),
]

/// The input of an operation that saves or deletes a record.
func note(
  _ name: String?, _ fields: [String: FieldValue] = [:], tag: String? = nil,
  type: String? = "Note"
) -> RecordInput {
  RecordInput(name, type: type, fields: fields.mapValues { Field($0) }, recordChangeTag: tag)
}

extension ServiceFixture {
  func modify(
    _ operations: [Operation], in zone: ZoneID? = nil, atomic: Bool? = nil,
    at address: DatabaseAddress = ServiceFixture.private, by caller: Caller? = ServiceFixture.an
  ) async throws -> [RecordResult] {
    try await service.modify(
      RecordsModify.Request(operations: operations, zoneID: zone, atomic: atomic), at: address,
      by: caller
    ).records
  }

  /// Saves a record that is expected to be saved.
  @discardableResult
  func save(
    _ name: String, _ fields: [String: FieldValue] = [:], type: String = "Note",
    in zone: ZoneID? = nil, at address: DatabaseAddress = ServiceFixture.private,
    by caller: Caller = ServiceFixture.an
  ) async throws -> Record {
    let results = try await modify(
      [Operation(.forceReplace, note(name, fields, type: type))], in: zone, at: address, by: caller)
    return try #require(results.first?.record, "\(results)")
  }

  func delete(
    _ name: String, in zone: ZoneID? = nil, at address: DatabaseAddress = ServiceFixture.private,
    by caller: Caller = ServiceFixture.an
  ) async throws {
    let results = try await modify(
      [Operation(.forceDelete, note(name, type: nil))], in: zone, at: address, by: caller)
    try #require(results.first?.tombstone != nil, "\(results)")
  }

  func lookup(
    _ names: [String], in zone: ZoneID? = nil, at address: DatabaseAddress = ServiceFixture.private,
    by caller: Caller? = ServiceFixture.an
  ) async throws -> [RecordResult] {
    try await service.lookup(
      RecordsLookup.Request(records: names.map { .init($0) }, zoneID: zone), at: address, by: caller
    ).records
  }

  /// All pages of a query.
  func pages(
    _ query: Query, in zone: ZoneID? = nil, wide: Bool? = nil, limit: Int? = nil,
    at address: DatabaseAddress = ServiceFixture.private, by caller: Caller? = ServiceFixture.an
  ) async throws -> [[RecordResult]] {
    var pages: [[RecordResult]] = []
    var marker: String?
    repeat {
      let answer = try await service.query(
        RecordsQuery.Request(
          query, zoneID: zone, zoneWide: wide, resultsLimit: limit, continuationMarker: marker),
        at: address, by: caller)
      if let limit { #expect(answer.records.count <= limit) }
      pages.append(answer.records)
      marker = answer.continuationMarker
      try #require(pages.count < 1000, "a query without an end")
    } while marker != nil
    return pages
  }

  /// The names of the records on all pages of a query.
  func names(
    _ query: Query, in zone: ZoneID? = nil, wide: Bool? = nil, limit: Int? = nil,
    at address: DatabaseAddress = ServiceFixture.private, by caller: Caller? = ServiceFixture.an
  ) async throws -> [String] {
    try await pages(query, in: zone, wide: wide, limit: limit, at: address, by: caller)
      .joined().compactMap(\.recordName)
  }

  func makeZone(
    _ zone: ZoneID = ServiceFixture.zone, at address: DatabaseAddress = ServiceFixture.private,
    by caller: Caller = ServiceFixture.an
  ) async throws {
    let answer = try await service.zonesModify(
      .init(operations: [.init(.create, zone)]), at: address, by: caller)
    try #require(answer.zones.first?.value != nil, "\(answer)")
  }

  func deleteZone(
    _ zone: ZoneID = ServiceFixture.zone, at address: DatabaseAddress = ServiceFixture.private,
    by caller: Caller = ServiceFixture.an
  ) async throws {
    let answer = try await service.zonesModify(
      .init(operations: [.init(.delete, zone)]), at: address, by: caller)
    try #require(answer.zones.first?.value?.deleted == true, "\(answer)")
  }

  /// One page of a zone's feed.
  func page(
    _ zone: ZoneID = ServiceFixture.zone, since token: String? = nil, limit: Int? = nil,
    at address: DatabaseAddress = ServiceFixture.private, by caller: Caller = ServiceFixture.an
  ) async throws -> ChangesZone.Page {
    let answer = try await service.changesZone(
      .init(zones: [.init(zone, syncToken: token, resultsLimit: limit)]), at: address, by: caller)
    try #require(answer.zones.count == 1)
    return try answer.zones[0].get()
  }

  /// The rest of a zone's feed, and its last token.
  func feed(
    _ zone: ZoneID = ServiceFixture.zone, since token: String? = nil, limit: Int? = nil,
    at address: DatabaseAddress = ServiceFixture.private, by caller: Caller = ServiceFixture.an
  ) async throws -> (records: [RecordResult], token: String?) {
    var records: [RecordResult] = []
    var token = token
    while true {
      let page = try await page(zone, since: token, limit: limit, at: address, by: caller)
      records += page.records
      token = page.syncToken
      if !page.moreComing { return (records, token) }
    }
  }
}

/// The `ServiceError` that is thrown; nil if there is none. Another error is recorded as an issue.
func serviceError(_ body: () async throws -> some Any) async -> ServiceError? {
  do {
    _ = try await body()
    return nil
  } catch let error as ServiceError {
    return error
  } catch {
    Issue.record("\(error)")
    return nil
  }
}

extension RecordResult {
  /// `CODE: reason` of an error, the name of a record, `-name` of a tombstone.
  var summary: String {
    switch self {
    case .record(let record): record.recordName
    case .tombstone(let tombstone): "-\(tombstone.recordName)"
    case .failure(let error): error.summary
    }
  }
}

extension ServiceError {
  /// `CODE: reason`, or only the code if the error has no cause.
  var summary: String {
    cause == nil ? code.rawValue : "\(code.rawValue): \(sentence)"
  }
}

extension [RecordResult] {
  var summary: [String] { map(\.summary) }
}

extension ItemResult {
  /// The value of an item that is expected to have succeeded.
  @discardableResult
  func done() throws(ServiceError) -> Value { try get() }
}
