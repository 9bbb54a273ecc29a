import CloudRecords
import Editions
import Library
import Messages
import Quran
import Reader
import RecordClient
import Sync
import Synchronization
import TestSupport
import Testing
import Text

@testable import Terminal

/// A round of sync and the screen in one process, which does not watch the library's file.
@Suite struct SyncedScreenTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  @Test func changesOfASyncRoundAreDrawn() throws {
    let path = directory.path + "/library.sqlite"
    let user = "_0123456789abcdef0123456789abcdef"
    let library = try Library.open(path, at: 0).library
    var account = SyncAccount(
      origin: "http://127.0.0.1:1", container: ClientFactory.container,
      environment: "production", userRecordName: user, isConfirmed: true, serviceID: "test")
    account.hasFeed = false
    try library.sync { try $0.setAccount(account) }
    library.close()

    let entry = Entry.favorite(Favorite(try #require(AyahID("2:255")), favoritedAt: 5))
    let service = FavoriteService(
      record: Record(
        entry.recordName(of: user), type: entry.thing.kind.recordType,
        fields: entry.fields(of: user),
        recordChangeTag: "1"))
    let wakeUp = WakeUp()
    // The library stays open until the round is over.
    let isRoundOver = Mutex(false)
    let endRound: @Sendable () -> Void = {
      isRoundOver.withLock { $0 = true }
      wakeUp.wake()
    }
    // Whether the heart was drawn, each time that changed.
    var drawn: [Bool] = []
    let screen = WakingScreen(wakeUp, limit: 600) {
      drawn.last == true && isRoundOver.withLock { $0 }
    } onFrame: { frame in
      let isDrawn = (0..<frame.size.rows).contains { frame.text(row: $0).contains("255 ♥") }
      if drawn.last != isDrawn { drawn.append(isDrawn) }
    }
    var services = ReaderSession.Services()
    services.sync = { owner, _ in
      screen.onFirstWait = {
        guard let library = owner.library else { return }
        Task.detached {
          let engine = SyncEngine(library: library, service: service, now: { 9 })
          do { _ = try await engine.round() } catch { Issue.record(error) }
          endRound()
        }
      }
      return nil
    }
    let model = Model(
      edition: .bundled, messages: Messages(.vietnamese), size: screen.size,
      opening: AyahID("2:255"))
    try ReaderSession(
      libraryPath: path, wake: wakeUp.wake, services: services, openTimeout: 60_000,
      watchesFile: false
    ).run(model, on: screen)
    #expect(drawn == [false, true])
  }
}

/// A service with one favourite, and without a change feed.
private struct FavoriteService: RecordAPI {
  let record: Record

  func call<E: Endpoint>(
    _ endpoint: E.Type, _ request: E.Request, witness: String?
  ) async throws(CallFailure) -> ServiceResponse<E.Response> {
    let answer: any Sendable
    switch request {
    case let request as RecordsQuery.Request:
      let isListed = request.query.recordType == record.recordType
      answer = RecordsQuery.Response(records: isListed ? [.record(record)] : [])
    case let request as RecordsLookup.Request:
      answer = RecordsLookup.Response(
        records: request.records.map { item in
          item.recordName == record.recordName
            ? .record(record) : .failure(ServiceError(.notFound, recordName: item.recordName))
        })
    default:
      throw .service(ServiceError(.badRequest))
    }
    return ServiceResponse(answer as! E.Response)
  }

  func notification(at url: String) async throws(CallFailure) -> PushNotification? { nil }
}
