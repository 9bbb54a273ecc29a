import Foundation
import Library
import Quran
import Synchronization
import TestSupport
import Testing

@testable import Sync

/// A process has one library. Its commits reach the screen and sync, which need not read the file.
@Suite struct SharedLibraryTests {
  private let directory: TemporaryDirectory
  private var path: String { directory.path + "/library.sqlite" }

  init() throws {
    directory = try TemporaryDirectory()
  }

  /// The replies of a `LibraryOwner`, in their order.
  private final class ReceivedReplies: Sendable {
    let replies = Mutex<[LibraryReply]>([])
    let library = Mutex<Library?>(nil)

    /// The state of a screen that has applied every reply.
    var shown: Snapshot {
      replies.withLock { replies in
        replies.reduce(into: Snapshot()) { snapshot, reply in
          switch reply {
          case .opened(let opened, _): snapshot = opened
          case .done(_, let commit), .changed(let commit): snapshot.apply(commit)
          default: Issue.record("\(reply)")
          }
        }
      }
    }
  }

  /// - Returns: An owner that does not watch the file, and the library that it shares.
  private func open(_ received: ReceivedReplies) throws -> (LibraryOwner, Library) {
    let owner = LibraryOwner(
      path: path, watchesFile: false, now: { 1_000 },
      post: { reply in received.replies.withLock { $0.append(reply) } })
    owner.share { event in
      if case .opened(let library) = event { received.library.withLock { $0 = library } }
    }
    owner.drain()
    return (owner, try #require(received.library.withLock { $0 }))
  }

  @Test func changesOfSyncAreReported() throws {
    let received = ReceivedReplies()
    let (owner, library) = try open(received)
    try library.sync { try $0.apply(favorite(at: 7), as: .favorite(ayah("2:255"))) }
    // A change of the sync state alone is not posted.
    try library.sync { try $0.markCopy(UUID()) }
    #expect(received.replies.withLock { $0.count } == 2)
    #expect(received.shown.favoritedAt(ayah("2:255")) == 7)
    owner.close()
  }

  @Test func theObserverIsToldOfTheCommitsOfOthers() throws {
    let received = ReceivedReplies()
    let (owner, library) = try open(received)
    let commits = Mutex<[Commit]>([])
    owner.share { event in
      if case .committed(let commit) = event { commits.withLock { $0.append(commit) } }
    }
    let request = LibraryRequest.commit([.setFavorite(ayah("1:1"), true)])
    guard case .done(_, let requested) = owner.perform(request) else {
      Issue.record("the request was refused")
      return
    }
    // Sync is not told of its own commits.
    try library.sync { try $0.apply(favorite(at: 7), as: .favorite(ayah("2:255"))) }
    // This request changes no entry.
    _ = owner.perform(request)
    #expect(commits.withLock { $0 } == [requested])
    owner.close()
  }

  /// The screen and sync change the same favorites at the same time. A screen that applies the
  /// commits in their order has the state of the library.
  @Test func commitsArePostedInTheirOrder() async throws {
    let received = ReceivedReplies()
    let (owner, library) = try open(received)
    async let synced: Void = {
      for number in 0..<300 {
        let ayah = AyahID(index: 1 + number % 5)!
        let entry = number % 3 == 0 ? nil : Entry.favorite(Favorite(ayah, favoritedAt: 5))
        try library.sync { try $0.apply(entry, as: .favorite(ayah)) }
      }
    }()
    for number in 0..<300 {
      owner.send(.commit([.setFavorite(AyahID(index: 1 + number % 5)!, number % 2 == 0)]))
    }
    try await synced
    owner.drain()
    #expect(received.shown == (try library.snapshot()))
    #expect(received.replies.withLock { $0.count } > 400)
    owner.close()
  }

  @Test(.timeLimit(.minutes(2))) func aNewFavoriteIsReportedToTheSyncSession() async throws {
    let received = ReceivedReplies()
    let (owner, library) = try open(received)
    // There is no service, so a change stays in the outbox.
    let account = SyncAccount(
      origin: "http://127.0.0.1:1", container: ClientFactory.container, environment: "production",
      userRecordName: user, isConfirmed: true)
    try library.sync { try $0.setAccount(account) }
    try CredentialFile(beside: path).save(
      CredentialFile.Content(
        origin: account.origin, container: account.container, environment: account.environment,
        apiToken: "api", webAuthToken: "web", userRecordName: user))
    let (statuses, posted) = AsyncStream<SyncStatus>.makeStream()
    let session = SyncSession(
      path: path, owner: owner, processEnvironment: [:], now: { 1_000 },
      post: { posted.yield($0) })
    func wait(until isThere: (SyncStatus) -> Bool) async {
      for await status in statuses where isThere(status) { return }
    }
    await wait { $0.attempts > 0 && $0.outbox.count == 0 }
    owner.send(.commit([.setFavorite(ayah("2:255"), true)]))
    await wait { $0.outbox.count == 1 }
    session.cancel()
    #expect(session.waitForEnd(milliseconds: 60_000))
    owner.close()
  }
}
