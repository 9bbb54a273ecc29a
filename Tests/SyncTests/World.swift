import CloudRecords
import Foundation
import Library
import Quran
import RecordClient
import RecordServer
import Synchronization
import TestSupport
import Testing

@testable import Sync

/// A record service with devices of one user.
///
///     let world = try await World()
///     let (phone, desk) = (try world.device(), try world.device())
///     try phone.commit(.setFavorite(ayah("2:255"), true))
///     try await world.sync(phone, desk)
final class World: Sendable {
  static let container = ContainerID("iCloud.donald.kvietnamisht")!

  let service: RecordService
  let storage: SQLiteRecordStorage
  /// The permanent id of the service.
  let serviceID = "5d4c3b2a"
  private let time = Atomic<Int64>(1_800_000_000_000)
  private let clock = ServiceClock()

  /// Milliseconds since 1970, UTC; every read adds one.
  var now: Int64 { time.add(1, ordering: .relaxed).newValue }

  /// - Parameters:
  ///   - hasFeed: Whether the default zone has a feed; otherwise devices sync by listing.
  ///   - noteField: A STRING field that another program added to the notes.
  ///   - hasProfiles: Whether the schema has profiles.
  init(hasFeed: Bool = true, noteField: String? = nil, hasProfiles: Bool = true) async throws {
    var schema = quranSchema.replacing(
      "noteText ", with: (noteField.map { "\($0) STRING,\n" } ?? "") + "noteText ")
    if !hasProfiles { schema = schema.replacing("TYPE UserProfile", with: "TYPE Other") }
    storage = try SQLiteRecordStorage(inMemory: nil)
    service = RecordService(
      storage: storage, signer: TokenSigner(secret: Data(repeating: 7, count: 32)),
      now: { [clock] in clock.now })
    try await service.addContainer(
      Self.container, schema: Schema(parsing: schema), hasDefaultZoneFeed: hasFeed)
  }

  func wait(_ milliseconds: Int64) { time.add(milliseconds, ordering: .relaxed) }

  /// - Parameter ahead: The milliseconds by which the device's clock is ahead.
  /// - Parameter path: The path of the device's library; nil for one in memory.
  func device(ahead: Int64 = 0, isSignedIn: Bool = true, at path: String? = nil) throws -> Device {
    let device = try Device(world: self, ahead: ahead, path: path)
    if isSignedIn { try device.signIn() }
    return device
  }

  /// Syncs each device in turn, twice.
  func sync(_ devices: Device...) async throws {
    for _ in 0..<2 {
      for device in devices { _ = try await device.sync() }
    }
  }

  /// The user's records of all kinds except the profile, sorted by name.
  func records() async throws -> [Record] {
    var records: [Record] = []
    for kind in Thing.Kind.allCases {
      var marker: String?
      repeat {
        let page = try await Link(world: self).carryOut(
          RecordsQuery.self,
          RecordsQuery.Request(
            Query(kind.recordType, filters: [Filter("ownerRecordName", .notEquals, .string("-"))]),
            continuationMarker: marker)
        ).body
        records += page.records.compactMap(\.record)
        marker = page.continuationMarker
      } while marker != nil
    }
    return records.sorted { $0.recordName < $1.recordName }
  }

  /// Changes records as another program of the user.
  func modify(_ operations: RecordsModify.Operation...) async throws {
    let answer = try await Link(world: self).carryOut(
      RecordsModify.self, RecordsModify.Request(operations: operations)
    ).body
    for error in answer.records.compactMap(\.error) { throw error }
  }
}

/// The service's clock. Every read adds a millisecond.
private final class ServiceClock: Sendable {
  private let time = Atomic<Int64>(0)
  var now: Int64 { time.add(1, ordering: .relaxed).newValue }
}

/// The connection of a device to the service, with faults that a test chooses.
final class Link: RecordAPI {
  let world: World
  /// The faults of the next requests, in their order.
  private let faults = Mutex<[Fault]>([])
  /// The saves with the fault `late`.
  private let late = Mutex<[RecordsModify.Request]>([])
  /// The routes of the requests that arrived.
  let asked = Mutex<[Route]>([])

  enum Fault: Sendable {
    case none
    /// The request does not arrive.
    case lost
    /// The request is carried out, but its response is lost.
    case unanswered
    /// The request is carried out twice, and the second response arrives.
    case twice
    /// The response is lost. The request, which must be a save, arrives with `deliverLate`.
    case late
    case refused(ServiceError)
    /// A closure runs just before the request arrives.
    case before(@Sendable () async throws -> Void)
  }

  init(world: World) {
    self.world = world
  }

  /// - Parameter faults: The faults of the next requests.
  func expect(_ faults: Fault...) { expect(faults) }

  func expect(_ faults: [Fault]) { self.faults.withLock { $0 += faults } }

  /// Delivers the saves with the fault `late`.
  func deliverLate() async throws {
    let requests = late.withLock { requests in
      defer { requests = [] }
      return requests
    }
    for request in requests { _ = try await carryOut(RecordsModify.self, request) }
  }

  func call<E: Endpoint>(
    _ endpoint: E.Type, _ request: E.Request, witness: String?
  ) async throws(CallFailure) -> ServiceResponse<E.Response> {
    let fault = faults.withLock { $0.isEmpty ? Fault.none : $0.removeFirst() }
    switch fault {
    case .lost: throw .unreachable(.connectionClosed)
    case .refused(let error): throw .service(error)
    case .before(let body):
      do { try await body() } catch { throw .credentials(.unreadable) }
    case .late:
      if let save = request as? RecordsModify.Request { late.withLock { $0.append(save) } }
      throw .responseLost(.timedOut)
    case .none, .unanswered, .twice: break
    }
    asked.withLock { $0.append(E.route) }
    do {
      if case .twice = fault { _ = try await carryOut(endpoint, request, witness: witness) }
      let reply = try await carryOut(endpoint, request, witness: witness)
      if case .unanswered = fault { throw CallFailure.responseLost(.connectionClosed) }
      return ServiceResponse(
        reply.body, history: reply.history,
        serviceID: E.route == .usersCaller ? world.serviceID : nil)
    } catch let error as ServiceError {
      throw .service(error)
    } catch let failure as CallFailure {
      throw failure
    } catch {
      throw .unexpectedResponse(UnexpectedResponse(status: 200, .unreadable))
    }
  }

  func notification(at url: String) async throws(CallFailure) -> PushNotification? { nil }

  /// Encodes and decodes a value as over HTTP.
  func carryOut<E: Endpoint>(
    _: E.Type, _ request: E.Request, witness: String? = nil
  ) async throws -> ServiceResponse<E.Response> {
    let bytes = try Wire.encode(request)
    let address = DatabaseAddress(World.container, .production, .private)
    let caller = Caller(account: 1, userRecordName: user, session: "1")
    func reply<F: Endpoint>(
      _: F.Type,
      _ body: (F.Request, DatabaseAddress, Caller?, String?) async -> Reported<F.Response>
    ) async throws -> ServiceResponse<E.Response> {
      let request = try Wire.decode(F.Request.self, from: bytes, as: .request)
      let reported = await body(request, address, caller, witness)
      let history = try reported.history.map {
        try #require(HistoryReport(header: $0.headerValue))
      }
      let body: Data
      do {
        body = try Wire.encode(response: try reported.get())
      } catch let error as ServiceError {
        var received = try Wire.decode(
          ServiceError.self, from: Wire.encode(response: error), as: .response)
        received.history = history
        throw received
      }
      return ServiceResponse(
        try Wire.decode(E.Response.self, from: body, as: .response), history: history)
    }
    func replyWithoutHistory<F: Endpoint>(
      _ endpoint: F.Type,
      _ body: (F.Request, DatabaseAddress, Caller?) async throws(ServiceError) -> F.Response
    ) async throws -> ServiceResponse<E.Response> {
      try await reply(endpoint) { request, address, caller, _ in
        do throws(ServiceError) {
          return Reported(.success(try await body(request, address, caller)))
        } catch {
          return Reported(.failure(error))
        }
      }
    }
    return switch E.route {
    case .recordsModify:
      try await reply(RecordsModify.self) {
        await world.service.modify($0, at: $1, by: $2, witness: $3)
      }
    case .recordsQuery:
      try await reply(RecordsQuery.self) {
        await world.service.query($0, at: $1, by: $2, witness: $3)
      }
    case .recordsLookup: try await reply(RecordsLookup.self, world.service.lookup)
    case .changesZone: try await reply(ChangesZone.self, world.service.changesZone)
    case .zonesList: try await replyWithoutHistory(ZonesList.self, world.service.zonesList)
    case .subscriptionsModify:
      try await replyWithoutHistory(SubscriptionsModify.self, world.service.subscriptionsModify)
    case .subscriptionsList:
      try await replyWithoutHistory(SubscriptionsList.self, world.service.subscriptionsList)
    case .usersCaller:
      ServiceResponse(
        try Wire.decode(
          E.Response.self,
          from: Wire.encode(UsersCaller.Response(UserIdentity(userRecordName: user))),
          as: .response))
    default: throw ServiceError(.notFound)
    }
  }
}

/// A library with its engine and its connection to the service.
final class Device: Sendable {
  let world: World
  let ahead: Int64
  let library: Library
  let link: Link
  let engine: SyncEngine

  init(world: World, ahead: Int64, path: String? = nil) throws {
    self.world = world
    self.ahead = ahead
    library = try path.map { try Library.open($0, at: 1).library } ?? .inMemory()
    let link = Link(world: world)
    self.link = link
    engine = SyncEngine(
      library: library, service: link, now: { world.now + ahead }, random: { 1 << 63 })
  }

  var now: Int64 { world.now + ahead }

  func signIn() throws {
    try engine.adopt(
      SyncAccount(
        origin: "https://records.example.org", container: World.container.name,
        environment: "production", userRecordName: user, isConfirmed: true))
  }

  @discardableResult
  func sync(
    _ answer: MassDeletion.Answer? = nil, on occasion: RoundOccasion = .scheduled
  ) async throws -> SyncReport {
    try await engine.round(answer, on: occasion)
  }

  func commit(_ changes: Change...) throws { try library.commit(changes, at: now) }

  /// Writes a note and returns its id.
  @discardableResult
  func note(_ text: String, at name: String = "2:255") throws -> UUID {
    let id = UUID()
    try commit(.addNote(id, ayah(name), NoteText(text)))
    return id
  }

  func edit(_ id: UUID, _ text: String) throws {
    let note = try library.note(id)!
    try commit(.editNote(id, note.ayah, NoteText(text), basedOn: note.text))
  }

  func delete(_ id: UUID) throws { try commit(.deleteNote(id, library.note(id)!.ayah)) }

  /// The texts of all notes.
  var texts: [String] {
    get throws {
      var texts: [String] = []
      try library.eachNote { texts.append($0.text.text) }
      return texts.sorted()
    }
  }

  /// The entries of the library as text.
  var contents: [String] {
    get throws {
      let snapshot = try library.snapshot()
      var lines = snapshot.favorites.map { "favorite \($0.ayah) \($0.favoritedAt)" }
      lines += snapshot.progress.map {
        "progress \($0.surah) \($0.lastReadAyah) \($0.lastUpdatedAt)"
      }
      lines += snapshot.settings.sorted { $0.key < $1.key }.map { "setting \($0.key) \($0.value)" }
      try library.eachNote {
        lines.append("note \($0.id) \($0.ayah) \($0.createdAt) \($0.modifiedAt) \($0.text.text)")
      }
      return lines.sorted()
    }
  }
}

extension SyncFailure {
  /// Whether the user is asked about many deletions.
  var isMassDeletion: Bool { if case .massDeletion = self { true } else { false } }
}
