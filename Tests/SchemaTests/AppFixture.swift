import CloudRecords
import Foundation
import RecordClient
import Synchronization
import TestSupport

@testable import RecordServer
@testable import RecordServiceSupport

typealias Operation = RecordsModify.Operation

/// The service with the container of an app, and devices of people who use the app.
///
///     try await AppFixture.run(.tribeBoard, on: .disk) { app in
///       let phone = try await app.device("an")
///       try await phone.save(…)
///     }
final class AppFixture: Sendable {
  let web: WebFixture
  private let clients = Mutex<[RecordClient]>([])

  private init(_ web: WebFixture) { self.web = web }

  /// Runs a service in whose container the schema was imported and deployed.
  ///
  /// - Parameter schema: Nil for the schema in the app's file.
  static func run(
    _ app: AppSchema, schema: Schema? = nil, on place: Place,
    _ change: (inout WebFixture.Setup) -> Void = { _ in },
    _ body: @escaping @Sendable (AppFixture) async throws -> Void
  ) async throws {
    let directory = place == .disk ? try TemporaryDirectory() : nil
    let schema = try schema ?? app.schema
    try await WebFixture.run {
      $0.container = app.container
      $0.schema = Schema().description
      $0.directory = directory?.path
      // A poll without a notification is answered at once.
      $0.web.pollSeconds = 0
      change(&$0)
    } _: { web in
      let fixture = AppFixture(web)
      let result: Result<Void, any Error>
      do {
        try await fixture.deploy(schema)
        result = .success(try await body(fixture))
      } catch {
        result = .failure(error)
      }
      for client in fixture.clients.withLock({ $0 }) { await client.shutdown() }
      try result.get()
    }
    withExtendedLifetime(directory) {}
  }

  /// Imports a schema into development and deploys it.
  func deploy(_ schema: Schema) async throws {
    try await web.service.importDevelopment(schema, of: web.container)
    try await web.service.deploy(web.container)
  }

  /// A device of a person. Each device has a session of its own.
  func device(
    _ name: String, _ environment: ContainerEnvironment = .production
  ) async throws -> Device {
    let person = try await web.person(name)
    let client = RecordClient(
      try ServiceAddress(web.url, container: web.container, environment: environment),
      credentials: MemoryCredentialStore(person.token, apiToken: web.apiToken),
      options: .with())
    clients.withLock { $0.append(client) }
    return Device(web: web, person: person, client: client, environment: environment)
  }
}

/// An app on a device of a person who is signed in.
struct Device: Sendable {
  let web: WebFixture
  let person: WebFixture.Person
  /// The client for the private database.
  let client: RecordClient
  let environment: ContainerEnvironment

  var user: String { person.user }

  /// Sends a request.
  ///
  /// - Throws: The error with which the service refuses it.
  func call<E: Endpoint>(
    _ endpoint: E.Type, _ request: E.Request, in database: DatabaseScope = .private
  ) async throws -> E.Response {
    guard database == .public else {
      do throws(CallFailure) {
        return try await client.call(endpoint, request)
      } catch .service(let error) {
        throw error
      }
    }
    let reply = try await web.reply(endpoint, request, as: person, environment, database)
    if let error = reply.error { throw error }
    return try Wire.decode(E.Response.self, from: reply.body, as: .response)
  }

  // MARK: Records

  @discardableResult
  func modify(
    _ operations: [Operation], in zone: ZoneID? = nil, atomic: Bool? = nil,
    of database: DatabaseScope = .private
  ) async throws -> [RecordResult] {
    try await call(
      RecordsModify.self, .init(operations: operations, zoneID: zone, atomic: atomic),
      in: database
    ).records
  }

  /// Saves records, and throws the error of a record that is refused.
  @discardableResult
  func save(
    _ records: [RecordInput], in zone: ZoneID? = nil, of database: DatabaseScope = .private
  ) async throws -> [CloudRecords.Record] {
    let results = try await modify(
      records.map { Operation($0.recordChangeTag == nil ? .create : .update, $0) }, in: zone,
      of: database)
    for error in results.compactMap(\.error) { throw error }
    return results.compactMap(\.record)
  }

  func lookup(
    _ names: [String], in zone: ZoneID? = nil, of database: DatabaseScope = .private
  ) async throws -> [RecordResult] {
    try await call(
      RecordsLookup.self, .init(records: names.map { .init($0) }, zoneID: zone), in: database
    ).records
  }

  /// The records of a query, all pages of it.
  func records(
    _ query: Query, in zone: ZoneID? = nil, of database: DatabaseScope = .private,
    limit: Int? = nil
  ) async throws -> [CloudRecords.Record] {
    var records: [CloudRecords.Record] = []
    var marker: String?
    repeat {
      let page = try await call(
        RecordsQuery.self,
        .init(query, zoneID: zone, resultsLimit: limit, continuationMarker: marker), in: database)
      records += page.records.compactMap(\.record)
      marker = page.continuationMarker
    } while marker != nil
    return records
  }

  /// The names of the records of a query, or the error that it is refused with.
  func outcome(
    _ query: Query, in zone: ZoneID? = nil, of database: DatabaseScope = .private
  ) async throws -> [String] {
    do {
      return try await records(query, in: zone, of: database).map(\.recordName)
    } catch let error as ServiceError {
      return [error.summary]
    }
  }

  /// The changes of a zone since a token, all pages of them.
  func changes(
    of zone: ZoneID, since token: String? = nil
  ) async throws -> (records: [RecordResult], token: String?) {
    var records: [RecordResult] = []
    var token = token
    while true {
      let pages = try await call(ChangesZone.self, .init(zones: [.init(zone, syncToken: token)]))
      let page = try pages.zones[0].get()
      records += page.records
      token = page.syncToken
      if !page.moreComing { return (records, token) }
    }
  }

  /// Uploads the bytes of an asset.
  func upload(
    _ bytes: Data, _ type: String, _ field: String, record: String? = nil, in zone: ZoneID? = nil
  ) async throws -> Asset {
    let answer = try await call(
      AssetsUpload.self,
      .init(
        tokens: [.init(recordName: record, recordType: type, fieldName: field)], zoneID: zone))
    return try await client.upload(bytes, to: answer.tokens[0].url)
  }

  /// Downloads the bytes of an asset.
  func download(_ asset: Asset) async throws -> Data {
    guard let url = asset.downloadURL else { throw AccountFixture.Unexpected() }
    return try await client.download(url)
  }

  // MARK: Zones and notifications

  func createZone(_ zone: ZoneID) async throws {
    let answer = try await call(ZonesModify.self, .init(operations: [.init(.create, zone)]))
    _ = try answer.zones[0].get()
  }

  func subscribe(_ subscriptions: [Subscription]) async throws {
    let answer = try await call(
      SubscriptionsModify.self, .init(operations: subscriptions.map { .init(.create, $0) }))
    for result in answer.subscriptions { _ = try result.get() }
  }

  /// The URL of the notifications for this device.
  func listen() async throws -> String {
    try await call(TokensCreate.self, .init(apnsEnvironment: environment)).webcourierURL
  }

  /// The notifications that are queued at a URL.
  func notifications(at url: String) async throws -> [PushNotification] {
    var notifications: [PushNotification] = []
    while let next = try await client.notification(at: url) { notifications.append(next) }
    return notifications
  }
}
